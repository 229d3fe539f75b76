"""X-Ray's Table 1 (Yotov, Pingali and Stodghill: X-Ray: A Tool for Automatic Measurement of Hardware Parameters, QEST
2005), row by row for the machine in front of us, with the paper's own columns beside it and what is documented of this
CPU where that is public; and below it what hwchar says of the core beyond the table.

The table's FMA rows are X-Ray's: true where a multiplication with an addition is begun as often as one without. hwchar
says that an instruction exists where the compiler makes one of it and the CPU executes it. Both are shown."""
import json
import pathlib
import subprocess
import textwrap

import documented_cpus

WIDTH = 120
# The paper's machines, and their columns' heads, of two lines.
MACHINES = {"UltraSPARC IIIi": ("USp.", "IIIi"), "R12000": ("R", "12000"), "Power 3": ("Power", "3"),
            "Pentium 4": ("Pent.", "4"), "Itanium 2": ("Itan.", "2"), "Athlon MP": ("Athl.", "MP"),
            "Opteron 240": ("Opt.", "240"), "SA1110": ("SA", "1110"), "PXA250": ("PXA", "250"),
            "Xtensa LX": ("Xten.", "LX"), "R4400": ("R", "4400")}
# Row: its name, where hwchar has it, the actual values, X-Ray's; in the order of MACHINES. T, F: true, false.
TABLE = (
    ("Frequency (MHz)", "frequency",
     "1000 300 375 3060 1500 2250 1400 200 400 350 150",
     "994.206 299.928 375.434 6097.130 1488.344 2129.190 1394.471 203.586 393.489 343.225 145.889"),
    ("Latency ADD I32", "latency add i32",
     "1 1 1 0.5 1 1 1 1 1 1 1", "1.000 1.000 1.000 1.001 1.000 1.000 1.000 1.001 1.006 1.000 1.000"),
    ("Latency MULTIPLY I32", "latency multiply i32",
     "? 6 3 14-18 4 4 3 3 2 2 12", "6.000 5.989 3.000 29.987 3.985 4.000 3.013 3.095 1.977 1.977 14.873"),
    ("Throughput ADD I32", "throughput add i32",
     "0.5 0.5 0.5 0.25 0.167 0.333 0.333 1 1 1 1",
     "0.509 0.503 0.497 0.679 0.169 0.386 0.345 1.001 1.003 0.996 1.000"),
    ("Throughput MULTIPLY I32", "throughput multiply i32",
     "? 6 3 5 0.5 2 1 2 1 1 12", "4.963 5.989 2.972 9.337 0.506 2.016 1.024 1.986 0.998 0.996 14.870"),
    ("NR I32 (count)", "registers int",
     "32 32 32 8 128 8 16 16 16 16 32", "22 22 28 5 123 5 14 12 13 11 17"),
    ("FMA I32", "fma i32", "F F F F T F F T T F F", "T T T T T F T T T F T"),
    ("FPU F32", "fpu f32", "T T T T T T T F F T T", "T T T T T T T F F T T"),
    ("Latency ADD F32", "latency add f32",
     "4 2 4 5 4 4 4 n/a n/a 4 4", "3.963 2.000 4.000 10.013 3.984 4.000 4.052 n/a n/a 3.927 3.935"),
    ("Latency MULTIPLY F32", "latency multiply f32",
     "4 2 4 7 4 4 4 n/a n/a 4 7", "4.037 2.000 5.034 14.079 3.984 4.000 4.052 n/a n/a 3.927 6.870"),
    ("Throughput ADD F32", "throughput add f32",
     "1 1 0.5 1 0.5 1 1 n/a n/a 1 3", "1.000 1.000 0.497 2.030 0.506 1.000 1.013 n/a n/a 0.996 2.913"),
    ("Throughput MULTIPLY F32", "throughput multiply f32",
     "1 1 0.5 2 0.5 1 1 n/a n/a 1 3", "1.009 1.000 0.500 4.004 0.506 1.000 1.013 n/a n/a 0.996 2.957"),
    ("NR F32 (count)", "registers float",
     "32 32 32 8 128 8 16 n/a n/a 16 32", "32 32 32 8 128 8 16 n/a n/a 17 24"),
    ("FMA F32", "fma f32", "F T T F T F F n/a n/a T F", "F T T F T F F n/a n/a T F"),
    ("FPU F64", "fpu f64", "T T T T T T T F F F T", "T T T T T T T F F F T"),
    ("Latency ADD F64", "latency add f64",
     "4 2 4 5 4 4 4 n/a n/a n/a 4", "4 2 4 10.005 3.984 4 4.052 n/a n/a n/a 3.935"),
    ("Latency MULTIPLY F64", "latency multiply f64",
     "4 2 4 7 4 4 4 n/a n/a n/a 8", "4 2 4 14.023 3.986 4 4.052 n/a n/a n/a 7.826"),
    ("Throughput ADD F64", "throughput add f64",
     "1 1 0.5 1 0.5 1 1 n/a n/a n/a 3", "1.009 1 0.5 2.032 0.506 1.008 1.013 n/a n/a n/a 2.935"),
    ("Throughput MULTIPLY F64", "throughput multiply f64",
     "1 1 0.5 2 0.5 1 1 n/a n/a n/a 4", "1 1 0.5 3.998 0.506 1 1 n/a n/a n/a 3.957"),
    ("NR F64 (count)", "registers double",
     "32 32 32 8 128 8 16 n/a n/a n/a 24", "32 32 32 8 128 8 16 n/a n/a n/a 24"),
    ("FMA F64", "fma f64", "F T T F T F F n/a n/a n/a F", "F T T F T F F n/a n/a n/a F"),
)

# Beyond the paper's table: its name, where hwchar has it.
BEYOND = (
    ("Threads of a core", "smt"),
    ("Threads without slowdown", "parallel_threads"),
    ("Core to core, nearest", "core_to_core nearest"),
    ("ADD I64 units", "units add"),
    ("MULTIPLY I64 units", "units multiply"),
    ("ADD F64 beside MULTIPLY", "bundle add f64, multiply f64"),
    ("FMA F64 beside MULTIPLY", "bundle multiply f64, fma f64"),
    ("Fetch width", "fetch_width"),
    ("Rename width", "rename_width"),
    ("Moves eliminated", "move_elimination int"),
    ("Vector moves eliminated", "move_elimination vector"),
    ("Full-rate instructions", "full_rate_code"),
    ("Load to use", "load_to_use int"),
    ("Load to use, vector", "load_to_use vector"),
    ("Store forwarding", "store_forwarding int"),
    ("Store forwarding, vector", "store_forwarding vector"),
    ("Memory renaming", "memory_renaming"),
    ("Gather of 8, AVX2", "gather avx2"),
    ("Gather of 16, AVX-512", "gather avx512"),
    ("Misprediction penalty", "misprediction_penalty"),
    ("Return stack", "return_stack"),
    ("Reorder buffer", "reorder_buffer"),
    ("Integer registers", "int_register_file"),
    ("Vector registers", "vector_register_file"),
    ("Load queue", "load_queue"),
    ("Store queue", "store_queue"),
    ("Integer scheduler", "int_scheduler"),
    ("Vector scheduler", "vector_scheduler"),
    ("Load scheduler", "load_scheduler"),
)
# By how much a figure may be off. What holds instructions may give places to groups of them (docs/core_structures.md).
TOLERANCE = {"latency": 0.02, "throughput": 0.05, "load_to_use": 0.02, "full_rate_code": 0.12, "reorder_buffer": 0.12,
             "int_register_file": 0.12, "vector_register_file": 0.12, "load_queue": 0.12, "store_queue": 0.12,
             "int_scheduler": 0.12, "vector_scheduler": 0.12, "load_scheduler": 0.12}
SOFTWARE_CYCLES = 10  # 3.4: a floating-point addition that takes longer is done by software
AS_OFTEN = 1.1        # 3.4: about as often, of throughputs


def instruction(core, name, of):
    return next((i for i in core.get("instructions", []) if i["name"] == name and i["type"] == of), {})


def cycles(core, what, name, of):
    return instruction(core, name, of).get(what, {}).get("value")


def fma_text(core, of):
    """X-Ray's answer, by throughput; and hwchar's where it is another."""
    fused, plain = (cycles(core, "throughput", name, of) for name in ("fma", "multiply"))
    exists = instruction(core, "fma", of).get("exists", {}).get("value")
    by_time = None if fused is None or plain is None else fused < AS_OFTEN * plain
    return f"{short(by_time)}, {short(exists)}" if by_time != exists else short(exists)


def short(value):
    return {True: "T", False: "F", None: "-"}[value]


def said(core, where):
    """What hwchar says in a row: a number or a text; None = nothing."""
    what, *rest = where.split()
    if what == "frequency":
        return core.get("frequency", {}).get("value")
    if what == "registers":
        return core.get("registers", {}).get(rest[0], {}).get("value")
    if what == "fma":
        return fma_text(core, rest[0])
    if what == "fpu":
        latency = cycles(core, "latency", "add", rest[0])
        return short(None if latency is None else latency < SOFTWARE_CYCLES)
    return cycles(core, what, *rest)


def bundle(profile, pair):
    """How much one of two operations costs nothing beside the other; None where that is not told."""
    one, other = pair.split(", ")
    found = next((m for m in profile.get("matrices", []) if m["name"] == "bundles"), {"labels": []})
    labels = found["labels"]
    return found["rows"][labels.index(one)][labels.index(other)] if one in labels and other in labels else None


def finding_of(profile, where):
    """The finding beyond the paper's table."""
    what, _, rest = where.partition(" ")
    if what == "bundle":
        value = bundle(profile, rest)
        return {"value": value, "reason": "" if value is not None else "not told"}
    found = profile["core"].get(what, {})
    return found.get(rest, {}) if rest else found


def span_of(finding):
    """The first and the last that it may be: of a value both alike; None where nothing is known."""
    value = finding.get("value")
    if value is not None:
        return value, value
    return (finding["low"], finding["high"]) if "low" in finding and "high" in finding else None


def number(value):
    if isinstance(value, tuple):
        return number(value[0]) if value[0] == value[1] else " to ".join(number(v) for v in value)
    if value is None or isinstance(value, bool):
        return short(value)
    return value if isinstance(value, str) else f"{value:.3f}".rstrip("0").rstrip(".")


def deviation(value, figure):
    """Of a value, or of the span that it lies in, from a figure or its span: 0 where they meet. None where there is
    nothing to compare."""
    low, high = value if isinstance(value, tuple) else (value, value)
    least, most = figure if isinstance(figure, tuple) else (figure, figure)
    if figure is None or not isinstance(low, (int, float)):
        return None
    if isinstance(figure, bool) or figure == 0:  # nothing to divide by
        return low != figure
    return min(0, high / least - 1) or max(0, low / most - 1)


def off_text(off, wrong):
    return "" if off is None else "differs!" if off is True else f"{100 * off:+.1f} %{'!' if wrong else ''}"


def judged(value, figure, where):
    """(how far it is off, whether that is more than it may)"""
    off = deviation(value, figure)
    return off, off is not None and abs(off) > TOLERANCE.get(where.split()[0], 0)


def shortened(printed):
    """A number of the paper in four digits."""
    return f"{float(printed):.4g}" if len(printed) > 5 and "-" not in printed else printed


def figure_text(figure, by):
    return f"{number(figure)} ({by})" if by else "?"


def print_row(profile, known, row):
    """Returns whether it deviates by more than it may."""
    name, where, actual, found = row
    value = said(profile["core"], where)
    figure, source = documented_cpus.figure(known, where)
    off, wrong = judged(value, figure, where)
    theirs = "".join(f"{shortened(w):>6}" for w in found.split())
    print(f"{name:<23}{number(value):>7}{figure_text(figure, source):>11}{off_text(off, wrong):>9} |{theirs}")
    print(f"{'  actual':<50} |" + "".join(f"{w:>6}" for w in actual.split()))
    return wrong


def print_beyond(profile, known, row):
    """Returns whether it deviates by more than it may."""
    name, where = row
    finding = finding_of(profile, where)
    span = span_of(finding)
    figure, by = documented_cpus.figure(known, where)
    if by is None and "documented" in finding:
        figure, by = finding["documented"], "system"
    off, wrong = judged(span, figure, where)
    line = f"{name:<25}{number(span):>14} {finding.get('unit', ''):<13}{figure_text(figure, by):>14}"
    print((line + f"{off_text(off, wrong):>10}").rstrip())
    for part in textwrap.wrap(finding.get("reason", "not reported") if span is None else "", WIDTH - 4):
        print(f"    {part}")
    return wrong


def profile_of(hwchar):
    done = subprocess.run([hwchar, "--json", "core"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def print_wrapped(text):
    print("\n".join(textwrap.wrap(text, WIDTH, subsequent_indent="    ")))


def report(profile, known):
    """Returns how many figures deviate by more than they may."""
    print_wrapped(f"X-Ray, Table 1: what hwchar says of this machine ({profile['host']['cpu_model']}), what is documented "
                  "of it, and the paper's columns: X-Ray's, in four digits, and the actual values below")
    heads = ["".join(f"{head[line]:>6}" for head in MACHINES.values()) for line in (0, 1)]
    print(f"\n{'':<50} |{heads[0]}\n{'':<23}{'hwchar':>7}{'documented':>11}{'off by':>9} |{heads[1]}")
    wrong = sum(print_row(profile, known, row) for row in TABLE)
    print_wrapped(f"The paper's machines: {', '.join(MACHINES)}.")
    print_wrapped("FMA: X-Ray's answer (by throughput), then whether it is one instruction, where they differ.")
    print(f"\nBeyond the table\n\n{'':<25}{'hwchar':>14} {'':<13}{'documented':>14}{'off by':>10}")
    wrong += sum(print_beyond(profile, known, row) for row in BEYOND)
    print("\n-: not known. ?: no public figure is on file. !: off by more than it may be.")
    if known is None:
        print("Nothing is on file for this CPU.")
    else:
        print(f"What is documented is of {known.name}, by:")
        for place, (source, _) in enumerate(known.figures, 1):
            print_wrapped(f"({place}) {source}")
    return wrong


def reproduce(hwchar):
    return report(profile_of(hwchar), documented_cpus.of(documented_cpus.this_cpu(pathlib.Path("/proc/cpuinfo").read_text())))
