"""The figures of Dongarra et al., ICCS 2004, from the simulated Itanium 2: their curves as tables and files, and what is
read off them beside what the paper reads off its own, by counters, and by the clock where an event is removed."""
import json
import pathlib
import tempfile

import runs

K = 1024
MACHINE = "itanium2-900"
PROBES = ("papi_cache_size", "papi_cache_block")
SIZE, BLOCK = "papi_cacheSize", "papi_cacheBlock"
TIME = "time of a load"

# (curve, type, name, value): section 3 and the captions.
VALUES = (
    (SIZE, "int", "L1 size", 16 * K), (SIZE, "int", "L2 size", 256 * K), (SIZE, "int", "L3 size", 1536 * K),
    (SIZE, "double", "L2 size", 256 * K), (SIZE, "double", "L3 size", 1536 * K),
    (SIZE, "int", "DTLB1 entries", 32), (SIZE, "int", "DTLB2 entries", 128),
    (BLOCK, "int", "L1 line size", 64), (BLOCK, "int", "L1 associativity", 4),
    (BLOCK, "int", "DTLB1 page size", 4 * K), (BLOCK, "int", "DTLB1 associativity", 32),
    (BLOCK, "int", "L2 line size", 128), (BLOCK, "int", "L2 associativity", 8),
    (BLOCK, "double", "L2 line size", 128), (BLOCK, "double", "L2 associativity", 8),
    (BLOCK, "int", "DTLB2 page size", 16 * K), (BLOCK, "int", "DTLB2 associativity", 128),
)
# Section 4, which leaves them to future work: by the clock alone.
BANKS = (("bank_conflicts", "float", "banks", 16), ("bank_conflicts", "float", "bank width", 16))
# Where misses begin, in Figure 3: counters alone show it at stride one.
REACH = ((SIZE, "int", "DTLB1 reach", 128 * K), (SIZE, "int", "DTLB2 reach", 2048 * K))

# Figure: curve, type, series.
FIGURES = (
    ("Fig. 1. Cache sizes with the integer data type", SIZE, "int", (TIME, "L1 misses", "L2 misses", "L3 misses")),
    ("Fig. 2. Level 2 and 3 cache sizes with the real data type", SIZE, "double", (TIME, "L2 misses", "L3 misses")),
    ("Fig. 3. Level 1 and 2 DTLB sizes with the integer data type", SIZE, "int", (TIME, "DTLB1 misses", "DTLB2 misses")),
    ("Fig. 4. Level 1 cache and TLB with the integer data type", BLOCK, "int", (TIME, "L1 misses", "DTLB1 misses")),
    ("Fig. 5. Level 2 cache and TLB with the integer data type", BLOCK, "int", (TIME, "L2 misses", "DTLB2 misses")),
    ("Fig. 6. Level 2 cache and TLB with the real data type", BLOCK, "double", (TIME, "L2 misses", "DTLB2 misses")),
)
# Removed, one set at a time; the clock then answers for what they count.
REMOVED = {"all": ("l1d_load_miss", "l1d_store_miss", "l1d_miss", "l2_load_miss", "l2_miss", "l3_load_miss", "l3_miss",
                   "dtlb_miss", "dtlb2_miss"),
           "L1": ("l1d_load_miss", "l1d_store_miss", "l1d_miss"), "L2": ("l2_load_miss", "l2_miss"),
           "L3": ("l3_load_miss", "l3_miss"), "DTLB1": ("dtlb_miss",), "DTLB2": ("dtlb2_miss",)}


def machine_without(directory, name, events):
    """The machine's file, without these events."""
    base = json.loads((runs.MACHINES / f"{MACHINE}.json").read_text())
    path = pathlib.Path(directory) / f"{MACHINE}-{name}.json"
    path.write_text(json.dumps({**base, "events": {event: "absent" for event in events}}))
    return path


def curve_of(profile, name, kind):
    return next(c for c in profile["curves"] if c["name"] == name and c["type"] == kind)


def said(profile, curve, kind, name):
    """(value, was it counted?); None where nothing is read off."""
    found = curve_of(profile, curve, kind)
    read = next((r for r in found["read_off"] if r["name"] == name), {})
    series = next((s for s in found["series"] if s["name"] == read.get("series")), {})
    return read.get("value"), series.get("witness") == "counter"


def sampled(series):
    """The points at powers of two."""
    return {int(x): y for x, y in series["points"] if int(x) & (int(x) - 1) == 0}


def short(number):
    return f"{number // (K * K)}M" if number >= K * K else f"{number // K}K" if number >= K else str(number)


def bar(share, width=24):
    return "#" * round(share * width)


def print_figure(profile, title, curve, kind, names):
    """A table of the figure at powers of two, with a bar for the last series."""
    found = curve_of(profile, curve, kind)
    series = {s["name"]: sampled(s) for s in found["series"] if s["name"] in names}
    print(f"\n{title}\n{found['x']['name']:>10}  " + "".join(f"{name:>16}" for name in names))
    most = {name: max(points.values()) or 1 for name, points in series.items()}
    for x in sorted(set().union(*series.values())):
        cells = "".join(f"{series[name].get(x, float('nan')):>16.5f}" for name in names)
        bars = "  ".join(f"{bar(series[name].get(x, 0) / most[name], 12):<12}" for name in names)
        print(f"{short(x):>10}  {cells}   {bars}".rstrip())


def write_figure(directory, number, profile, curve, kind, names):
    """All points of the figure, series by series, as gnuplot reads them."""
    path = directory / f"papi-figure{number}.dat"
    with path.open("w") as file:
        for series in curve_of(profile, curve, kind)["series"]:
            if series["name"] in names:
                file.write(f"# {series['name']} ({series['unit']}): {series.get('how', series.get('witness', ''))}\n")
                file.writelines(f"{x:g} {y:g}\n" for x, y in series["points"])
                file.write("\n\n")
    return path


def levels_of(name):
    return name.split()[0]


def print_row(curve, kind, name, value, cells, differs):
    shown = "".join(f"{'-' if cell is None else cell:>{width}}" for cell, width in zip(cells, (10, 19, 14)))
    print(f"{curve + ', ' + kind:<24}{name:<20}{value:>9}{shown}{'  DIFFERS' if differs else ''}")


def compare(profiles):
    """Print the paper's values beside ours; how many differ. By the clock, each is from a run without its event."""
    wrong = 0
    print(f"\n{'':<44}{'paper':>9}{'counters':>10}{'without the event':>19}{'by the clock':>14}")
    for curve, kind, name, value in VALUES + REACH:
        reach = (curve, kind, name, value) in REACH
        counted, by_counter = said(profiles["counters"], curve, kind, name)
        cells = [counted] + ([] if reach else [said(profiles[levels_of(name)], curve, kind, name)[0],
                                               said(profiles["all"], curve, kind, name)[0]])
        differs = any(cell != value for cell in cells) or not by_counter
        wrong += differs
        print_row(curve, kind, name, value, cells, differs)
    for curve, kind, name, value in BANKS:
        found = said(profiles["counters"], curve, kind, name)[0]
        wrong += found != value
        print_row(curve, kind, name, value, [None, None, found], found != value)
    return wrong


def reproduce(hwchar, output=None):
    """Print it all, with files of the figures in `output`; how many values differ from the paper's."""
    directory = pathlib.Path(output or tempfile.mkdtemp(prefix="papi-figures-"))
    works = {"counters": runs.Work(runs.MACHINES / f"{MACHINE}.json", "counters", 1, (*PROBES, "bank_conflicts"))}
    with tempfile.TemporaryDirectory() as machines:
        for name, events in REMOVED.items():
            works[name] = runs.Work(machine_without(machines, name, events), "counters", 1, PROBES)
        found = runs.profiles(hwchar, list(works.values()))
    profiles = {name: found[work] for name, work in works.items()}
    for number, (title, curve, kind, names) in enumerate(FIGURES, 1):
        print_figure(profiles["counters"], title, curve, kind, names)
        write_figure(directory, number, profiles["counters"], curve, kind, names)
    print(f"\nall points: {directory}/papi-figure*.dat")
    return compare(profiles)
