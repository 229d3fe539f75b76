"""Whole machines counted through the kernel's interface: the walks are a model's (modelled/machine.c), their counts come
by perf_event from the stand-in, whose PMUs are those of modelled_pmus.py. All between is what runs on hardware: the
family, names and codes, attaching, the trust in each event, its level, and the findings."""
import json
import os
import pathlib
import sys
import tempfile

from harness import ROOT, Skip, main, options
from modelled_pmus import MACHINES
from stand_in import maker

sys.path.insert(0, str(ROOT / "scripts/lib"))
import judge  # noqa: E402
import machine_file  # noqa: E402
import verdict_file  # noqa: E402

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
stand_in_of = maker(OPTIONS.rest[0])
TEMPORARY = tempfile.TemporaryDirectory()
DIRECTORY = pathlib.Path(TEMPORARY.name)
SEED = 1


def model_of(name):
    return ROOT / "machines" / f"{name}.json"


def machine(name, instead=None, lines=(), models=None):
    """The stand-in of a whole machine. `instead`: {code: what it counts} where it lies."""
    whole = MACHINES[name]
    files = {path: text for pmu in whole.pmus for path, text in pmu.files().items()}
    files["proc/cpuinfo"] = whole.cpuinfo
    pmus = [line for pmu in whole.pmus for line in pmu.lines(instead or {})]
    order = sorted([*pmus, *lines], key=lambda line: not line.startswith("pmu"))
    stand_in = stand_in_of(*order, files=files)
    models = models or [model_of(m) for m in whole.models]
    stand_in.models = str(models[0]) if len(models) == 1 else ",".join(f"{cpu}={m}" for cpu, m in enumerate(models))
    stand_in.family = whole.family
    return stand_in


def profile_of(stand_in, *arguments):
    return stand_in.profile([HWCHAR, "--counters=perf", f"--seed={SEED}", *arguments], HWCHAR_MODEL=stand_in.models,
                            LIBPFM_FORCE_PMU=stand_in.family)


def expected_of(model):
    """{cell: verdict} by the machine's own counters, which count all there is."""
    verdicts, _ = verdict_file.parse((ROOT / "machines/verdicts" / f"{model}.txt").read_text())
    return {path: row["counters"][SEED] for path, row in verdicts.items()}


def faults_of(model, profile):
    """Cells that are wrong, or say less than the machine's own counters would: one line each."""
    expected = expected_of(model)
    for cell in judge.cells(machine_file.read(model_of(model)), profile):
        before, after = (verdict_file.RANKS.get(v, 0) for v in (expected.get(cell.path), cell.verdict))
        if cell.verdict == "wrong" or after < before:
            yield f"{model} {cell.path}: {cell.verdict}, is {cell.truth}: {cell.finding}"


def counted_cells(model, profile):
    cells = judge.cells(machine_file.read(model_of(model)), profile)
    return [cell.path for cell in cells if cell.finding.get("witness") == "counter" and cell.verdict == "right"]


def values_of(name, cpu, *arguments):
    """By all probes, or those that are named: nothing wrong, and no less than the machine's own counters say."""
    model = MACHINES[name].models[cpu if len(MACHINES[name].models) > 1 else 0]
    profile = profile_of(machine(name), f"--cpu={cpu}", *arguments)
    asked = {path.split(".")[0] for path in counted_cells(model, profile)}
    faults = [fault for fault in faults_of(model, profile) if not any(fault.startswith(f"{model} {cell}: null")
                                                                      for cell in UNCOUNTED.get(model, ()))]
    assert not faults and asked, (faults, asked)
    print(f"{model}: {len(counted_cells(model, profile))} cells right by counter")
    return profile


# Cells that a counter alone can tell, where the core has none for them.
NO_VICTIMS = ("L2.write_back", "L3.write_back")
UNCOUNTED = {name: NO_VICTIMS for name in ("zen2", "zen4", "zen5", "apple-m1", "alder-lake-e", "neoverse-v1",
                                           "skylake-sp", "sapphire-rapids", "alder-lake-p")}


def events_of(stand_in, *arguments):
    profile = profile_of(stand_in, "--events", *arguments)
    return {e["event"]: e for e in profile["events"]}


# {machine: events of its caches and TLBs that its own names or codes count}
COUNTED = {
    "zen2": "l1d_miss l1i_miss l2_miss l2i_miss l3_miss dtlb_miss dtlb2_miss itlb2_miss",
    "zen4": "l1d_miss l1i_miss l2_miss l2i_miss l3_miss dtlb_miss dtlb2_miss itlb2_miss",
    "zen5": "l1d_miss l1i_miss l2_miss l2i_miss l3_miss dtlb_miss dtlb2_miss itlb2_miss",
    "apple-m1": "l1d_load_miss l1d_store_miss l1i_miss dtlb_miss dtlb2_miss itlb_miss itlb2_miss l1d_writeback",
    "skylake-sp": "l1d_load_miss l1d_store_miss l1d_miss l1i_miss l2_load_miss l2_miss l2i_miss l3_load_miss l3_miss "
                  "dtlb_miss dtlb2_miss itlb_miss itlb2_miss l2_writeback",
    "sapphire-rapids": "l1d_load_miss l1d_store_miss l1d_miss l1i_miss l2_load_miss l2_miss l2i_miss l3_load_miss "
                       "l3_miss dtlb_miss dtlb2_miss itlb_miss itlb2_miss l2_writeback",
    "neoverse-v1": "l1d_load_miss l1d_store_miss l1d_miss l1i_miss l2_load_miss l2_miss l3_load_miss dtlb_miss "
                   "dtlb2_miss itlb_miss itlb2_miss l1d_writeback l2_writeback",
    "alder-lake-p": "l1d_load_miss l1d_store_miss l1d_miss l1i_miss l2_load_miss l2_miss l2i_miss l3_load_miss l3_miss "
                    "dtlb_miss dtlb2_miss itlb_miss itlb2_miss l2_writeback",
    "alder-lake-e": "l1d_load_miss l1i_miss l2_load_miss l2_miss l3_load_miss l3_miss dtlb2_miss itlb2_miss"}


def events_are_trusted(name, cpu=0):
    """All that the core can count, and no more."""
    whole = MACHINES[name]
    model = whole.models[cpu if len(whole.models) > 1 else 0]
    events = events_of(machine(name), f"--cpu={cpu}")
    trusted = {event for event, record in events.items() if record["status"] == "trusted"}
    assert trusted == set(COUNTED[model].split()), (model, trusted ^ set(COUNTED[model].split()), events)


def a_validation_counts_in_the_clocks_walks():
    """An event looks on: what fits does not miss, and of what is more, some does."""
    stand_in = machine("zen2")
    done = stand_in.run([HWCHAR, "--validate", "--counters=perf", f"--seed={SEED}", "--votes=4", "--samples=4", "--json",
                         "data_cache"], HWCHAR_MODEL=stand_in.models, LIBPFM_FORCE_PMU=stand_in.family)
    assert done.returncode == 0, done
    first, second = json.loads(done.stdout)["caches"][:2]
    for cache, event in ((first, "l1d_miss"), (second, "l2_miss")):
        walks = cache["size"]["clock"]["walks"]
        assert walks["event"] == event and walks["bears_out"] and walks["more_missed"] > walks["fit_missed"] == 0, walks
        assert walks["more"] == cache["associativity"]["value"] + 1, (walks, cache)


def of_two_kinds():
    """PMUs of the stand-in's two kinds have a CPU each."""
    if not {0, 1} <= os.sched_getaffinity(0):
        raise Skip("needs CPUs 0 and 1")


def zen_2s_and_apples_events_are_trusted():
    events_are_trusted("zen2")
    events_are_trusted("apple-m1")


def the_others_events_are_trusted():
    for name in sorted(set(MACHINES) - {"zen2", "apple-m1", "alder-lake"}):
        events_are_trusted(name)


def each_kind_of_core_has_its_own_events():
    of_two_kinds()
    events_are_trusted("alder-lake", 0)
    events_are_trusted("alder-lake", 1)


def with_prefetcher(model):
    """The machine file's machine, with a prefetcher of the next line."""
    path = DIRECTORY / f"{model}-prefetching.json"
    path.write_text(json.dumps({**json.loads(model_of(model).read_text()), "prefetch": "next-line"}))
    return path


# The lie, {code: what it counts}; the event; and what names it.
LIES = {
    "an L2 event counts L1's misses": ({"5a43": "l1d_miss"}, "l2_miss", "counts another level's misses"),
    "one adds up two levels": ({"5a43": "l1d_miss+l2_miss"}, "l2_miss", "counted 2048 for 1024 misses"),
    "one counts 1.4 for each": ({"5b43": "1.4*l1d_miss"}, "l1d_miss", "counted 1433 for 1024 misses"),
    "one dies": ({"5b43": "l1d_miss dies=30!"}, "l1d_miss", "could not be scheduled"),
    "one sees a neighbour": ({"4843": "l3_miss+4*neighbour"}, "l3_miss", "counts what others do, too"),
    "a first TLB's event counts walks": ({"ff45": "dtlb2_miss"}, "dtlb_miss", "counts another level's misses"),
    "walks are the first TLB's misses": ({"f045": "dtlb_miss"}, "dtlb2_miss", "counts another level's misses")}


QUICK_LIES = ("an L2 event counts L1's misses", "one adds up two levels", "one sees a neighbour",
              "a first TLB's event counts walks")


def is_named(profile, event, needle):
    """In the event's record, or in a note where another counter was found to be right."""
    said = [e.get("reason", "") for e in profile["counters"]["events"] if e["event"] == event]
    said += [note for note in profile["notes"] if note.startswith(f"{event} is not counted by")]
    return any(needle in text for text in said)


def a_lie_is_told(lie, *probes):
    """It is named, and no value is wrong."""
    instead, event, needle = LIES[lie]
    profile = profile_of(machine("zen2", instead), *probes)
    assert is_named(profile, event, needle), (lie, profile["counters"], profile["notes"])
    wrong = [cell for cell in judge.cells(machine_file.read(model_of("zen2")), profile) if cell.verdict == "wrong"]
    assert not wrong, (lie, wrong)
    return profile


def lies_are_named():
    for lie in QUICK_LIES:
        a_lie_is_told(lie, "page_size")


SIZES = {(1, "data"): 32768, (1, "instruction"): 32768, (2, "data"): 524288, (3, "data"): 16777216}


def lies_leave_values_right():
    for lie in LIES:
        found = {(c["level"], c["kind"]): c["size"]["value"] for c in a_lie_is_told(lie, "tlb")["caches"]}
        assert found == SIZES, found


def what_counts_prefetches_is_named():
    prefetching = with_prefetcher("skylake-sp")
    stand_in = machine("skylake-sp", {"8d1": "l1d_load_miss+prefetched1"}, models=[prefetching])
    profile = profile_of(stand_in, "data_cache")
    assert is_named(profile, "l1d_load_miss", "counts prefetches, too"), (profile["counters"], profile["notes"])
    first = next(c for c in profile["caches"] if c["level"] == 1 and c["kind"] == "data")
    assert [first[k]["value"] for k in ("size", "line_size", "associativity")] == [32768, 64, 8], first


def whole_machines_are_measured():
    for name in MACHINES:
        for cpu in range(len(MACHINES[name].models)):
            if cpu > 0:
                of_two_kinds()
            values_of(name, cpu)


def all_kinds_have_a_profile_each():
    """By its own PMU's counters, and by its own model's caches."""
    of_two_kinds()
    stand_in = machine("alder-lake")
    done = stand_in.run([HWCHAR, "--counters=perf", "--cpu=all-kinds", "--json", "page_size"],
                        HWCHAR_MODEL=stand_in.models, LIBPFM_FORCE_PMU="none")
    profiles = json.loads(done.stdout)
    assert [(p["host"]["core_kind"], p["host"]["cpu"]) for p in profiles] == [("cpu_core", 0), ("cpu_atom", 1)], done
    codes = [next(e["counter"] for e in p["counters"]["events"] if e["event"] == "l2_miss") for p in profiles]
    assert codes == ["r2724", "r0124"], codes


def one_kind_has_one_profile():
    stand_in = machine("zen2")
    done = stand_in.run([HWCHAR, "--cpu=all-kinds", "--json", "page_size"], HWCHAR_MODEL=stand_in.models)
    assert [p["host"]["core_kind"] for p in json.loads(done.stdout)] == ["cpu"], done
    done = stand_in.run([HWCHAR, "--cpu=all-kinds", "page_size"], HWCHAR_MODEL=stand_in.models)
    assert done.stdout.startswith("cpu: ") and done.stdout.count("CPU ") >= 1, done


main([zen_2s_and_apples_events_are_trusted, a_validation_counts_in_the_clocks_walks, lies_are_named,
      all_kinds_have_a_profile_each, one_kind_has_one_profile] +
     [the_others_events_are_trusted, each_kind_of_core_has_its_own_events, lies_leave_values_right,
      what_counts_prefetches_is_named, whole_machines_are_measured] * ("all" in OPTIONS.rest))
