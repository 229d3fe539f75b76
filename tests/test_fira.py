"""FIRA and Saavedra's surface on simulated machines: what is expected comes out, and what cannot be told is not said."""
import copy
import json
import pathlib
import tempfile

from harness import MACHINE, main, options, run, write_json

HWCHAR = options().hwchar
TEMPORARY = tempfile.TemporaryDirectory()
SMALL = copy.deepcopy(MACHINE)
SMALL["caches"][1].update(size=262144, associativity=8)


def play(machine, *arguments):
    path = write_json(pathlib.Path(TEMPORARY.name) / "machine.json", machine)
    done = run([HWCHAR, f"--machine={path}", "--seed=1", *arguments])
    assert done.returncode == 0, done
    return done.stdout


def measure(machine, *arguments):
    return json.loads(play(machine, "--json", *arguments))


def curve_of(profile, name, kind):
    return next(c for c in profile["curves"] if (c["name"], c["type"]) == (name, kind))


def series_of(profile, name, kind="random order"):
    curve = curve_of(profile, "fira", kind)
    return dict(next((s["points"] for s in curve["series"] if s["name"] == name), []))


def keeps_as_lru(profile):
    return [r.get("value") for r in curve_of(profile, "fira", "random order")["read_off"]]


def notes_of(profile, probe):
    return [note for note in profile["notes"] if note.startswith(probe + ":")]


def third_level(policy):
    return {"level": 3, "kind": "unified", "size": 1048576, "line_size": 64, "associativity": 16, "latency": 40,
            "replacement": policy, "inclusion": "inclusive"}


def a_level_that_is_not_lru_is_told_from_those_that_are():
    profile = measure(dict(SMALL, caches=[*SMALL["caches"], third_level("bit-plru")]), "--counters", "fira")
    assert keeps_as_lru(profile) == [1, 1, 0], profile["curves"]
    assert series_of(profile, "expected misses") == {1: 3584, 2: 12288, 3: 16384}
    assert series_of(profile, "misses") == {1: 3584, 2: 12288, 3: 16384}
    assert all(series_of(profile, "accuracy of hits")[level] >= 98 for level in (1, 2))
    assert series_of(profile, "accuracy of hits")[3] < 98
    latency = series_of(profile, "latency, median")
    assert [round(latency[level]) for level in (1, 2, 4)] == [4, 14, 200] and latency[3] > 42, latency
    told = "\n".join(notes_of(profile, "fira"))
    assert "so that it is not LRU; the replacement probe says bit-plru" in told, told
    assert "its latency is the latency probe's, 40.0 cycles" in told, told


def the_clock_infers_misses_where_nothing_counts():
    profile = measure(SMALL, "fira")
    assert keeps_as_lru(profile) == [1, 1], profile["curves"]
    misses, expected = (series_of(profile, name) for name in ("misses", "expected misses"))
    assert all(abs(misses[level] / expected[level] - 1) < 0.02 for level in (1, 2)), (misses, expected)
    curve = curve_of(profile, "fira", "random order")
    series = next(s for s in curve["series"] if s["name"] == "misses")
    assert series["witness"] == "clock" and series["how"].startswith("inferred"), series
    assert all("(by the clock)" in note for note in notes_of(profile, "fira")), notes_of(profile, "fira")


def prefetchers_spoil_one_order_and_not_the_other():
    profile = measure(dict(SMALL, prefetch=["stride", "stream"]), "--counters", "fira")
    in_order, at_random = (series_of(profile, "accuracy of misses", kind) for kind in ("back by one line",
                                                                                        "random order"))
    assert in_order[1] < 50 and in_order[2] > 98, in_order  # beyond the last level, order is random in both
    assert at_random[1] >= 98 and at_random[2] >= 98, at_random
    assert any("a prefetcher of L1 serves" in note for note in notes_of(profile, "fira")), notes_of(profile, "fira")


def pages_at_random_are_no_policy():
    profile = measure(dict(SMALL, physical_pages="random"), "--counters", "fira")
    assert keeps_as_lru(profile)[0] == 1 and keeps_as_lru(profile)[1] != 0, profile["curves"]
    expected, hits = (series_of(profile, name) for name in ("expected hits", "hits"))
    assert 0.8 * 3584 < expected[2] < 0.99 * 3584 and abs(hits[2] / expected[2] - 1) < 0.1, (expected, hits)


def the_surface_is_read_off_and_shown_if_it_is_named():
    profile = measure(SMALL, "saavedra")
    curve = curve_of(profile, "saavedra", "ascending")
    read = {r["name"]: r.get("value") for r in curve["read_off"]}
    bounds = {r["name"]: (r["low"], r["high"]) for r in curve["read_off"] if "low" in r}
    assert read["line size"] == 64 and bounds["L1 associativity"] == (8, 15), curve["read_off"]
    assert (bounds["L1 size"], bounds["L2 size"]) == ((32768, 65536), (262144, 524288)), bounds
    assert [round(read[what]) for what in ("L1 time", "L2 time", "time beyond L2")] == [4, 14, 200], read
    assert [s["name"] for s in curve["series"]][:2] == ["4 KiB", "8 KiB"], curve
    shown = play(SMALL, "saavedra").splitlines()
    assert "saavedra, ascending" in shown and any("L1 size 32 to 64 KiB" in line for line in shown), shown
    assert not any(line.endswith(" ") or len(line) > 100 for line in shown), shown


def neither_runs_unless_it_is_named():
    listed = run([HWCHAR, "--list"]).stdout
    for probe in "fira", "saavedra":
        assert "runs only when it is named" in listed[listed.index(f"\n{probe} "):].split("\n\n")[0][:400], listed


main([a_level_that_is_not_lru_is_told_from_those_that_are, the_clock_infers_misses_where_nothing_counts,
      prefetchers_spoil_one_order_and_not_the_other, pages_at_random_are_no_policy,
      the_surface_is_read_off_and_shown_if_it_is_named, neither_runs_unless_it_is_named])
