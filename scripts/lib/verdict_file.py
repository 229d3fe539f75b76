"""The expected verdicts of one machine: a text that a person reads in a diff, one line a cell.

    # scripts/verdicts --update wrote this; seeds 1,2,3; see README.md
    # cell        counters   clock
    L1.size       right      right
    L2.size       right      right,right,null:undecided

Of several seeds, one word stands for all where they agree; else there is one for each, in their order."""
import re
import typing

WITNESSES = ("counters", "clock")
COMMENT = "#"
# What says more ranks higher. Below all: no value, whatever the reason.
RANKS = {"right": 3, "class": 2, "interval": 1}
GROUPS = tuple(re.compile(group + "$") for group in (
    r"L(\d+)", r"L(\d+)i", r"DTLB(\d+)", r"DTLB(\d+)-large", r"ITLB(\d+)", r"ITLB(\d+)-large", r"BTB(\d+)", r"memory",
    r"core"))


class Fault(Exception):
    """A file that does not have the form."""


class Difference(typing.NamedTuple):
    path: str
    witness: str
    seed: int
    expected: str
    found: str
    change: str  # wrong | lost | gone | improved | new | changed


def place(structure):
    """Where a structure comes in the order of reading; those that no group has come last."""
    for i, group in enumerate(GROUPS):
        match = group.match(structure)
        if match:
            return i, int(match[1]) if match.groups() else 0, structure
    return len(GROUPS), 0, structure


def in_order(verdicts, cell_order):
    """Paths in the order of a person's reading."""
    def rank(path):
        structure, name = path.split(".", 1)
        return place(structure), cell_order.index(name) if name in cell_order else len(cell_order), path

    return {path: verdicts[path] for path in sorted(verdicts, key=rank)}


def table(runs, cell_order):
    """{path: {witness: {seed: verdict}}} of {(witness, seed): cells}; what one run lacks of another is absent."""
    verdicts = in_order({cell.path: {} for cells in runs.values() for cell in cells}, cell_order)
    for (witness, seed), cells in runs.items():
        found = {cell.path: cell.verdict for cell in cells}
        for path, row in verdicts.items():
            row.setdefault(witness, {})[seed] = found.get(path, "absent")
    return verdicts


def without_wrong(verdicts):
    """A file of expectations never expects a wrong value: such a cell has no line."""
    return {path: row for path, row in verdicts.items()
            if all(verdict != "wrong" for of_seed in row.values() for verdict in of_seed.values())}


def words(of_seed, seeds):
    each = [of_seed[seed] for seed in seeds]
    return each[0] if len(set(each)) == 1 else ",".join(each)


def dump(verdicts, seeds):
    rows = [("# cell", *WITNESSES)]
    rows += [(path, *(words(row[witness], seeds) for witness in WITNESSES)) for path, row in verdicts.items()]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    lines = [f"{path:<{widths[0]}}  {counters:<{widths[1]}}  {clock}" for path, counters, clock in rows]
    header = f"# scripts/verdicts --update wrote this; seeds {','.join(map(str, seeds))}; see README.md"
    return "\n".join([header, *lines]) + "\n"


def parse_words(text, seeds):
    each = text.split(",")
    if len(each) not in (1, len(seeds)):
        raise Fault(f"{text}: neither one word nor {len(seeds)}")
    return dict(zip(seeds, each * len(seeds) if len(each) == 1 else each))


def parse(text):
    """(verdicts, seeds)"""
    header = re.match(r"# .*; seeds (\d+(?:,\d+)*);", text)
    if not header:
        raise Fault("its first line does not name seeds")
    seeds = [int(seed) for seed in header[1].split(",")]
    verdicts = {}
    for line in text.splitlines():
        columns = line.split()
        if not columns or columns[0].startswith(COMMENT):
            continue
        if len(columns) != 1 + len(WITNESSES) or columns[0] in verdicts:
            raise Fault(f"{line!r} is no line of a cell and its verdicts, or comes twice")
        verdicts[columns[0]] = {w: parse_words(word, seeds) for w, word in zip(WITNESSES, columns[1:])}
    return verdicts, seeds


def change(expected, found):
    """What has become of a cell; None where it is as expected. A wrong value is never as expected."""
    if found == "wrong":
        return "wrong"
    if expected == found:
        return None
    if expected is None or found is None:
        return "new" if expected is None else "gone"
    before, after = RANKS.get(expected, 0), RANKS.get(found, 0)
    return "lost" if after < before else "improved" if after > before else "changed"


def only_elsewhere(row):
    """Is this a cell that some of the file's witnesses and seeds have, and others do not?"""
    return any(verdict != "absent" for of_seed in row.values() for verdict in of_seed.values())


def compare(expected, found, witnesses, seeds):
    """The cells, witnesses and seeds at which the two differ."""
    differences = []
    for path in dict.fromkeys([*found, *expected]):
        for witness in witnesses:
            for seed in seeds:
                old, new = (side.get(path, {}).get(witness, {}).get(seed) for side in (expected, found))
                if path not in found and old == "absent" and only_elsewhere(expected[path]):
                    new = "absent"
                what = change(old, new)
                if what:
                    differences.append(Difference(path, witness, seed, old, new, what))
    return differences
