"""papi_cacheSize and papi_cacheBlock: what is read off their curves is right, or nothing."""
import contextlib
import copy
import functools
import io
import json
import pathlib
import sys
import tempfile

from harness import MACHINE, ROOT, main, options, run, write_json

sys.path.insert(0, str(ROOT / "scripts/lib"))
import papi_figures

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
KIB = 1024


def curves_of(path, *arguments):
    done = run([HWCHAR, f"--machine={path}", "--json", *arguments])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@functools.cache
def itanium(*arguments):
    return curves_of(ROOT / f"machines/{papi_figures.MACHINE}.json", *papi_figures.PROBES, "bank_conflicts", *arguments)


def read_off(machine, *arguments):
    """{(type, name): value} of papi_cacheSize on a machine made for it."""
    return {name: r["value"] for name, r in all_read_off(machine, *arguments).items()}


def all_read_off(machine, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        profile = curves_of(write_json(pathlib.Path(folder) / "m.json", machine), "papi_cache_size", *arguments)
    return {(c["type"], r["name"]): r for c in profile["curves"] for r in c["read_off"]}


def of_level_two(**changes):
    first, second = MACHINE["caches"]
    return {**MACHINE, "page_size": 4096, "caches": [first, {**second, **changes}]}


def counters_show_what_the_paper_reads_off():
    for curve, kind, name, value in papi_figures.VALUES + papi_figures.REACH:
        assert papi_figures.said(itanium("--counters"), curve, kind, name) == (value, True), (curve, kind, name)


def the_clock_shows_the_same():
    for curve, kind, name, value in papi_figures.VALUES:
        assert papi_figures.said(itanium(), curve, kind, name) == (value, False), (curve, kind, name)


def nothing_is_said_of_a_level_that_floating_point_data_bypass():
    for profile in (itanium("--counters"), itanium()):
        for curve in profile["curves"]:
            if curve["type"] == "double":
                assert not any(r["value"] for r in curve["read_off"] if r["name"].startswith("L1"))


def no_finding_is_made_of_curves():
    assert itanium()["caches"] == [] and itanium()["tlbs"] == []


def pages_at_random_give_no_wrong_size():
    found = read_off({**of_level_two(), "physical_pages": "random"}, "--counters")
    assert found["int", "L1 size"] == 32 * KIB and found["int", "L2 size"] is None, found


def where_a_step_has_no_corner_the_clock_bounds_the_size():
    """And names no level that it has not seen."""
    found = all_read_off({**of_level_two(), "physical_pages": "random"})
    second = found["int", "L2 size"]
    assert found["int", "L1 size"]["value"] == 32 * KIB, found
    assert second["value"] is None and second["low"] <= 512 * KIB <= second["high"] < 2 * second["low"], second
    sizes = sorted(name for kind, name in found if kind == "int" and name.endswith("size"))
    assert sizes == ["L1 size", "L2 size"], found


def other_policies_give_no_wrong_size():
    """Misses follow the ramp of LRU, or nothing is read off them."""
    machine = of_level_two(replacement="random")
    for witness in ("--counters",), ():
        size = all_read_off(machine, *witness).get(("int", "L2 size"), {"value": None})
        assert size["value"] in (None, 512 * KIB) and size.get("low", 0) <= 512 * KIB <= size.get("high", 1 << 40), size


def a_size_that_is_not_round_is_counted():
    found = read_off(of_level_two(size=11 * 48 * 1024, associativity=11), "--counters")
    assert found["int", "L2 size"] == 11 * 48 * 1024


def figures_that_differ_are_counted():
    profiles = {name: itanium() for name in papi_figures.REMOVED} | {"counters": itanium("--counters")}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert papi_figures.compare(profiles) == 0
        wrong = copy.deepcopy(itanium())
        papi_figures.curve_of(wrong, papi_figures.SIZE, "int")["read_off"][0]["value"] = 1
        assert papi_figures.compare({**profiles, "all": wrong}) == 1
        every = len(papi_figures.VALUES + papi_figures.REACH)
        assert papi_figures.compare({**profiles, "counters": itanium()}) == every
    assert "DIFFERS" in printed.getvalue()


# What is counted takes most of the time: "all" has it.
TESTS = [the_clock_shows_the_same, no_finding_is_made_of_curves, where_a_step_has_no_corner_the_clock_bounds_the_size]
COUNTED = [counters_show_what_the_paper_reads_off, nothing_is_said_of_a_level_that_floating_point_data_bypass,
           pages_at_random_give_no_wrong_size, other_policies_give_no_wrong_size, a_size_that_is_not_round_is_counted,
           figures_that_differ_are_counted]

main(TESTS + (COUNTED if "all" in OPTIONS.rest else []))
