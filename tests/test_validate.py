"""--validate on simulated machines that lie in one thing each: it is named, and nothing else. An honest one has nothing
to name. What an event counts in the clock's own walks stands beside what the clock inferred from them."""
import copy
import json
import pathlib
import tempfile

from harness import ROOT, main, options, run, write_json

OPTIONS = options()
ALL = "all" in OPTIONS.rest


def cache(level, size, ways, latency, kind="unified"):
    return {"level": level, "kind": kind, "size": size << 10, "line_size": 64, "associativity": ways,
            "latency": latency, "replacement": "lru"}


HONEST = {
    "schema": "hwchar-machine/1", "name": "a small machine", "frequency_mhz": 3000, "memory_latency": 200,
    "caches": [cache(1, 8, 4, 4, "data"), cache(2, 64, 8, 14), cache(3, 512, 16, 40)],
    "physical_pages": "contiguous"}
SIZES = ("data_cache",)
TLBS = [{"level": 1, "kind": "data", "entries": 16, "associativity": 16, "page_size": 4096, "miss_penalty": 8},
        {"level": 2, "kind": "data", "entries": 128, "associativity": 8, "page_size": 4096, "miss_penalty": 30}]


def claimed(level, **figures):
    kind = next((c["kind"] for c in HONEST["caches"] if c["level"] == level), "unified")
    return {"caches": [{"level": level, "kind": kind, **figures}]}


def lies(name, cause, of, probes=SIZES, **changes):
    return name, cause, of, probes, {**copy.deepcopy(HONEST), **changes}


def with_cache(index, **changes):
    caches = copy.deepcopy(HONEST["caches"])
    caches[index].update(changes)
    return caches


LIES = (
    lies("documented_size", "documentation", "L2", documented=claimed(2, size=128 << 10)),
    lies("partitioned", "partition", "L3", caches=with_cache(2, associativity=4),
         documented=claimed(3, size=2 << 20, associativity=16)),
    lies("over_counting", "miscounts", "l1d_load_miss", events={"l1d_load_miss": {"factor": 1.4}}),
    lies("counts_prefetches", "counts_prefetches", "l1d_load_miss", prefetch="next-line",
         events={"l1d_load_miss": {"counts_prefetch": True}}),
    lies("dead_counter", "counts_nothing", "l2_load_miss", events={"l2_load_miss": {"factor": 0}}),
    lies("broken_pages", "broken_pages", "memory", ("page_size", "tlb"), superpages=[2 << 20],
         host_page_size=4096, tlbs=TLBS),
    lies("associativity", "documentation", "L1d", documented=claimed(1, associativity=2)),
    lies("counts_other_level", "counts_other_level", "l2_miss", events={"l2_miss": {"counts": "l1d_miss"}}),
    lies("clock_frequency", "clock_frequency", "clock", ("latency",), clock_mhz=2000),
    lies("invented_level", "no_such_level", "L4", documented=claimed(4, size=4 << 20, associativity=16)),
)
OF_WITNESSES = ("witnesses", "miscounts", "counts_prefetches", "counts_nothing", "counts_other_level")
QUICK = ("partitioned", "over_counting", "clock_frequency")


def validate(machine, probes):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        file = machine if isinstance(machine, pathlib.Path) else write_json(path / "machine.json", machine)
        done = run([OPTIONS.hwchar, "--validate", "--quick", f"--machine={file}", f"--json={path / 'profile.json'}",
                    *probes])
        assert done.returncode in (0, 1), done.stderr
        return done, json.loads((path / "profile.json").read_text())


def names(name, cause, of, probes, machine):
    def test():
        done, profile = validate(machine, probes)
        said = [(each["cause"], each["of"]) for each in profile["validation"]["differences"]]
        assert said == [(cause, of)], done.stdout
        alone = "" if cause in OF_WITNESSES else ", from what is documented alone"
        assert done.returncode == 1 and f"1 difference{alone}\n" in done.stdout, done.stdout
        assert f"  {of}:" in done.stdout, done.stdout
    test.__name__ = f"names_{name}"
    return test


def is_honest(name, probes):
    def test():
        done, profile = validate(ROOT / "machines" / f"{name}.json", probes)
        assert done.returncode == 0 and profile["validation"]["differences"] == [], done.stdout
        assert "nothing differs" in done.stdout
    test.__name__ = f"{name.replace('-', '_')}_is_honest"
    return test


def an_honest_machine_has_both_answers():
    done, profile = validate(HONEST, SIZES)
    size = profile["caches"][0]["size"]
    assert done.returncode == 0, done.stdout
    assert size["counter"]["value"] == size["clock"]["value"] == size["documented"] == 8192, size
    assert size["counter"]["witness"] == "counter" and size["clock"]["witness"] == "clock", size
    assert size["verdict"] == {"says": "agree", "supports": None, "why": ""}, size
    assert profile["validation"] == {"counters": True, "differences": []}, profile["validation"]


def second_level_counts(lie):
    """An honest machine but for the one event of its second level."""
    events = {"l2_load_miss": lie, "l2_miss": "absent"}
    return {**copy.deepcopy(HONEST), "events": events}


def walks_of(profile, level):
    found = [profile["caches"][level - 1][key]["clock"]["walks"] for key in ("size", "associativity")]
    assert found[0] == found[1], found
    return found[0]


def clock_says(profile):
    said = [{key: c[key]["clock"] for key in ("size", "associativity", "line_size")} for c in profile["caches"]]
    return [{key: {k: v for k, v in each[key].items() if k not in ("walks", "seconds")} for key in each} for each in said]


def an_event_counts_in_the_clocks_own_walks():
    """A dead one, one that over-counts and one of another level are seen; none changes what the clock says."""
    honest_one = "exact"
    said = []
    cases = [(honest_one, True, (0.9, 1.1)), ({"factor": 0}, True, (0, 0)), ({"counts": "l1d_miss"}, False, (1, 2))]
    for lie, fits, more in cases + [({"factor": 1.4}, True, (1.3, 1.5))] * ALL:
        done, profile = validate(second_level_counts(lie), SIZES)
        honest, walks = walks_of(profile, 1), walks_of(profile, 2)
        assert honest == {"event": "l1d_load_miss", "fit": 4, "fit_missed": 0, "more": 5, "more_missed": 1,
                          "bears_out": True}, honest
        assert walks["event"] == "l2_load_miss" and (walks["fit"], walks["more"]) == (8, 9), walks
        assert walks["bears_out"] == (lie == honest_one) and more[0] <= walks["more_missed"] <= more[1], (lie, walks)
        assert walks["fit_missed"] == 0 if fits else walks["fit_missed"] >= 1, (lie, walks)
        assert ("and not L2 size, L2 associativity" in done.stdout) == (lie != honest_one), done.stdout
        said.append(clock_says(profile))
    assert all(each == said[0] for each in said), said


def pages_are_counted_as_lines_are():
    done, profile = validate({**copy.deepcopy(HONEST), "tlbs": TLBS}, ("tlb",))
    first, second = (next(t for t in profile["tlbs"] if t["level"] == level and t["kind"] == "data") for level in (1, 2))
    assert first["entries"]["clock"]["walks"]["fit"] == 16, first
    for tlb in (first, second):
        for key in ("entries", "associativity"):
            walks = tlb[key]["clock"]["walks"]
            assert walks["bears_out"] and walks["fit"] == tlb[key]["value"], (key, walks)
    assert "values are borne out\n" in done.stdout, done.stdout


def lines_of_code_are_counted_too():
    """Also by an event that counts none."""
    caches = HONEST["caches"] + [cache(1, 16, 4, 3, "instruction")]
    for events, more in ({}, 1), ({"l1i_miss": {"factor": 0}}, 0):
        machine = {**copy.deepcopy(HONEST), "caches": caches, "events": events}
        profile = validate(machine, ("instruction_cache",))[1]
        code = next(c for c in profile["caches"] if c["kind"] == "instruction")
        for key, value in ("size", 16 << 10), ("associativity", 4):
            walks = code[key]["clock"]["walks"]
            assert code[key]["clock"]["value"] == value and walks["event"] == "l1i_miss", code
            assert walks["fit_missed"] == 0 and walks["more_missed"] == more and walks["bears_out"] == (more == 1), walks


def an_event_of_another_level_answers_in_no_run():
    """Also where nothing is validated."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        file = write_json(path / "machine.json", second_level_counts({"counts": "l1d_miss"}))
        done = run([OPTIONS.hwchar, "--counters", "--quick", f"--machine={file}", f"--json={path / 'p.json'}", *SIZES])
        profile = json.loads((path / "p.json").read_text())
    event = next(e for e in profile["counters"]["events"] if e["event"] == "l2_load_miss")
    assert done.returncode == 0 and event["status"] == "rejected" and "another level" in event["reason"], event
    size = profile["caches"][1]["size"]
    assert size["value"] == 64 << 10 and size["witness"] == "clock", size
    assert profile["caches"][0]["size"]["witness"] == "counter", profile["caches"][0]


def events_and_validate_do_not_mix():
    done = run([OPTIONS.hwchar, "--validate", "--events"])
    assert done.returncode == 2 and "--validate" in done.stderr, done.stderr


tests = [an_honest_machine_has_both_answers, an_event_counts_in_the_clocks_own_walks, pages_are_counted_as_lines_are,
         lines_of_code_are_counted_too, an_event_of_another_level_answers_in_no_run, events_and_validate_do_not_mix]
tests += [names(*lie) for lie in LIES if ALL or lie[0] in QUICK]
if ALL:
    tests += [is_honest("itanium2-900", ("data_cache", "latency")), is_honest("zen1", ("data_cache", "latency")),
              is_honest("haswell", ("data_cache", "latency"))]
main(tests)
