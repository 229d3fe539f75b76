"""The tables of the papers on X-Ray, with what hwchar says of the simulated machines by the clock: every cell judged
and counted, the tools' figures by the same rule as hwchar's."""
import collections
import textwrap
import typing

import judge
import machine_file
import runs
import xray_tables

WIDTH = 120
KIB = 1024
RIGHT, INTERVAL, UNKNOWN, WRONG, NONE = "right", "interval", "unknown", "wrong", "none"
NO_FIGURE, NOT_JUDGED = "no figure", "not judged"
VERDICTS = (RIGHT, INTERVAL, UNKNOWN, WRONG, NO_FIGURE, NOT_JUDGED)
HWCHAR = "hwchar"
NO_CELL = "-"  # where a row was added to the table
NO_SUCH_LEVEL = "n/a"
LEGEND = """\
What the papers print, and beside it what hwchar says by the clock. The tools ran on the machines themselves, hwchar on
models made after the papers (machines/xray-*.json), which have contiguous memory and do not prefetch.
A figure with ! is wrong: a latency is right within a tenth or half a cycle, all else exactly. hwchar is held against
"model", which is what the machine file has; the tools are held against what the paper calls actual, and are not judged
where that is "?".
n/a, !exist: the tool does not measure it, or there is no such level; empty, abort, build: no answer, broken off, not
built; os, !os: not yet on this operating system."""


class Said(typing.NamedTuple):
    """What hwchar says in a cell."""
    text: str
    model: str
    verdict: str  # one of the first four, or NONE where there is nothing, and it says so
    reason: str


def amount(cell, value):
    """In the unit of the tables."""
    text = f"{value / KIB:.1f}" if cell in ("size", "effective_size") else f"{value:.2f}"
    return text.rstrip("0").rstrip(".")


def interval_text(cell, finding):
    low, high = (None if finding.get(end) is None else amount(cell, finding[end]) for end in ("low", "high"))
    if low is None or high is None:
        return f"up to {high}" if low is None else f"from {low}"
    return f"{low} to {high}"


def finding_text(cell, finding):
    value = finding.get("value")
    if value is not None:
        return amount(cell, value) if judge.is_number(value) else str(value)
    return interval_text(cell, finding) if judge.has_interval(finding) else "-"


def what_is_said(cells, structure, name):
    """`cells`: those of one machine, {path: cell}, as the judge has them."""
    cell = cells.get(f"{structure}.{name}")
    if cell is None:
        return Said(NONE, NO_SUCH_LEVEL, NONE, "")
    verdict = cell.verdict if cell.verdict in (RIGHT, INTERVAL, WRONG) else UNKNOWN
    reason = {"absent": f"no {structure} was found", "not-asked": "no probe asked for it"}.get(
        cell.verdict, cell.finding.get("reason", ""))
    model = NO_SUCH_LEVEL if cell.truth is None else amount(name, cell.truth)
    return Said(finding_text(name, cell.finding), model, verdict, reason)


def note_of(table, block, row):
    return next((note for note in xray_tables.NOTES
                 if note.paper == table.paper and note.structure == block.structure and block.cell in note.cells
                 and row.machine in note.machines), None)


def held_against(table, block, row):
    note = note_of(table, block, row)
    return note.held_against.get(row.machine, row.actual) if note else row.actual


def number_of(word):
    try:
        return float(word)
    except ValueError:
        return None


def judge_figure(cell, actual, figure):
    """Of another tool; None where there is no question."""
    if figure == NO_CELL or actual == NO_SUCH_LEVEL:
        return None
    value, truth = number_of(figure), number_of(actual)
    if value is None:
        return NO_FIGURE
    if truth is None:
        return NOT_JUDGED
    agrees = judge.near if cell == "latency" else judge.same
    return RIGHT if agrees(truth, value) else WRONG


def marked(figure, verdict):
    return f"{figure}{'!' if verdict == WRONG else ' '}"


class Report:
    """Lines, and the tallies of each paper: {(paper, who): {verdict: count}}."""

    def __init__(self, cells):
        self.cells = cells  # {machine file: {path: cell}}
        self.lines = []
        self.tallies = collections.defaultdict(collections.Counter)
        self.open = {}  # {(machine, what): what is said}, of what hwchar does not know or has wrong

    def said(self, block, row):
        return what_is_said(self.cells[xray_tables.MACHINES[row.machine]], block.structure, block.cell)

    def count(self, table, block, row, said, verdicts):
        for tool, verdict in verdicts.items():
            if verdict:
                self.tallies[table.paper, tool][verdict] += 1
        self.tallies[table.paper, HWCHAR][said.verdict] += 1
        if said.verdict in (UNKNOWN, WRONG):
            self.open[row.machine, block.title] = said

    def row(self, table, block, row, numbers):
        said = self.said(block, row)
        actual = held_against(table, block, row)
        verdicts = {tool: judge_figure(block.cell, actual, figure) for tool, figure in row.figures.items()}
        self.count(table, block, row, said, verdicts)
        figures = "".join(f"{marked(row.figures[tool], verdicts[tool]):>12}" for tool in table.tools)
        note = note_of(table, block, row)
        verdict = "" if said.verdict == NONE else said.verdict
        number = f"({numbers[note.text]})" if note else ""
        return (f"  {row.machine:<18}{row.actual:>8} {figures}{said.model:>9} {marked(said.text, said.verdict):>18} "
                f"{verdict:<9}{number}").rstrip()

    def table(self, table):
        notes = [note_of(table, block, row) for block in table.blocks for row in block.rows]
        numbers = {text: number for number, text in enumerate(dict.fromkeys(n.text for n in notes if n), 1)}
        tools = "".join(f"{tool + ' ':>12}" for tool in table.tools)
        self.lines += ["", f"{table.paper}, {table.name}"]
        for block in table.blocks:
            self.lines += ["", f"{block.title:<20}{'actual':>8} {tools}{'model':>9} {HWCHAR + ' ':>18}".rstrip()]
            self.lines += [self.row(table, block, row, numbers) for row in block.rows]
        self.lines += [""] * bool(numbers)
        for text, number in numbers.items():
            self.lines += textwrap.wrap(text, WIDTH, initial_indent=f"  ({number}) ", subsequent_indent=" " * 6)

    def reasons(self):
        """Of what hwchar does not know or has wrong; a cell that is in both papers stands once."""
        if self.open:
            self.lines += ["", "what hwchar does not know, or has wrong", ""]
        for (machine, title), said in self.open.items():
            head = f"  {machine:<17}{title:<20}{said.verdict:<9}"
            why = said.reason if said.verdict == UNKNOWN else f"says {said.text}, is {said.model}"
            self.lines += textwrap.wrap(why, WIDTH, initial_indent=head, subsequent_indent=" " * len(head)) or [head]

    def totals(self):
        papers = {table.paper: table for table in xray_tables.TABLES}
        self.lines += ["", f"{'totals':<20}" + "".join(f"{verdict:>12}" for verdict in VERDICTS)]
        for paper in papers:
            tables = [table for table in xray_tables.TABLES if table.paper == paper]
            self.lines += ["", f"{paper}, {' and '.join(table.name for table in tables)}"]
            for who in (HWCHAR, *tables[0].tools):
                tally = self.tallies[paper, who]
                counts = "".join(f"{self.total(who, tally, verdict):>12}" for verdict in VERDICTS)
                self.lines.append(f"  {who:<18}{counts}".rstrip())

    @staticmethod
    def total(who, tally, verdict):
        """Blank where there is nothing to count: a tool gives no interval, and hwchar is always judged."""
        asked = (RIGHT, INTERVAL, UNKNOWN, WRONG) if who == HWCHAR else (RIGHT, WRONG, NO_FIGURE, NOT_JUDGED)
        return tally[verdict] if verdict in asked else ""

    def wrong(self):
        return sum(tally[WRONG] for (_, who), tally in self.tallies.items() if who == HWCHAR)


def report_of(cells):
    report = Report(cells)
    report.lines += LEGEND.splitlines()
    for table in xray_tables.TABLES:
        report.table(table)
    report.reasons()
    report.totals()
    return report


def reproduce(hwchar):
    """Print it all; how many cells of hwchar's are wrong."""
    works = [runs.Work(runs.MACHINES / f"{machine}.json", "clock") for machine in xray_tables.MACHINES.values()]
    cells = {work.path.stem: {cell.path: cell for cell in judge.cells(machine_file.read(work.path), profile)}
             for work, profile in runs.profiles(hwchar, works).items()}
    report = report_of(cells)
    print("\n".join(report.lines))
    return report.wrong()
