"""The tables of the paper on FIRA (forward initialisation, reverse access), beside what hwchar's probes of FIRA and of
Saavedra's method say of the paper's machines.

machines/fira-*.json have the latencies that hardware has from load to use. The paper's are of loads that overlap: they
are put in their place for a second run of each machine, and must come back out exactly."""
import json
import pathlib
import tempfile
import typing

import runs

# Table 1: access times of the levels and of memory in cycles, and GHz. Arrandale's are of Table 2.
TIMES = {"Prescott": ("fira-prescott", (1, 17), 358, 2.80), "Conroe": ("fira-conroe", (1, 21), 298, 2.20),
         "Clovertown": ("fira-clovertown", (1, 13), 249, 2.33), "Clarkdale": ("fira-clarkdale", (2, 4, 19), 360, 2.93),
         "Nehalem-EP": ("fira-nehalem-ep", (2, 4, 7), 125, 2.93),
         "Arrandale": ("fira-arrandale", (2, 4, 6), None, None)}
# Table 2: mean and standard deviation, by level.
STATISTICS = {"Prescott": ((1.45, 1.30), (16.96, 5.36)), "Conroe": ((1, 0), (21.05, 2.86)),
              "Clovertown": ((1.04, 0.40), (13.33, 1.10)), "Nehalem-EP": ((2, 0), (4.37, 0.50), (7.09, 0.50)),
              "Arrandale": ((2, 0), (4.00, 0.10), (6.02, 0.50))}
# Table 3: level, misses expected and measured, accuracy in percent.
MISSES = {"Conroe": ((1, 32256, 31618, 98),), "Arrandale": ((1, 3584, 2912, 81), (2, 45056, 3975, 8))}
# Table 4: average memory access times in ns, of the first level, the second, and the third or last.
AVERAGES = {"Clovertown": (1.8, 4.5, 4.5), "Conroe": (2.2, 9, 9), "Nehalem-EP": (1.8, 2.2, 8), "Prescott": (2, 10, 10)}

LRU = ("Prescott", "Conroe", "Clovertown")  # the others are of the Nehalem family
POLICY = "bit-plru"  # of that family's last level (nanoBench: MRU)
LEAST_OF_LRU = 98  # percent: what the paper has on an LRU machine
PREFETCHERS = ["stride", "stream"]  # one that brings lines into the first level, one into the second
ONE_LINE, RANDOM = "back by one line", "random order"


class Report:
    """Counts what differs."""
    def __init__(self):
        self.wrong = 0

    def mark(self, holds):
        self.wrong += not holds
        return "" if holds else "!"

    def state(self, holds, statement):
        print(f"  {statement}{'' if holds else ': DIFFERS'}")
        self.wrong += not holds


class Machine(typing.NamedTuple):
    profile: dict
    description: dict

    def curve(self, kind):
        return next(c for c in self.profile["curves"] if c["name"] == "fira" and c["type"] == kind)

    def series(self, name, kind=RANDOM):
        """{level: value}"""
        found = (s for s in self.curve(kind)["series"] if s["name"] == name)
        return {int(level): value for level, value in next(found, {"points": []})["points"]}

    def keeps_as_lru(self, level):
        """Whether FIRA says that the level keeps what LRU keeps; None where it says neither."""
        name = f"L{level} keeps what LRU keeps"
        return next((bool(r["value"]) for r in self.curve(RANDOM)["read_off"]
                     if r["name"] == name and r.get("value") is not None), None)

    def caches(self):
        return sorted((c for c in self.description["caches"] if c["kind"] != "instruction"), key=lambda c: c["level"])

    def latency(self, level):
        """FIRA's where it holds, the latency probe's where FIRA says that its own is none; and whose it is."""
        if level <= len(self.caches()) and self.keeps_as_lru(level) is False:
            cache = next(c for c in self.profile["caches"] if c["kind"] == "data" and c["level"] == level)
            return cache["latency"]["value"], "*"
        return self.series("latency, median").get(level), ""


def description_of(name):
    return json.loads((runs.MACHINES / f"{name}.json").read_text())


def with_the_papers_latencies(description, times, memory):
    for cache in description["caches"]:
        cache["latency"] = times[cache["level"] - 1]
    if memory:
        description["memory_latency"] = memory
    return description


def with_prefetchers(description):
    return dict(description, prefetch=PREFETCHERS)


def run_all(hwchar, descriptions, arguments):
    """{name: Machine}, by counters."""
    with tempfile.TemporaryDirectory() as folder:
        works = {}
        for name, description in descriptions.items():
            path = pathlib.Path(folder) / f"{name}.json"
            path.write_text(json.dumps(description))
            works[runs.Work(path, "counters", 1, arguments)] = name
        return {works[work]: Machine(profile, descriptions[works[work]])
                for work, profile in runs.profiles(hwchar, list(works)).items()}


def is_exactly(found, expected):
    """Whole cycles, as the paper has them."""
    return found is not None and round(found) == expected


def show(value):
    return "-" if value is None else f"{value:g}"


def print_row(name, whose, cells):
    print(f"  {name:<11} {whose:<9}" + "".join(f"{cell:>10}" for cell in cells).rstrip())


def cells_of_latencies(report, machine, expected, memory, levels=3):
    """A cell for each level, and memory."""
    cells = []
    for level in range(1, levels + 1):
        if level > len(expected):
            cells.append("-")
            continue
        found, whose = machine.latency(level)
        cells.append(f"{show(found)}{whose}{report.mark(is_exactly(found, expected[level - 1]))}")
    found, _ = machine.latency(len(expected) + 1)
    return cells + [f"{show(found)}{report.mark(is_exactly(found, memory))}" if memory else "-"]


def table_1(report, papers, files):
    print("Table 1: access times in cycles (* by the latency probe, as FIRA says that the level is not LRU)\n")
    print_row("", "", ("L1", "L2", "L3", "RAM"))
    for name, (_, times, memory, _) in TIMES.items():
        print_row(name, "paper", [show(t) for t in (*times, *(None,) * (3 - len(times)), memory)])
        print_row("", "hwchar", cells_of_latencies(report, papers[name], times, memory))
    print("\nthe same from load to use, as the machine files have them\n")
    for name, machine in files.items():
        times = [cache["latency"] for cache in machine.caches()]
        memory = machine.description["memory_latency"]
        print_row(name, "file", [show(t) for t in (*times, *(None,) * (3 - len(times)), memory)])
        print_row("", "hwchar", cells_of_latencies(report, machine, times, memory))


def table_2(report, papers):
    """Levels that are not LRU are mixtures: shown, and held against nothing."""
    print("\nTable 2: mean and standard deviation over the runs, in cycles (~ a mixture of hits and misses)\n")
    print_row("", "", ("L1", "", "L2", "", "L3", ""))
    for name, statistics in STATISTICS.items():
        machine, cells = papers[name], []
        means, deviations = machine.series("latency, mean"), machine.series("latency, deviation")
        for level, cycles in enumerate(TIMES[name][1], 1):
            lru = machine.keeps_as_lru(level)
            holds = lru is False or abs(means[level] - cycles) <= max(0.5, deviations[level])
            cells += [f"{means[level]:g}{'~' if lru is False else report.mark(holds)}", f"{deviations[level]:g}"]
        print_row(name, "paper", [show(figure) for pair in statistics for figure in pair])
        print_row("", "hwchar", cells)


def print_misses(report, whose, machine, level, expected, judged):
    counted, accuracy = machine.series("misses")[level], machine.series("accuracy of misses")[level]
    right = machine.series("expected misses")[level] == expected and (not judged or accuracy >= LEAST_OF_LRU)
    print_row("", whose, (f"L{level}", show(machine.series("expected misses")[level]), show(counted),
                          f"{accuracy:.0f} %{report.mark(right)}"))


def print_prefetched(report, machine, level, expected):
    """What prefetchers bring where lines come one after the other, and not in random order."""
    for whose, kind, most in ("in order*", ONE_LINE, 90), ("random*", RANDOM, 101):
        counted = machine.series("misses", kind)[level]
        share = 100 * counted / expected
        holds = share < most and (kind == ONE_LINE or share >= LEAST_OF_LRU)
        print_row("", whose, (f"L{level}", expected, show(counted), f"{share:.0f} %{report.mark(holds)}"))


def table_3(report, files, prefetched):
    print("\nTable 3: misses of a level in the phase after its own\n")
    print_row("", "", ("", "expected", "counted", "accuracy"))
    for name, rows in MISSES.items():
        for level, expected, measured, accuracy in rows:
            print_row(name, "paper", (f"L{level}", expected, measured, f"{accuracy} %"))
            print_misses(report, "hwchar", files[name], level, expected, True)
            if name in prefetched:
                print_prefetched(report, prefetched[name], level, expected)
    print("\n  * with prefetchers (" + ", ".join(PREFETCHERS) + ") on the same machine. Whatever the policy, a level "
          "holds none of\n  the lines of the next phase unless something brings them before they are read")
    print("\nhits of a level in its own phase: what the policy decides\n")
    print_row("", "", ("", "expected", "counted", "accuracy"))
    for name, machine in files.items():
        for level in range(1, len(machine.caches()) + 1):
            print_row(name if level == 1 else "", "hwchar",
                      (f"L{level}", show(machine.series("expected hits")[level]), show(machine.series("hits")[level]),
                       f"{machine.series('accuracy of hits')[level]:.0f} %"))


def statements(report, files):
    print("\nwhat FIRA says of the policies, and what the replacement probe says\n")
    for name, machine in files.items():
        for cache in machine.caches():
            level, lru = cache["level"], machine.keeps_as_lru(cache["level"])
            accuracy = machine.series("accuracy of hits")[level]
            named = next(c["replacement"]["value"] for c in machine.profile["caches"]
                         if c["kind"] == "data" and c["level"] == level)
            simple = cache["replacement"] != POLICY
            words = {True: "as LRU", False: "not LRU", None: "open"}[lru]
            report.state(lru is simple and (accuracy >= LEAST_OF_LRU) is simple and
                         cache["replacement"] in str(named).split("|"), f"{name:<11} L{level} {words:<8} {named}")
    for name in LRU:
        report.state(all(c["replacement"] == "lru" for c in files[name].caches()), f"{name:<11} is LRU throughout")


def table_4(report, files):
    """The averages are of other machines' clocks and of overlapping loads; what is held against the file are sizes."""
    print("\nTable 4: average memory access times in ns, read off Saavedra's surface; the largest arrays that fit in "
          "KiB, line in bytes\n")
    print_row("", "", ("L1", "L2", "last", "L1 size", "L2 size", "line"))
    for name, averages in AVERAGES.items():
        machine = files[name]
        curve = next(c for c in machine.profile["curves"] if c["name"] == "saavedra")
        read = dict.fromkeys(("L1 time", "L2 time", "L3 time", "L1 size", "L2 size", "line size"), 0)
        read.update((r["name"], r.get("value") or r.get("low", 0)) for r in curve["read_off"])
        sizes = [c["size"] for c in machine.caches()]
        nanoseconds = [read[what] / TIMES[name][3] for what in ("L1 time", "L2 time", f"L{len(sizes)} time")]
        holds = (read["L1 size"], read["L2 size"], read["line size"]) == (*sizes[:2], machine.caches()[0]["line_size"])
        print_row(name, "paper", [show(a) for a in averages])
        print_row("", "hwchar", [f"{n:.1f}" for n in nanoseconds] + [show(read[what] / 1024) for what in (
            "L1 size", "L2 size")] + [show(read["line size"]) + report.mark(holds)])


def reproduce(hwchar):
    report = Report()
    originals = {name: description_of(machine) for name, (machine, *_) in TIMES.items()}
    files = run_all(hwchar, originals, ("fira", "saavedra"))
    papers = run_all(hwchar, {name: with_the_papers_latencies(description_of(machine), times, memory)
                              for name, (machine, times, memory, _) in TIMES.items()}, ("fira",))
    prefetched = run_all(hwchar, {"Arrandale": with_prefetchers(originals["Arrandale"])}, ("fira",))
    table_1(report, papers, files)
    table_2(report, papers)
    table_3(report, files, prefetched)
    statements(report, files)
    table_4(report, files)
    return report.wrong
