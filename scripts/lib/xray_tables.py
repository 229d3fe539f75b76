"""What the papers on X-Ray print of memory hierarchies, figure by figure as it stands there.

Yotov, Pingali, Stodghill: Automatic Measurement of Memory Hierarchy Parameters, SIGMETRICS 2005, Tables 2 and 3, and
X-Ray: A Tool for Automatic Measurement of Hardware Parameters, QEST 2005, Table 2. What is no number says why there is
none: n/a and !exist (the tool does not measure it, or the machine has none), empty, abort and build (it ran without an
answer, broke off, was not built), os and !os (not yet on this operating system), ? (not documented)."""
import typing

MACHINES = {
    "Pentium 4": "xray-pentium4", "Itanium 2": "xray-itanium2", "Athlon MP": "xray-athlon-mp",
    "Opteron 240": "xray-opteron-240", "UltraSPARC IIIi": "xray-ultrasparc-iiii", "R12000": "xray-r12000",
    "Power 3": "xray-power3", "ARM SA1110": "xray-sa1110", "xScale PXA250": "xray-pxa250",
    "Xtensa LX": "xray-xtensa-lx", "R4400": "xray-r4400"}


class Row(typing.NamedTuple):
    machine: str   # as the papers call it
    actual: str
    figures: dict  # {tool: what it reported}


class Block(typing.NamedTuple):
    """One parameter: a cell of a structure, as scripts/lib/judge.py names them."""
    title: str
    structure: str
    cell: str
    rows: list


class Note(typing.NamedTuple):
    """Of some cells of a paper: what a reader must know to read them."""
    paper: str
    structure: str
    cells: tuple
    machines: tuple
    text: str
    held_against: dict = {}  # {machine: the value that the figures are held against, where it is not the actual one}


class Table(typing.NamedTuple):
    paper: str
    name: str
    tools: tuple
    blocks: list


def by_machine(title, structure, cell, tools, text):
    """A line for each machine: its name, the actual value, the tools' figures."""
    rows = []
    for line in text.strip().splitlines():
        machine, actual, *figures = line.strip().rsplit(maxsplit=1 + len(tools))
        rows.append(Row(machine, actual, dict(zip(tools, figures, strict=True))))
    return Block(title, structure, cell, rows)


def by_tool(title, structure, cell, machines, tools, text):
    """A line for the actual values, and one for each tool; a word for each machine."""
    actual, *lines = (line.split() for line in text.strip().splitlines())
    figures = [dict(zip(tools, column, strict=True)) for column in zip(*lines, strict=True)]
    return Block(title, structure, cell, [Row(*row) for row in zip(machines, actual, figures, strict=True)])


SIGMETRICS_TOOLS = ("X-Ray", "Calibrator", "lmbench", "MOB")

SIGMETRICS_2 = (
    ("L1 capacity, KB", "L1", "size", """
        Pentium 4         8     8     8     8      8
        Itanium 2        16    16    16    abort   4
        Athlon MP        64    64    64    empty   abort
        Opteron 240      64    64    64    abort   empty
        UltraSPARC IIIi  64    64    64    64      abort
        R12000           32    32    32    32      build
        Power 3          64    64.5  64    64      empty
        """),
    ("L1 block, bytes", "L1", "line_size", """
        Pentium 4        64    64    32    64      abort
        Itanium 2        64    64    64    abort   104
        Athlon MP        64    64    64    empty   abort
        Opteron 240      64    64    32    abort   empty
        UltraSPARC IIIi  32    32    32    32      abort
        R12000           16    16    64    32      build
        Power 3          128   128   128   128     empty
        """),
    ("L1 ways", "L1", "associativity", """
        Pentium 4        4     4     n/a   n/a     empty
        Itanium 2        4     4     n/a   n/a     empty
        Athlon MP        2     2     n/a   n/a     empty
        Opteron 240      2     2     n/a   n/a     empty
        UltraSPARC IIIi  4     4     n/a   n/a     empty
        R12000           2     2     n/a   n/a     empty
        Power 3          128   129   n/a   n/a     empty
        """),
    ("L1 latency, cycles", "L1", "latency", """
        Pentium 4        2     2     2     2       abort
        Itanium 2        2     2     2     abort   5
        Athlon MP        3     3     3     empty   abort
        Opteron 240      3     3     3     abort   empty
        UltraSPARC IIIi  2     2     2     2       abort
        R12000           2     2     2     2       build
        Power 3          2     2     2     2       empty
        """),
    ("L2 capacity, KB", "L2", "size", """
        Pentium 4        512   512   384   512     abort
        Itanium 2        256   256   256   abort   256
        Athlon MP        512   576   384   512     abort
        Opteron 240      1024  1088  768   abort   empty
        UltraSPARC IIIi  512   os    1024  1024    abort
        R12000           512   os    2048  2048    build
        Power 3          512   os    6144  6144    0
        """),
    ("L1 and L2, KB", "L2", "effective_size", """
        Athlon MP        576   576   -     -       -
        Opteron 240      1088  1088  -     -       -
        """),
    ("L2 block, bytes", "L2", "line_size", """
        Pentium 4        128   128   128   128     abort
        Itanium 2        128   128   128   128     empty
        Athlon MP        64    64    64    64      abort
        Opteron 240      64    64    64    64      empty
        UltraSPARC IIIi  64    os    64    64      abort
        R12000           128   os    128   128     build
        Power 3          128   os    128   128     empty
        """),
    ("L2 ways", "L2", "associativity", """
        Pentium 4        8     8     n/a   n/a     empty
        Itanium 2        8     8     n/a   n/a     empty
        Athlon MP        16    18    n/a   n/a     empty
        Opteron 240      16    17    n/a   n/a     empty
        UltraSPARC IIIi  ?     os    n/a   n/a     empty
        R12000           ?     os    n/a   n/a     empty
        Power 3          ?     os    n/a   n/a     empty
        """),
    ("L2 latency, cycles", "L2", "latency", """
        Pentium 4        ?     21    18    20      abort
        Itanium 2        ?     6     4     abort   6
        Athlon MP        ?     36    18    3       abort
        Opteron 240      ?     23    13    abort   empty
        UltraSPARC IIIi  ?     13    12    15      abort
        R12000           ?     14    12    14      build
        Power 3          ?     18    9     17      1
        """),
    ("Memory, cycles", "memory", "latency", """
        Pentium 4        ?     381   372   368     abort
        Itanium 2        ?     298   281   abort   empty
        Athlon MP        ?     471   401   198     abort
        Opteron 240      ?     136   127   abort   empty
        UltraSPARC IIIi  ?     os    164   173     abort
        R12000           ?     os    111   122     build
        Power 3          ?     os    136   161     empty
        """))

SIGMETRICS_3 = (
    ("L3 capacity, KB", "L3", "size", "Itanium 2  6144  6144  6144  abort  4096"),
    ("L3 block, bytes", "L3", "line_size", "Itanium 2  128  128  128  abort  empty"),
    ("L3 ways", "L3", "associativity", "Itanium 2  24  24  n/a  n/a  n/a"),
    ("L3 latency, cycles", "L3", "latency", "Itanium 2  ?  19  14  abort  6"))

QEST_TOOLS = ("X-Ray", "lmbench")
QEST_MACHINES = ("UltraSPARC IIIi", "R12000", "Power 3", "Pentium 4", "Itanium 2", "Athlon MP", "Opteron 240",
                 "ARM SA1110", "xScale PXA250", "Xtensa LX", "R4400")

QEST_2 = (
    ("L1 capacity, KB", "L1", "size", """
        64      32      64      8       16      64      64      8       32      16      16
        64      32      64.5    8       16      64      64      8       32      16      16
        64      32      64      8       16      64      64      8       !os     !os     16
        """),
    ("L1 ways", "L1", "associativity", """
        4       2       128     4       4       2       2       32      32      2       1
        4       2       129     4       4       2       2       32      32      2       1
        !exist  !exist  !exist  !exist  !exist  !exist  !exist  !exist  !os     !os     !exist
        """),
    ("L1 block, bytes", "L1", "line_size", """
        32      16      128     64      64      64      64      32      32      64      16
        32      16      128     64      64      64      64      32      32      64      16
        32      32      128     64      64      64      64      32      !os     !os     16
        """),
    ("L1 latency, cycles", "L1", "latency", """
        2.000   2.000   2.000   2.000   2.000   2.000   3.000   2.000   3.000   2.000   3.000
        2.093   2.011   1.986   4.109   2.009   1.992   3.090   1.993   3.053   1.969   2.956
        2.000   2.010   2.023   2.226   2.005   3.170   3.110   2.002   !os     !os     3.140
        """),
    ("L2 capacity, KB", "L2", "size", """
        1024    2048    6144    512     256     512     1024    n/a     n/a     n/a     n/a
        !os     !os     !os     512     256     576     1088    n/a     n/a     n/a     n/a
        1024    2048    6144    512     256     512     1536    n/a     n/a     n/a     n/a
        """),
    ("L2 ways", "L2", "associativity", """
        ?       ?       ?       8       8       16      16      n/a     n/a     n/a     n/a
        !os     !os     !os     8       8       18      17      n/a     n/a     n/a     n/a
        !exist  !exist  !exist  !exist  !exist  !exist  !exist  n/a     n/a     n/a     n/a
        """),
    ("L2 block, bytes", "L2", "line_size", """
        64      128     128     128     128     64      64      n/a     n/a     n/a     n/a
        !os     !os     !os     128     128     64      64      n/a     n/a     n/a     n/a
        64      128     128     128     128     64      64      n/a     n/a     n/a     n/a
        """),
    ("L2 latency, cycles", "L2", "latency", """
        ?       ?       ?       ?       6.000   ?       ?       n/a     n/a     n/a     n/a
        !os     !os     !os     41.530  5.980   36.000  22.800  n/a     n/a     n/a     n/a
        4.410   13.860  17.190  20.360  6.104   19.907  9.819   n/a     n/a     n/a     n/a
        """),
    ("Memory, cycles", "memory", "latency", """
        ?       ?       ?       ?       ?       ?       ?       ?       ?       ?       ?
        !os     761.920 !os     36.747  297.650 471.350 136.210 41.259  134.986 10.793  13.820
        172.810 122.060 18.317  17.963  301.878 432.911 140.947 41.805  !os     !os     15.060
        """))

QEST_EFFECTIVE = ("L1 and L2, KB", "L2", "effective_size", """
        Athlon MP        576   576   -
        Opteron 240      1088  1088  -
        """)


def qest_blocks():
    blocks = [by_tool(title, structure, cell, QEST_MACHINES, QEST_TOOLS, text)
              for title, structure, cell, text in QEST_2]
    title, structure, cell, text = QEST_EFFECTIVE
    after = 1 + next(i for i, block in enumerate(blocks) if (block.structure, block.cell) == ("L2", "size"))
    return [*blocks[:after], by_machine(title, structure, cell, QEST_TOOLS, text), *blocks[after:]]


SIGMETRICS, QEST = "SIGMETRICS 2005", "QEST 2005"
EXCLUSIVE = ("Athlon MP", "Opteron 240")
NOTES = (
    Note(SIGMETRICS, "L2", ("size",), ("UltraSPARC IIIi", "R12000", "Power 3"),
         "QEST 2005 has 1024, 2048 and 6144 as actual, which the tools report here, too: they are held against these",
         {"UltraSPARC IIIi": "1024", "R12000": "2048", "Power 3": "6144"}),
    Note(SIGMETRICS, "L2", ("size", "associativity"), EXCLUSIVE,
         "X-Ray's figure is of L1 and L2 together (8.2): wrong for L2 alone, its capacity right under \"L1 and L2\""),
    Note(SIGMETRICS, "L2", ("effective_size",), EXCLUSIVE,
         "no row of the table: 8.2 has the sum, and X-Ray's figure is the one that stands under \"L2 capacity\""),
    Note(QEST, "L2", ("size", "associativity"), EXCLUSIVE,
         "X-Ray's figure is of L1 and L2 together (5.5): wrong for L2 alone, its capacity right under \"L1 and L2\""),
    Note(QEST, "L2", ("effective_size",), EXCLUSIVE,
         "no row of the table: 5.5 has the sum, and X-Ray's figure is the one that stands under \"L2 capacity\""),
    Note(QEST, "L1", ("latency",), ("Pentium 4",),
         "X-Ray takes the clock to be twice as fast as it is (5.3): its cycles are half as long"),
    Note(QEST, "L1", ("latency",), ("Athlon MP",),
         "SIGMETRICS 2005 has 3 as actual, and by X-Ray and Calibrator, too: the tools are held against it",
         {"Athlon MP": "3"}),
    Note(QEST, "memory", ("latency",), ("R12000", "Power 3", "Pentium 4"),
         "as the text at hand has them; SIGMETRICS 2005 has, by X-Ray, 381 for Pentium 4, which is half of 761.92, and "
         "by lmbench 161 for Power 3 and 368 for Pentium 4"))

TABLES = (
    Table(SIGMETRICS, "Table 2", SIGMETRICS_TOOLS, [by_machine(*block[:3], SIGMETRICS_TOOLS, block[3])
                                                    for block in SIGMETRICS_2]),
    Table(SIGMETRICS, "Table 3", SIGMETRICS_TOOLS, [by_machine(*block[:3], SIGMETRICS_TOOLS, block[3])
                                                    for block in SIGMETRICS_3]),
    Table(QEST, "Table 2", QEST_TOOLS, qest_blocks()))
