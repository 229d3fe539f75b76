"""Whole machines counted through the kernel's interface: the walks are a model's (modelled/machine.c), their counts come
by perf_event from the stand-in, whose PMUs are those of modelled_pmus.py. All between is what runs on hardware: the
family, names and codes, attaching, the trust in each event, its level, and the findings."""
import json
import os
import pathlib
import sys
import tempfile

from harness import ROOT, Skip, main, options, write_json
from modelled_pmus import MACHINES
from stand_in import NO_CORE, maker

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


def machine(name, instead=None, uncore=None, more="", lines=(), models=None):
    """The stand-in of a whole machine. `instead`: {code: what it counts} where it lies; `uncore`: what the PMU of the
    last level counts, and the cores count none of it; `more`: options of the core's PMUs."""
    whole, instead = MACHINES[name], dict(instead or {})
    files = {path: text for pmu in whole.pmus for path, text in pmu.files().items()}
    files["proc/cpuinfo"] = whole.cpuinfo
    if uncore:
        (code,) = whole.uncore.events
        codes, others = whole.ways[0]
        instead |= {last: None for last in (list(codes.values())[-1], *others)}
        files |= whole.uncore.files()
        lines = [*lines, *whole.uncore.lines({code: uncore}), "paranoid 0"]
    pmus = [f"{line} {more}" if line.startswith("pmu") else line for pmu in whole.pmus for line in pmu.lines(instead)]
    order = sorted([*pmus, *lines], key=lambda line: not line.startswith("pmu"))
    stand_in = stand_in_of(*order, files=files)
    models = models or [model_of(m) for m in whole.models]
    stand_in.models = str(models[0]) if len(models) == 1 else ",".join(f"{cpu}={m}" for cpu, m in enumerate(models))
    stand_in.family = whole.family
    return stand_in


def environment_of(stand_in):
    return {"HWCHAR_MODEL": stand_in.models, "LIBPFM_FORCE_PMU": stand_in.family}


def profile_of(stand_in, *arguments, counters="perf"):
    return stand_in.profile([HWCHAR, f"--counters={counters}", f"--seed={SEED}", *arguments],
                            **environment_of(stand_in))


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
    "zen2": "l1d_miss l1i_miss l2_miss l2i_miss l3_miss dtlb_miss dtlb2_miss itlb_miss itlb2_miss",
    "zen4": "l1d_miss l1i_miss l2_miss l2i_miss l3_miss dtlb_miss dtlb2_miss itlb_miss itlb2_miss",
    "zen5": "l1d_miss l1i_miss l2_miss l2i_miss l3_miss dtlb_miss dtlb2_miss itlb_miss itlb2_miss",
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


def without_a_third_level(name):
    """The machine file's machine and its core, which so take less time."""
    description = json.loads(model_of(name).read_text())
    description["caches"] = [cache for cache in description["caches"] if cache["level"] < 3]
    codes, others = MACHINES[name].ways[0]
    return machine(name, dict.fromkeys((list(codes.values())[-1], *others)),
                   models=[write_json(DIRECTORY / f"{name}-small.json", description)])


def a_validation_counts_in_the_clocks_walks():
    """An event looks on: what fits does not miss, and of what is more, some does."""
    stand_in = without_a_third_level("zen2")
    done = stand_in.run([HWCHAR, "--validate", "--counters=perf", f"--seed={SEED}", *QUICKLY, "--json",
                         "data_cache"], **environment_of(stand_in))
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


def counters_that_add_up_are_exported():
    """Each by its own name for perf, and as a derived event for PAPI."""
    for form, needle in (("perf", "name=itlb_miss.1/u,cpu/config=0x785,name=itlb_miss.2/u"),
                         ("papi", "EVENT,HWCHAR_ITLB_MISS,DERIVED_ADD,amd64_fam17h_zen2::L1_ITLB_MISS_L2_ITLB_HIT,"
                                  "amd64_fam17h_zen2::L1_ITLB_MISS_L2_ITLB_MISS:IF4K:IF2M:IF1G\n")):
        stand_in = machine("zen2")
        done = stand_in.run([HWCHAR, "--counters=perf", f"--seed={SEED}", f"--export={form}"], **environment_of(stand_in))
        assert done.returncode == 0 and needle in done.stdout, done


def with_prefetcher(model):
    """The machine file's machine, with a prefetcher of the next line."""
    path = DIRECTORY / f"{model}-prefetching.json"
    path.write_text(json.dumps({**json.loads(model_of(model).read_text()), "prefetch": "next-line"}))
    return path


def lies_of(codes):
    """{lie: (its code, and what that counts; the event; what names it)}, by a core's best codes."""
    (one, first), *lower = codes.items()
    lies = {"it counts prefetches": ({first: f"{one}+prefetched1"}, one, "counts prefetches, too"),
            "it dies half-way": ({first: f"{one} dies=700!"}, one, "stopped counting"),
            "it counts 1.4 for each": ({first: f"1.4*{one}"}, one, "counted 1433 for 1024 misses")}
    for two, second in lower[:1]:
        lies["it counts another level"] = {second: one}, two, "counts another level's misses"
        lies["it adds up two levels"] = {second: f"{one}+{two}"}, two, "counted 2048 for 1024 misses"
    for three, third in lower[1:]:
        lies["it sees a neighbour"] = {third: f"{three}+4*neighbour"}, three, "counts what others do, too"
    return lies


# Those of TLBs: (machine, what counts what instead, event, what names it). The first two are among the quick ones.
ANOTHER, TWICE = "counts another level's misses", "counted 32768 for 16384 misses"
TLB_LIES = (("zen2", {"ff45": "dtlb2_miss"}, "dtlb_miss", ANOTHER), ("zen2", {"f045": "dtlb_miss"}, "dtlb2_miss", ANOTHER),
            ("zen4", {"84": "itlb2_miss"}, "itlb_miss", TWICE), ("zen5", {"84": "itlb_miss"}, "itlb_miss", TWICE),
            ("skylake-sp", {"2e08": "dtlb2_miss"}, "dtlb_miss", ANOTHER),
            ("sapphire-rapids", {"2e11": "itlb2_miss"}, "itlb_miss", ANOTHER),
            ("neoverse-v1", {"34": "dtlb_miss"}, "dtlb2_miss", ANOTHER),
            ("apple-m1", {"d4": "itlb2_miss"}, "itlb_miss", ANOTHER),
            ("apple-m1", {"c1": "dtlb2_miss"}, "dtlb_miss", ANOTHER))


def is_named(profile, event, needle):
    """In the event's record, or in a note where another counter was found to be right."""
    said = [e.get("reason", "") for e in profile["counters"]["events"] if e["event"] == event]
    said += [note for note in profile["notes"] if note.startswith(f"{event} is not counted by")]
    return any(needle in text for text in said)


def nothing_is_wrong(model, profile, right=()):
    """Nor is any of these cells unknown."""
    cells = {cell.path: cell for cell in judge.cells(machine_file.read(model), profile)}
    wrong = [cell for path, cell in cells.items()
             if cell.verdict == "wrong" or (cell.verdict != "right" and path.startswith(tuple(right)) and
                                            cell.name in ("size", "associativity", "line_size", "entries"))]
    assert not wrong, (model, wrong, profile["counters"])


def lies_are_named():
    lies = lies_of(MACHINES["zen2"].ways[0][0])
    quick = [("zen2", *lies[lie]) for lie in ("it counts another level", "it adds up two levels", "it sees a neighbour")]
    for name, instead, event, needle in (*quick, *TLB_LIES[:2]):
        profile = profile_of(machine(name, instead), "page_size")
        assert is_named(profile, event, needle), (name, instead, profile["counters"], profile["notes"])
        nothing_is_wrong(model_of(name), profile)


def what_lies_of_two_that_count_the_same_is_told_by_another_way():
    """To count the one, or the other; with no other way, both are believed no more."""
    for name, instead, event, of_both in (("apple-m1", {"d4": "itlb2_miss"}, "itlb_miss", False),
                                          ("apple-m1", {"a": "itlb_miss"}, "itlb2_miss", False),
                                          ("skylake-sp", {"2e08": "dtlb2_miss"}, "dtlb_miss", True)):
        profile = profile_of(machine(name, instead), "page_size")
        assert is_named(profile, event, ANOTHER), (name, instead, profile["counters"], profile["notes"])
        level = [e for e in profile["counters"]["events"] if e["event"] in (event, event.replace("_", "2_"),
                                                                             event.replace("2", ""))]
        trusted = [e["status"] == "trusted" for e in level]
        assert trusted == [not of_both] * 2, (name, instead, level)
        assert of_both == any("it or the other" in e.get("reason", "") for e in level), level


QUICKLY = ("--votes=4", "--samples=4")


def a_lie_leaves_values_right(name, kind, lie):
    """It is named, and the geometry of all caches is right, by another counter or by the clock."""
    whole = MACHINES[name]
    instead, event, needle = lies_of(whole.ways[kind][0])[lie]
    files = [with_prefetcher(m) if "prefetches" in lie else model_of(m) for m in whole.models]
    profile = profile_of(machine(name, instead, models=files), f"--cpu={kind}", *QUICKLY, "data_cache")
    assert is_named(profile, event, needle), (name, lie, profile["counters"], profile["notes"])
    nothing_is_wrong(files[kind], profile, ("L1.", "L2.", "L3."))


def a_counter_that_dies_is_replaced():
    """In the middle of a probe, by the next one that counts the event."""
    a_lie_leaves_values_right("apple-m1", 0, "it dies half-way")


# Each lie on machines of three vendors; a hybrid's big core is 0, its small one 1.
LIARS = (("skylake-sp", 0, "it counts prefetches"), ("sapphire-rapids", 0, "it counts another level"),
         ("zen2", 0, "it adds up two levels"), ("zen2", 0, "it dies half-way"), ("zen2", 0, "it sees a neighbour"),
         ("zen4", 0, "it counts 1.4 for each"), ("zen5", 0, "it counts prefetches"),
         ("zen5", 0, "it counts another level"), ("neoverse-v1", 0, "it counts another level"),
         ("alder-lake", 0, "it dies half-way"),
         ("alder-lake", 1, "it adds up two levels"), ("alder-lake", 1, "it counts 1.4 for each"),
         ("apple-m1", 0, "it counts 1.4 for each"), ("apple-m1", 0, "it counts prefetches"))


def lies_leave_values_right():
    for name, kind, lie in LIARS:
        if name == "alder-lake":
            of_two_kinds()
        a_lie_leaves_values_right(name, kind, lie)


def lies_about_tlbs_leave_values_right():
    for name, instead, event, needle in TLB_LIES:
        profile = profile_of(machine(name, instead), "tlb")
        assert is_named(profile, event, needle), (name, instead, profile["counters"], profile["notes"])
        nothing_is_wrong(model_of(name), profile, ("L1.", "L2.", "L3.", "DTLB1.", "DTLB2.", "ITLB1.", "ITLB2."))


def a_shared_level_is_counted_unless_a_neighbour_is_seen():
    """Where the cores count no misses of the last level: by its own PMU, or by the clock."""
    for name, counts in (("zen4", "l3_miss"), ("skylake-sp", "l3_miss"), ("zen4", "l3_miss+4*neighbour"),
                         ("sapphire-rapids", "l3_miss+4*neighbour"), ("neoverse-v1", "l3_miss+2*microseconds")):
        profile = profile_of(machine(name, uncore=counts), *QUICKLY, "data_cache", counters="auto")
        record = next(e for e in profile["counters"]["events"] if e.get("backend") == "uncore")
        size = profile["caches"][2]["size"]
        honest = counts == "l3_miss"
        assert record["quality"].startswith("shared") and (record["status"] == "trusted") == honest, record
        assert size["witness"] == ("counter" if honest else "clock"), (record, size)
        assert honest or "others disturbed" in record["reason"], record
        nothing_is_wrong(model_of(name), profile, ("L1.", "L2.", "L3."))


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


def the_only_tlb_that_counters_show_may_be_any():
    """The kernel's event counts page walks, and its name does not say that; beside the first TLB's, it is the second's."""
    for events, levels in (("dTLB-load-misses", [None]), ("rff45,dTLB-load-misses", [1, 2])):
        audit = profile_of(machine("zen2"), f"--events={events}", "--samples=2")["audit"]
        assert [c["rises"][0]["level"] for c in audit["counters"]] == levels, audit


def no_line_is_too_long():
    """However wide the terminal is; and nothing is cut."""
    nothing = stand_in_of(files={**NO_CORE, "proc/cpuinfo": MACHINES["zen4"].cpuinfo})
    nothing.models, nothing.family = str(model_of("zen4")), MACHINES["zen4"].family
    taken = machine("zen4", more="taken=1")
    taken.put("proc/sys/kernel/nmi_watchdog", "1")
    stand_ins = (nothing, machine("zen4", more="multiplexed"), taken, machine("zen4"),
                 machine("zen4", lines=["paranoid 3"]))
    for stand_in in stand_ins if "all" in OPTIONS.rest else stand_ins[:2]:
        for arguments in (["--events", "--samples=2"], ["--events=presets", "--samples=2"],
                          ["--counters", *QUICKLY, "page_size"]):
            done = stand_in.run([HWCHAR, f"--seed={SEED}", *arguments], COLUMNS="200", **environment_of(stand_in))
            assert done.returncode == 0, done
            text = done.stdout + done.stderr
            assert max(map(len, text.splitlines())) <= 120 and "..." not in text, text


main([zen_2s_and_apples_events_are_trusted, counters_that_add_up_are_exported, a_validation_counts_in_the_clocks_walks, lies_are_named,
      what_lies_of_two_that_count_the_same_is_told_by_another_way,
      a_counter_that_dies_is_replaced, the_only_tlb_that_counters_show_may_be_any, no_line_is_too_long,
      all_kinds_have_a_profile_each, one_kind_has_one_profile] +
     [the_others_events_are_trusted, each_kind_of_core_has_its_own_events, lies_leave_values_right,
      lies_about_tlbs_leave_values_right, a_shared_level_is_counted_unless_a_neighbour_is_seen,
      whole_machines_are_measured] * ("all" in OPTIONS.rest))
