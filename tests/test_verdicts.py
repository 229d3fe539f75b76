"""The judge itself: doctored profiles of one machine, cell by cell, and what scripts/verdicts makes of a difference."""
import copy
import pathlib
import sys
import tempfile

from harness import ROOT, main, run, write_json

sys.path.insert(0, str(ROOT / "scripts/lib"))
import judge
import verdict_file
from truth import truths

MIB = 1 << 20
MACHINE = {
    "schema": "hwchar-machine/1", "name": "a judge's machine", "frequency_mhz": 2000, "memory_latency": 200,
    "prefetch": ["next-line", "stream"],  # the second level is exclusive, and takes nothing in
    "memory_bandwidth": 5, "cpus": 8,
    "page_size": 4096, "superpages": [2 * MIB],
    "caches": [
        {"level": 1, "kind": "data", "size": 32768, "line_size": 64, "associativity": 8, "latency": 4,
         "bandwidth": 32, "replacement": "tree-plru", "write_allocate": False, "bypass": ["float"]},
        {"level": 1, "kind": "instruction", "size": 16384, "line_size": 32, "associativity": 4, "latency": 4},
        {"level": 2, "kind": "unified", "size": 524288, "line_size": 64, "associativity": 16, "latency": 14,
         "bandwidth": 16, "replacement": {"duel": ["lru", "srrip"], "leaders": 32}, "inclusion": "exclusive"},
        {"level": 3, "kind": "unified", "size": 4 * MIB, "line_size": 64, "associativity": 1, "latency": 50,
         "bandwidth": 15, "write_back": False, "shared_by": 8}],
    "tlbs": [
        {"level": 1, "kind": "data", "entries": 64, "associativity": 4, "page_size": 8192, "sub_pages": 2,
         "miss_penalty": 7},
        {"level": 1, "kind": "data", "entries": 32, "associativity": 32, "page_size": 2 * MIB, "miss_penalty": 7},
        {"level": 1, "kind": "instruction", "entries": 128, "associativity": 8, "page_size": 4096, "miss_penalty": 9},
        {"level": 2, "kind": "unified", "entries": 1536, "associativity": 12, "replacement": "srrip",
         "miss_penalty": 30}],
    "btb": [{"level": 1, "entries": 512, "associativity": 4, "miss_penalty": 3},
            {"level": 2, "entries": 4096, "associativity": 8, "miss_penalty": 8}]}

# Cell, what is right, what is wrong.
VALUES = (
    ("L1.line_size", 64, 32), ("L1.size", 32768, 65536), ("L1.associativity", 8, 4), ("L1.latency", 4.3, 4.6),
    ("L1.miss_penalty", 10.9, 11.1), ("L1.effective_size", 32768, 65536), ("L1.replacement", "tree-plru", "lru"),
    ("L1.write_allocate", False, True), ("L1.write_back", True, False), ("L1.unified", False, True),
    ("L1.bypassed_by_float", True, False), ("L2.bypassed_by_float", False, True),
    ("L2.replacement", "adaptive", "lru"), ("L2.effective_size", 557056, 524288), ("L2.miss_penalty", 36, 186),
    ("L2.write_allocate", False, True), ("L2.unified", True, False), ("L2.inclusion", "exclusive", "nine"),
    ("L1.bandwidth", 60000, 32), ("L2.write_bandwidth", 32000, 10000), ("L2.copy_bandwidth", 33000, 64000),
    ("L3.bandwidth", 30000, 10000), ("L3.write_bandwidth", 10000, 30000), ("L3.copy_bandwidth", 15000, 20000),
    ("memory.bandwidth", 10500, 30000), ("memory.copy_bandwidth", 10000, 12000),
    ("L1.shared_by", 1, 2), ("L3.shared_by", 8, 4), ("L3.write_back", False, True), ("L3.miss_penalty", 150, 36), ("L3.inclusion", "nine", "inclusive"),
    ("L1i.line_size", 32, 64), ("L1i.size", 16384, 32768), ("L1i.associativity", 4, 8), ("L1i.latency", 4, 14),
    ("L1i.replacement", "lru", "fifo"),
    ("DTLB1.page_size", 8192, 4096), ("DTLB1.entries", 64, 32), ("DTLB1.associativity", 4, 64),
    ("DTLB1.replacement", "lru", "srrip"), ("DTLB1.miss_penalty", 7.5, 9), ("DTLB1.unified", False, True),
    ("DTLB1.sub_page_size", 4096, 8192), ("DTLB1.shared_by_page_sizes", False, True),
    ("DTLB2.page_size", 4096, 8192), ("DTLB2.entries", 1536, 64), ("DTLB2.unified", True, False),
    ("DTLB2.shared_by_page_sizes", True, False), ("DTLB2.replacement", "srrip", "lru"), ("DTLB2.miss_penalty", 30, 37),
    ("DTLB1-large.page_size", 2 * MIB, 4096), ("DTLB1-large.entries", 32, 64), ("DTLB1-large.associativity", 32, 4),
    ("ITLB1.page_size", 4096, 8192), ("ITLB1.entries", 128, 64), ("ITLB1.associativity", 8, 4),
    ("ITLB1.miss_penalty", 9, 7), ("ITLB1.shared_by_page_sizes", False, True), ("ITLB2.entries", 1536, 128),
    ("BTB1.entries", 512, 4096), ("BTB1.miss_penalty", 3, 8), ("BTB2.entries", 4096, 512), ("BTB2.associativity", 8, 4),
    ("BTB2.miss_penalty", 8, 3),
    ("memory.page_size", 4096, 8192), ("memory.huge_page_size", 2 * MIB, MIB),
    ("memory.effective_page_size", 2 * MIB, 4096), ("memory.latency", 190, 50), ("core.frequency", 2010, 1000),
    ("core.prefetch_next_line", "L1", "none"), ("core.prefetch_line_pair", "none", "L2"),
    ("core.prefetch_stride", "none", "L1"), ("core.prefetch_stream", "none", "L2"))
# A value where the machine has nothing.
INVENTED = (("L4.size", 8 * MIB), ("L4.latency", 90), ("L3.replacement", "lru"), ("L1.inclusion", "inclusive"),
            ("L2i.size", 65536), ("ITLB1-large.entries", 8), ("BTB3.entries", 8192), ("DTLB3.entries", 64),
            ("ITLB1.sub_page_size", 2048))
CLASSES = (({"value": "lru", "alternatives": ["tree-plru"]}, "class"), ({"value": "fifo|tree-plru"}, "class"),
           ({"value": "tree-plru", "alternatives": ["lru"]}, "right"), ({"value": "fifo|lru"}, "wrong"),
           ({"value": "lru", "alternatives": ["fifo"]}, "wrong"))
INTERVALS = (("L2.size", 500000, 600000, "interval"), ("L2.size", 524288, 524288, "interval"),
             ("L2.size", 524289, 600000, "wrong"), ("L2.size", 400000, 524287, "wrong"),
             ("L2.size", 600000, None, "wrong"), ("L2.size", None, 600000, "interval"),
             ("memory.latency", 150, 250, "interval"), ("L4.size", 1, 1e9, "wrong"), ("L1.replacement", 1, 2, "wrong"))
REASONS = (("the votes disagree: 4 of 8 alike (64)", "undecided"),
           ("neither a counter nor a clock can answer here", "unavailable"),
           ("footprints of 3.4 MiB fit, of 4.2 MiB do not; more cannot be told while the physical order of pages is "
            "unknown: contiguous huge pages would help", "unavailable"),
           ("no counter of the lines that it writes back can be believed here, and by the clock only the first level "
            "can be told", "unavailable"),
           ("the level's geometry is not known", "depends"),
           ("the geometry of the level above is not known, and it hides this one", "depends"),
           ("time shows no step where its misses would begin", "nothing"),
           ("a direct-mapped level has none", "nothing"),
           ("no policy that is known predicts what is counted", "inconclusive"),
           ("12 lines compete where sets have 16 ways", "inconclusive"), ("hic sunt dracones", "other"))


def structure_of(profile, name):
    """The profile's structure of this name, made where it is not there."""
    group, _, large = name.partition("-")
    if name in ("memory", "core"):
        return profile[name]
    if group.startswith("BTB"):
        profile["core"].setdefault("btb", []).append({"level": int(group[3:])})
        return profile["core"]["btb"][-1]
    if "TLB" in group:
        kind = "data" if group[0] == "D" else "instruction"
        if large:  # they follow those of ordinary pages
            profile["tlbs"].append({"level": 1, "kind": kind})
        profile["tlbs"].append({"level": int(group[4:]), "kind": kind})
        return profile["tlbs"][-1]
    kind = "instruction" if group.endswith("i") else "data"
    profile["caches"].append({"level": int(group[1:].rstrip("i")), "kind": kind})
    return profile["caches"][-1]


def profile_with(*findings):
    """A profile that says nothing but these: (cell, finding)."""
    profile, structures = {"caches": [], "tlbs": [], "memory": {}, "core": {}}, {}
    for path, finding in findings:
        name, cell = path.split(".")
        if name not in structures:
            structures[name] = structure_of(profile, name)
        structures[name][cell] = finding
    return profile


def verdicts_of(profile, machine=MACHINE):
    return {cell.path: cell.verdict for cell in judge.cells(machine, profile)}


def verdict_of(path, finding, machine=MACHINE):
    return verdicts_of(profile_with((path, finding)), machine)[path]


def what_is_true_is_right_and_what_is_not_is_wrong():
    for path, right, wrong in VALUES:
        assert verdict_of(path, {"value": right}) == "right", path
        assert verdict_of(path, {"value": wrong}) == "wrong", path
        assert verdict_of(path, {"value": "words"}) == "wrong", path


def every_cell_is_judged():
    """The table above has all of them, and so has the judge's answer to a profile that says nothing."""
    assert set(judge.CELLS) == {path.split(".")[1] for path, _, _ in VALUES}
    missing = {path for path, _, _ in VALUES} - set(verdicts_of(profile_with()))
    assert not missing, missing


def values_for_what_is_not_there_are_wrong():
    for path, value in INVENTED:
        assert verdict_of(path, {"value": value}) == "wrong", path
        assert verdict_of(path, {"value": None, "reason": "time shows no step"}) == "null:nothing", path
    small = {**MACHINE, "superpages": []}
    for path in ("memory.huge_page_size", "memory.effective_page_size", "DTLB1.shared_by_page_sizes"):
        assert verdict_of(path, {"value": 0 == 1}, small) == "wrong", path


def a_level_said_twice_is_one_too_many():
    profile = profile_with(("L1.size", {"value": 32768}))
    profile["caches"] *= 2
    verdicts = verdicts_of(profile)
    assert verdicts["L1.size"] == "right" and verdicts["L1-again.size"] == "wrong", verdicts


def a_level_is_held_against_its_own_and_no_other():
    found = verdicts_of(profile_with(("BTB1.entries", {"value": 4096}), ("BTB1.miss_penalty", {"value": 8})))
    assert [found[f"BTB1.{key}"] for key in ("entries", "miss_penalty")] == ["wrong", "wrong"], found
    assert [found[f"BTB2.{key}"] for key in ("entries", "miss_penalty")] == ["absent", "absent"], found


def a_policy_is_right_by_its_own_name_only():
    for finding, verdict in CLASSES:
        assert verdict_of("L1.replacement", finding) == verdict, finding


def bounds_hold_the_truth_or_are_wrong():
    for path, low, high, verdict in INTERVALS:
        finding = {"value": None, "low": low, "high": high, "reason": "the votes disagree"}
        assert verdict_of(path, finding) == verdict, (path, low, high)


def no_value_has_the_kind_of_its_reason():
    for reason, kind in REASONS:
        assert verdict_of("L1.size", {"value": None, "reason": reason}) == f"null:{kind}", reason
    assert {kind for kind, _ in judge.KINDS} | {"other"} == {kind for _, kind in REASONS}
    said = {"value": None, "reason": "the votes disagree", "kind": "unavailable"}
    assert verdict_of("L1.size", said) == "null:unavailable"


def recording(left, usual=0):
    """Of four rounds: lines of 1000 that stayed of 2 MiB when it had been brought in, 1 ms and 10 ms later; and by how
    much references took longer than in a quiet round, in two of them, as a share."""
    def looks(cycles, index):
        passes = [[cycles * 100 * (usual if busy else 0)] * 16 for busy in (False, False, True, True)]
        return {"bytes": [8 << 10, 128 << 10, 2 * MIB, 64 * MIB][index], "pass": 100, "cycles": cycles,
                "lost_from": 1000, "references": [[0] * 32] * 4, "passes": passes}

    lost = [0, 0, 0, *(1000 - n for n in left)]
    return {"schema": "hwchar-noise/1", "cycles_per_ns": 2, "clock_step": 2, "probed": 1000, "waited": [0, 1000, 10000],
            "footprints": [looks(cycles, i) for i, cycles in enumerate((4, 14, 50, 200))],
            "rounds": [{"lost": lost}] * 4}


def on_noisy_machine(test):
    """Calls it with a function that makes the machine noisy."""
    def tested():
        with tempfile.TemporaryDirectory() as directory:
            def noisy(machine=MACHINE, **recorded):
                path = pathlib.Path(directory) / f"{len(list(pathlib.Path(directory).iterdir()))}.json"
                return {**machine, "noise": {"recording": str(write_json(path, recording(**recorded)))}}
            test(noisy)
    tested.__name__ = test.__name__
    return tested


def of_size(path, machine, low, high):
    return verdict_of(path, {"value": None, "low": low, "high": high, "reason": "the votes disagree"}, machine)


@on_noisy_machine
def what_neighbours_leave_is_a_level_s_effective_size(noisy):
    # Half is lost in a millisecond, and a line comes from memory in 100 ns: 14427 lines are kept, of 65536, if many more
    # are used, and 13674 of four times 65536.
    kept, of_four_times, of_pairs = 923325, 875161, 1663545
    machine = noisy(MACHINE | {"prefetch": "stream"}, left=(1000, 500, 5))
    for low, high, verdict in ((800000, MIB, "interval"), (MIB, 3 * MIB, "wrong"), (400000, 800000, "wrong"),
                               (3 * MIB, 5 * MIB, "interval"), (200000, MIB, "null:inconclusive"),
                               (800000, None, "null:inconclusive")):
        assert of_size("L3.effective_size", machine, low, high) == verdict, (low, high)
        assert of_size("L3.effective_size", MACHINE, low, high) == ("interval" if (high or 5 * MIB) > 4 * MIB
                                                                    else "wrong"), (low, high)
    truth = truths(machine)["L3"]["effective_size"]
    assert abs(truth.low - of_four_times) < 64 and abs(truth.high - kept) < 64, truth
    for value, verdict in ((truth.low, "right"), (4 * MIB, "right"), (2 * MIB, "wrong"), ("words", "wrong")):
        assert verdict_of("L3.effective_size", {"value": value}, machine) == verdict, value
    assert abs(truths(machine | {"prefetch": "next-line"})["L3"]["effective_size"].low - of_pairs) < 128
    assert verdict_of("L3.size", {"value": 923328}, machine) == "wrong"
    assert verdict_of("L2.effective_size", {"value": 557056}, machine) == "right"  # of 128 KiB nothing was lost
    inclusive = copy.deepcopy(machine)
    inclusive["caches"][3]["inclusion"] = "inclusive"  # its lost lines take those above along, 40 times as fast as they
    inclusive["caches"][3]["latency"] = 5000  # come here
    assert truths(inclusive)["L2"]["effective_size"].high < 200000


@on_noisy_machine
def where_nothing_is_lost_a_level_is_what_it_is(noisy):
    for left in ((1000, 1000, 1000), (1000, 1000, 999), (400, 100, 50)):  # of the last, too little stayed to tell
        assert truths(noisy(left=left))["L3"]["effective_size"] == 4 * MIB, left


@on_noisy_machine
def times_are_those_of_usual_rounds_or_quiet_ones(noisy):
    machine = noisy(left=(1000, 1000, 1000), usual=0.2)
    for path, value, verdict in (("memory.latency", 260, "right"), ("memory.latency", 182, "right"),
                                 ("memory.latency", 270, "wrong"), ("memory.latency", 178, "wrong"),
                                 ("L2.latency", 17, "right"), ("L3.miss_penalty", 185, "right"),
                                 ("L3.miss_penalty", 215, "wrong")):
        assert verdict_of(path, {"value": value}, machine) == verdict, (path, value)
    assert of_size("memory.latency", machine, 210, 250) == of_size("L3.latency", machine, 45, 52) == "interval"
    assert of_size("memory.latency", machine, 250, 300) == "wrong"


def what_a_walk_takes_is_a_range_where_it_asks_caches():
    walk = [{"covers": 32768, "entries": 64, "cycles": 12}, {"covers": 2 * MIB, "entries": 32, "cycles": 18}]
    machine = MACHINE | {"page_walk": walk}
    for path in ("DTLB2.miss_penalty", "ITLB2.miss_penalty"):
        for value, verdict in ((30, "right"), (45, "right"), (60, "right"), (67, "wrong"), (26, "wrong")):
            assert verdict_of(path, {"value": value}, machine) == verdict, (path, value)
        for low, high, verdict in ((28, 63, "interval"), (61, 70, "wrong"), (10, 29, "wrong")):
            assert of_size(path, machine, low, high) == verdict, (path, low, high)
    large = MACHINE | {"page_walk": walk, "tlbs": MACHINE["tlbs"][1:2]}  # a walk to a large page does not ask the first
    assert verdict_of("DTLB1-large.miss_penalty", {"value": 25}, large) == "right"
    assert verdict_of("DTLB1-large.miss_penalty", {"value": 28}, large) == "wrong"
    assert verdict_of("DTLB1.miss_penalty", {"value": 7}, machine) == "right"
    assert verdict_of("DTLB1.miss_penalty", {"value": 19}, machine) == "wrong"


def what_was_not_looked_for_is_told_from_what_is_not_there():
    found = verdicts_of(profile_with(("L1.size", {"value": 32768})))
    assert found["L1.latency"] == found["memory.latency"] == "not-asked" and found["L2.size"] == "absent"


def what_machine_files_do_not_have_is_seen():
    assert verdict_of("L1.banks", {"value": 8}) == "unjudged"


def a_change_is_named():
    for expected, found, change in (
            ("right", "right", None), ("right", "null:undecided", "lost"), ("right", "absent", "lost"),
            ("right", "class", "lost"), ("class", "interval", "lost"), ("interval", "null:depends", "lost"),
            ("null:undecided", "right", "improved"), ("absent", "interval", "improved"),
            ("null:undecided", "null:depends", "changed"), ("null:nothing", "absent", "changed"),
            ("right", "wrong", "wrong"), (None, "wrong", "wrong"), ("wrong", "wrong", "wrong"), (None, "right", "new"),
            ("right", None, "gone")):
        assert verdict_file.change(expected, found) == change, (expected, found)


def a_file_reads_back_as_it_was():
    verdicts = {"L1.size": {"counters": {1: "right", 2: "right"}, "clock": {1: "right", 2: "null:undecided"}}}
    text = verdict_file.dump(verdicts, [1, 2])
    assert verdict_file.parse(text) == (verdicts, [1, 2]), text
    assert text.splitlines()[2].split() == ["L1.size", "right", "right,null:undecided"], text
    for broken in ("", text.replace("seeds 1,2", "seeds"), text + "L1.size right right\n", text + "L2.size right\n",
                   text + "L2.size right right,right,right\n"):
        try:
            verdict_file.parse(broken)
        except verdict_file.Fault:
            continue
        raise AssertionError(broken)


class Workshop:
    """A machine file, saved profiles of it and the file of its verdicts, in a directory of their own."""

    def __init__(self, directory):
        self.root = pathlib.Path(directory)
        self.machine = write_json(self.root / "m.json", MACHINE)
        self.expected = self.root / "verdicts/m.txt"
        self.honest = profile_with(("L1.size", {"value": 32768}),
                                   ("L2.size", {"value": None, "reason": "there is no clock"}))
        self.save(self.honest)

    def save(self, counters):
        write_json(self.root / "m.counters.json", counters)
        write_json(self.root / "m.clock.json", self.honest)

    def judge(self, *options):
        done = run([ROOT / "scripts/verdicts", f"--profiles={self.root}", *options, self.machine])
        return done.returncode, done.stdout + done.stderr


def saying(path, finding, profile):
    """The same profile but for one cell of a cache."""
    changed = copy.deepcopy(profile)
    level, cell = path.split(".")
    changed["caches"][int(level[1:]) - 1][cell] = finding
    return changed


def in_workshop(test):
    def tested():
        with tempfile.TemporaryDirectory() as directory:
            test(Workshop(directory))
    tested.__name__ = test.__name__
    return tested


@in_workshop
def without_a_file_of_verdicts_nothing_is_as_expected(shop):
    status, said = shop.judge()
    assert status == 1 and "--update" in said, said
    assert shop.judge("--update")[0] == 0 and shop.judge()[0] == 0
    assert verdict_file.parse(shop.expected.read_text())[1] == [1]


@in_workshop
def what_is_lost_fails_and_what_is_gained_asks_for_an_update(shop):
    shop.judge("--update")
    shop.save(saying("L1.size", {"value": None, "reason": "the votes disagree"}, shop.honest))
    status, said = shop.judge()
    assert status == 1 and "right -> null:undecided  lost: " in said, said
    shop.save(saying("L2.size", {"value": 524288}, shop.honest))
    status, said = shop.judge()
    assert status == 1 and "null:unavailable -> right  improved: run scripts/verdicts --update" in said, said
    assert shop.judge("--update")[0] == 0 and shop.judge()[0] == 0


@in_workshop
def an_edited_file_fails(shop):
    shop.judge("--update")
    text = shop.expected.read_text()
    line = next(line for line in text.splitlines() if line.startswith("L1.size"))
    for edited in (text.replace(line, line.replace("right", "null:nothing", 1)), text.replace(line + "\n", ""),
                   text + "L9.size  absent  absent\n", text.replace("seeds 1", "seeds 2"), ""):
        shop.expected.write_text(edited)
        assert shop.judge()[0] == 1, edited


@in_workshop
def a_wrong_value_fails_and_is_never_expected(shop):
    shop.save(saying("L1.size", {"value": 65536}, shop.honest))
    status, said = shop.judge("--update")
    assert status == 1 and "says 65536, is 32768" in said, said
    assert "wrong" not in shop.expected.read_text() and "L1.size" not in shop.expected.read_text()
    assert shop.judge()[0] == 1


@in_workshop
def a_file_of_more_seeds_is_not_overwritten_by_fewer(shop):
    shop.judge("--update")
    text = shop.expected.read_text().replace("seeds 1", "seeds 1,2")
    shop.expected.write_text(text)
    assert shop.judge("--update")[0] == 1 and shop.expected.read_text() == text
    assert shop.judge()[0] == 0


@in_workshop
def cells_that_are_not_looked_at_stand(shop):
    shop.judge("--update")
    text = shop.expected.read_text()
    less = saying("L1.size", {"value": None, "reason": "the votes disagree"}, shop.honest)
    shop.save(saying("L2.size", {"value": 524288}, less))
    status, said = shop.judge("--cells=L2[.]")
    assert status == 1 and "L2.size" in said and "L1.size" not in said, said
    assert shop.judge("--cells=L2[.]", "--update")[0] == 0 and shop.judge("--cells=L2[.]")[0] == 0
    before, after = (verdict_file.parse(t)[0] for t in (text, shop.expected.read_text()))
    assert list(before) == list(after) and {path for path in before if before[path] != after[path]} == {"L2.size"}
    assert shop.judge("--probes=data_cache")[0] == 2


@in_workshop
def a_run_that_failed_fails(shop):
    shop.judge("--update")
    (shop.root / "m.clock.json").unlink()
    assert shop.judge()[0] == 1 and shop.judge("--update")[0] == 1


def no_verdict_is_wrong():
    machines = {path.stem for path in (ROOT / "machines").glob("*.json")}
    files = {path.stem: path.read_text() for path in (ROOT / "machines/verdicts").glob("*.txt")}
    noisy = {path: path.read_text() for path in (ROOT / "machines/noisy/verdicts").glob("*.txt")}
    assert set(files) <= machines, set(files) - machines
    assert all((path.parent.parent / f"{path.stem}.json").exists() for path in noisy), noisy.keys()
    if machines > set(files):
        print("skipped verdicts: not yet written for", ", ".join(sorted(machines - set(files))))
    for name, text in [*files.items(), *noisy.items()]:
        verdicts, _ = verdict_file.parse(text)
        said = {verdict for row in verdicts.values() for of_seed in row.values() for verdict in of_seed.values()}
        known = {"right", "class", "interval", "absent", "not-asked"} | {f"null:{kind}" for kind, _ in judge.KINDS}
        assert said <= known, (name, said - known)


main([what_is_true_is_right_and_what_is_not_is_wrong, every_cell_is_judged, values_for_what_is_not_there_are_wrong,
      a_level_said_twice_is_one_too_many, a_level_is_held_against_its_own_and_no_other,
      a_policy_is_right_by_its_own_name_only, bounds_hold_the_truth_or_are_wrong, no_value_has_the_kind_of_its_reason,
      what_neighbours_leave_is_a_level_s_effective_size, where_nothing_is_lost_a_level_is_what_it_is,
      times_are_those_of_usual_rounds_or_quiet_ones, what_a_walk_takes_is_a_range_where_it_asks_caches,
      what_was_not_looked_for_is_told_from_what_is_not_there, what_machine_files_do_not_have_is_seen, a_change_is_named,
      a_file_reads_back_as_it_was, without_a_file_of_verdicts_nothing_is_as_expected,
      what_is_lost_fails_and_what_is_gained_asks_for_an_update, an_edited_file_fails,
      a_wrong_value_fails_and_is_never_expected, a_file_of_more_seeds_is_not_overwritten_by_fewer,
      a_run_that_failed_fails, cells_that_are_not_looked_at_stand, no_verdict_is_wrong])
