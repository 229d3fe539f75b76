"""The papers' tables, cell by cell, on their machines. Those of X-Ray take a run of all its machines, which is left to
"all": here a stand-in answers for hwchar, with what the machine files say and with what they do not."""
import contextlib
import io
import json
import pathlib
import re
import runpy
import sys
import tempfile

from harness import ROOT, main, options, run

sys.path.insert(0, str(ROOT / "scripts/lib"))
import documented_cpus
import judge
import runs
import truth
import xray_core
import xray_memory
import xray_tables
from xray_tables import QEST, SIGMETRICS

OPTIONS = options()
ASKED = {SIGMETRICS: 69, QEST: 85}  # cells: all but those of a level that a machine does not have

# Prints what the machine file says, but for what it is made to say.
STAND_IN = """#!{python}
import json, pathlib, sys
sys.path.insert(0, {lib!r})
import truth
if any(argument.startswith("--counters") for argument in sys.argv):
    sys.exit("asked for counters")
path = next(pathlib.Path(a.partition("=")[2]) for a in sys.argv if a.startswith("--machine="))
made = json.loads({made!r}).get(path.stem, {{}})
if made is None:
    sys.exit("broken")
truths = truth.truths(json.loads(path.read_text()))
found = {{name: {{cell: made.get(f"{{name}}.{{cell}}", {{"value": value}}) for cell, value in cells.items()}}
         for name, cells in truths.items()}}
for name, cell in (path.split(".") for path in made):
    found.setdefault(name, {{}})[cell] = made[f"{{name}}.{{cell}}"]
caches = [{{"level": int(name[1:]), "kind": "data", **cells}} for name, cells in found.items() if name[1:].isdigit()]
print(json.dumps({{"caches": caches, "tlbs": [], "memory": {{"latency": found["memory"]["latency"]}}, "core": {{}}}}))
"""

# Paper, machine, cell, tool, verdict on its figure.
FIGURES = (
    (SIGMETRICS, "Power 3", "L1.size", "X-Ray", "wrong"), (SIGMETRICS, "Power 3", "L1.associativity", "X-Ray", "wrong"),
    (SIGMETRICS, "Power 3", "L1.line_size", "X-Ray", "right"),
    (SIGMETRICS, "R12000", "L1.line_size", "lmbench", "wrong"),
    (SIGMETRICS, "Athlon MP", "L2.size", "X-Ray", "wrong"), (SIGMETRICS, "Athlon MP", "L2.size", "lmbench", "right"),
    (SIGMETRICS, "Athlon MP", "L2.effective_size", "X-Ray", "right"),
    (SIGMETRICS, "Athlon MP", "L2.effective_size", "MOB", None),
    (SIGMETRICS, "UltraSPARC IIIi", "L2.size", "X-Ray", "no figure"),
    (SIGMETRICS, "UltraSPARC IIIi", "L2.size", "Calibrator", "right"),  # 1024, where "actual" is 512
    (SIGMETRICS, "Power 3", "L2.size", "MOB", "wrong"), (SIGMETRICS, "Power 3", "L2.latency", "MOB", "not judged"),
    (SIGMETRICS, "Itanium 2", "L1.latency", "MOB", "wrong"), (SIGMETRICS, "Itanium 2", "L3.size", "MOB", "wrong"),
    (SIGMETRICS, "Itanium 2", "L3.associativity", "MOB", "no figure"),
    (QEST, "UltraSPARC IIIi", "L1.latency", "X-Ray", "right"), (QEST, "Pentium 4", "L1.latency", "X-Ray", "wrong"),
    (QEST, "Athlon MP", "L1.latency", "lmbench", "right"),  # 3.170, where "actual" is 2.000
    (QEST, "Athlon MP", "L1.latency", "X-Ray", "wrong"), (QEST, "Opteron 240", "L2.size", "lmbench", "wrong"),
    (QEST, "xScale PXA250", "L1.size", "lmbench", "no figure"), (QEST, "R4400", "L2.size", "X-Ray", None),
    (QEST, "R4400", "memory.latency", "lmbench", "not judged"))

# What is found, in a 512 KiB L2 of 21 cycles: as it is printed, and the verdict.
FINDINGS = (
    ("L2.size", {"value": 524288}, "512", "right"), ("L2.size", {"value": 589824}, "576", "wrong"),
    ("L2.size", {"value": None, "low": 500000, "high": 600000, "reason": "r"}, "488.3 to 585.9", "interval"),
    ("L2.size", {"value": None, "low": 400000, "high": 500000, "reason": "r"}, "390.6 to 488.3", "wrong"),
    ("L2.size", {"value": None, "low": 500000, "reason": "r"}, "from 488.3", "interval"),
    ("L2.size", {"value": None, "high": 600000, "reason": "r"}, "up to 585.9", "interval"),
    ("L2.size", {"value": None, "reason": "the votes disagree"}, "-", "unknown"),
    ("L2.latency", {"value": 21.73}, "21.73", "right"), ("L2.latency", {"value": 40}, "40", "wrong"),
    ("L2.associativity", {"value": 10}, "10", "wrong"))


def reproduce(paper, timeout=800):
    done = run([ROOT / "scripts/reproduce", paper, f"--hwchar={OPTIONS.hwchar}"], timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr


def amp_table_1():
    reproduce("amp")


def itanium2_figures():
    reproduce("itanium2")


def papi_figures():
    reproduce("papi", 5000)


def fira_tables():
    reproduce("fira", 5000)


def xray_tables_of_caches():
    reproduce("xray-memory", 5000)


def all_rows():
    return [(table, block, row) for table in xray_tables.TABLES for block in table.blocks for row in block.rows]


def row_of(paper, machine, path):
    return next((table, block, row) for table, block, row in all_rows()
                if (table.paper, row.machine, f"{block.structure}.{block.cell}") == (paper, machine, path))


def machine_file(name):
    return json.loads((runs.MACHINES / f"{name}.json").read_text())


def machine_files_have_what_the_papers_call_actual():
    """What is n/a there, the file does not have; what is "?" there, it has."""
    for table, block, row in all_rows():
        held = xray_memory.held_against(table, block, row)
        value = truth.truths(machine_file(xray_tables.MACHINES[row.machine])).get(block.structure, {}).get(block.cell)
        assert (value is None) == (held == "n/a"), (row, block.title)
        if xray_memory.number_of(held) is not None:
            assert float(xray_memory.amount(block.cell, value)) == float(held), (row, block.title, value)


def figures_of_the_tools_are_judged_by_their_own_paper():
    for paper, machine, path, tool, verdict in FIGURES:
        table, block, row = row_of(paper, machine, path)
        held = xray_memory.held_against(table, block, row)
        assert xray_memory.judge_figure(block.cell, held, row.figures[tool]) == verdict, (paper, machine, path, tool)


def cells_of(machine, **structures):
    profile = {"caches": [{"level": int(name[1:]), "kind": "data", **cells} for name, cells in structures.items()],
               "tlbs": [], "memory": {}, "core": {}}
    return {cell.path: cell for cell in judge.cells(machine_file(machine), profile)}


def what_hwchar_says_is_judged_by_the_machine_file():
    for path, finding, text, verdict in FINDINGS:
        structure, cell = path.split(".")
        said = xray_memory.what_is_said(cells_of("xray-pentium4", **{structure: {cell: finding}}), structure, cell)
        assert (said.text, said.verdict) == (text, verdict), (path, finding, said)
    nothing = xray_memory.what_is_said(cells_of("xray-pentium4"), "L2", "size")
    assert nothing.verdict == "unknown" and nothing.model == "512" and nothing.reason == "no L2 was found", nothing
    none = xray_memory.what_is_said(cells_of("xray-r4400"), "L2", "size")
    assert (none.text, none.verdict) == ("none", "none"), none
    invented = xray_memory.what_is_said(cells_of("xray-r4400", L2={"size": {"value": 65536}}), "L2", "size")
    assert (invented.model, invented.verdict) == ("n/a", "wrong"), invented


def reproduced(made):
    """(status, lines) of the whole script, with a stand-in for hwchar; none of its runs is kept."""
    before = runs.KEPT, sys.argv
    with tempfile.TemporaryDirectory() as folder:
        hwchar = pathlib.Path(folder) / "hwchar"
        hwchar.write_text(STAND_IN.format(python=sys.executable, lib=str(ROOT / "scripts/lib"), made=json.dumps(made)))
        hwchar.chmod(0o755)
        runs.KEPT, sys.argv = pathlib.Path(folder) / "runs", ["reproduce", "xray-memory", f"--hwchar={hwchar}"]
        try:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                runpy.run_path(str(ROOT / "scripts/reproduce"), run_name="__main__")
        except SystemExit as end:
            return end.code, out.getvalue().splitlines()
        finally:
            runs.KEPT, sys.argv = before
    raise AssertionError("it did not end by a status")


def totals_of(lines):
    """{(paper, who): the numbers behind it}"""
    found, paper = {}, None
    for line in lines[next(i for i, line in enumerate(lines) if line.startswith("totals")):]:
        paper = next((name for name in ASKED if line.startswith(name)), paper)
        words = line.split()
        if line.startswith("  "):
            found[paper, words[0]] = [int(word) for word in words[1:]]
    return found


def hwchar_totals(lines):
    totals = totals_of(lines)
    return [totals[paper, "hwchar"] for paper in ASKED]


def a_hwchar_that_knows_all_is_right_everywhere():
    status, lines = reproduced({})
    assert status == 0, lines
    assert hwchar_totals(lines) == [[asked, 0, 0, 0] for asked in ASKED.values()], lines
    for (paper, who), numbers in totals_of(lines).items():  # of the sums of L1 and L2 X-Ray alone has a figure
        assert sum(numbers) == ASKED[paper] - (0 if who in ("hwchar", "X-Ray") else 2), (paper, who, numbers)


def what_is_not_known_is_counted_with_its_reason_and_is_no_error():
    unknown, between = {"value": None, "reason": "dragons"}, {"value": None, "low": 1, "high": 1 << 20, "reason": "r"}
    status, lines = reproduced({"xray-athlon-mp": {"L2.size": unknown, "L2.effective_size": between}})
    assert status == 0, lines
    assert hwchar_totals(lines) == [[asked - 2, 1, 1, 0] for asked in ASKED.values()], lines
    told = [line for line in lines if "dragons" in line]  # the cell is in both papers
    assert [line.split() for line in told] == [["Athlon", "MP", "L2", "capacity,", "KB", "unknown", "dragons"]], told


def one_wrong_cell_is_an_error():
    for made in ({"xray-athlon-mp": {"L2.size": {"value": 589824}}},
                 {"xray-itanium2": {"L3.size": {"value": None, "low": 1, "high": 2, "reason": "r"}}},
                 {"xray-r4400": {"L2.size": {"value": 65536}}}):
        status, lines = reproduced(made)
        assert status == 1, (made, lines)
        assert sum(numbers[3] for numbers in hwchar_totals(lines)) == (2 if "xray-athlon-mp" in made else 1), lines


def a_run_that_fails_is_an_error():
    status, _ = reproduced({"xray-power3": None})
    assert status == "xray-power3: broken", status


def columns_stand_under_their_heads():
    """In every row; and no line is too wide, however long what is said."""
    long = {"value": None, "low": 1234567, "high": 12345678, "reason": "word " * 60}
    _, lines = reproduced({"xray-itanium2": {"L3.size": long, "L2.size": {**long, "low": None, "high": None}}})
    assert any("1205.6 to 12056.3" in line for line in lines), lines
    assert max(map(len, lines)) <= 120, max(lines, key=len)
    ends, rows = None, 0
    for line in lines:
        if " actual " in line and line.endswith("hwchar"):
            ends = [end.end() for end in re.finditer(r"[\w-]+", line)][-len(re.findall(r"[\w-]+", line[20:])):]
        elif ends and line.startswith("  ") and not line.startswith("  ("):
            rows += 1
            assert all(line[end - 1] != " " and line[end:end + 1] in (" ", "!", "") for end in ends), (line, ends)
        else:
            ends = None
    assert rows == len(all_rows()), rows


def what_is_wrong_is_marked_and_what_needs_a_note_has_one():
    _, lines = reproduced({"xray-power3": {"L1.size": {"value": 66048}}})
    assert sum(line.split()[:4] == ["Power", "3", "64", "64.5!"] and line.split()[-2:] == ["64.5!", "wrong"]
               for line in lines) == 2, lines
    assert "  Power 3          L1 capacity, KB     wrong    says 64.5, is 64" in lines, lines
    tables = "\n".join(lines).partition("what hwchar does not know")[0].split("\n\n" + SIGMETRICS)
    for text in "".join(tables[:2]), *tables[2].split("\n\n" + QEST):
        referred = set(re.findall(r" (\(\d\))$", text, re.MULTILINE))
        assert referred == set(re.findall(r"^  (\(\d\)) ", text, re.MULTILINE)), text
    assert len({note.text for note in xray_tables.NOTES}) == sum(line.startswith("  (") for line in lines), lines


# Where models of other designs lie between those of one: Cannon Lake, Broadwell, Tiger Lake; Zen 3 in Zen 4's family;
# Zen 6 in Zen 5's.
DESIGNS = (
    ("GenuineIntel", 6, {"Skylake": (0x4e, 0x55, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6), "Ice Lake": (0x6a, 0x6c, 0x7d, 0x7e),
                         None: (0x4f, 0x56, 0x57, 0x66, 0x6e, 0x75, 0x8c, 0x8f, 0xa7)}),
    ("AuthenticAMD", 25, {"Zen 4": (0x10, 0x11, 0x1f, 0x61, 0x74, 0x7c, 0xa0, 0xaf), None: (0x01, 0x21, 0x44, 0x50)}),
    ("AuthenticAMD", 26, {"Zen 5": (0x02, 0x11, 0x24, 0x44, 0x60, 0x70), None: (0x50, 0x80, 0xc0)}))


def a_cpu_is_held_against_its_own_design():
    for vendor, family, designs in DESIGNS:
        for name, models in designs.items():
            for model in models:
                known = documented_cpus.of((vendor, family, model))
                assert (known and known.name) == name, (vendor, family, hex(model), known)


# What hwchar says, which design's figure it is held against, and how that is printed.
BEYOND = (("rename_width", {"value": 8}, "Zen 5", ["8", "(2)", "+0.0", "%"]),
          ("rename_width", {"value": 6}, "Zen 5", ["8", "(2)", "-25.0", "%!"]),
          ("load_to_use", {"int": {"value": 3.98}}, "Zen 5", ["4", "to", "5", "(2)", "-0.5", "%"]),
          ("load_to_use", {"int": {"value": 5.4}}, "Zen 5", ["4", "to", "5", "(2)", "+8.0", "%!"]),
          ("reorder_buffer", {"value": None, "low": 443, "high": 451}, "Zen 5", ["448", "(2)", "+0.0", "%"]),
          ("reorder_buffer", {"value": None, "low": 100, "high": 224}, "Zen 5", ["448", "(2)", "-50.0", "%!"]),
          ("move_elimination", {"int": {"value": False}}, "Zen 5", ["T", "(2)", "differs!"]),
          ("return_stack", {"value": None, "reason": "it is told nowhere " * 9}, "Zen 5", ["52", "(2)"]),
          ("fetch_width", {"value": 8}, "Zen 5", ["8", "?"]),
          ("load_queue", {"value": 403}, None, ["403", "?"]),
          ("smt", {"value": 2, "documented": 1}, None, ["1", "(system)", "+100.0", "%!"]))


def rows_of_this_machine_are_held_against_what_is_documented_of_it():
    for what, finding, design, printed in BEYOND:
        name = next(name for name, where in xray_core.BEYOND if where.split()[0] == what)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            wrong = xray_core.report({"host": {"cpu_model": "a CPU"}, "core": {what: finding}},
                                     next((d for d in documented_cpus.CPUS if d.name == design), None))
        lines = out.getvalue().splitlines()
        row = next(line for line in lines if line.startswith(name + " ")).split()
        assert row[-len(printed):] == printed and wrong == row[-1].endswith("!"), (row, printed, wrong)
        assert max(map(len, lines)) <= 120, max(lines, key=len)


main([xray_tables_of_caches, papi_figures, fira_tables] if "all" in OPTIONS.rest else
     [amp_table_1, itanium2_figures, machine_files_have_what_the_papers_call_actual,
      figures_of_the_tools_are_judged_by_their_own_paper, what_hwchar_says_is_judged_by_the_machine_file,
      a_hwchar_that_knows_all_is_right_everywhere, what_is_not_known_is_counted_with_its_reason_and_is_no_error,
      a_cpu_is_held_against_its_own_design, rows_of_this_machine_are_held_against_what_is_documented_of_it,
      one_wrong_cell_is_an_error, a_run_that_fails_is_an_error, columns_stand_under_their_heads,
      what_is_wrong_is_marked_and_what_needs_a_note_has_one])
