"""The size of a level below the second on pages in random order, by lines of one set of the level above."""
import copy
import json
import pathlib
import tempfile

import made_machine
from harness import ROOT, main, options, run, write_json

OPTIONS = options()
BASE = json.loads((ROOT / "machines/zen3.json").read_text())


def machine_with(third, second=None, **changes):
    machine = copy.deepcopy(BASE)
    machine.update({"name": "lower-size", "physical_pages": "random", "superpages": [], **changes})
    changes = {2: {"size": 262144, "associativity": 8, "inclusion": "nine", **(second or {})},
               3: {"size": 3 << 20, "associativity": 12, "replacement": "random", **third}}
    for cache in machine["caches"]:
        cache.update(changes.get(cache["level"], {}))
        cache.pop("slices", None) if cache.get("hashed_bits") else None
    return machine


def size_of(third, second=None):
    """The verdict on the third level's size, with these changes to it and to the second."""
    return made_machine.verdicts_on(OPTIONS.hwchar, machine_with(third, second), "clock", "lower_size")["L3.size"]


def bounds_of_size(machine):
    with tempfile.TemporaryDirectory() as folder:
        path = write_json(pathlib.Path(folder) / "m.json", machine)
        done = run([OPTIONS.hwchar, f"--machine={path}", "--seed=1", "--json", "lower_size"])
    size = json.loads(done.stdout)["caches"][2]["size"]
    return size["low"], size["high"]


def counted_loads_bound_an_exclusive_level_closely():
    low, high = bounds_of_size(machine_with({"inclusion": "exclusive", "slices": 8}))
    assert low <= 3 << 20 <= high <= 1.5 * low, (low, high)


def so_they_do_by_a_clock_of_coarse_steps():
    """A step is as long as a hit; memory takes three of them longer, and more."""
    low, high = bounds_of_size(machine_with({"inclusion": "exclusive"}, clock_step=50))
    assert low <= 3 << 20 <= high <= 1.5 * low, (low, high)


def an_inclusive_level_has_bounds():
    assert size_of({"inclusion": "inclusive", "replacement": "tree-plru", "size": 4 << 20, "associativity": 16}) == "interval"


def columns_that_share_sets_do_not_tell():
    """A hash moves lines of a set of the level above to all sets of this one."""
    verdict = size_of({"inclusion": "nine", "hashed_bits": 10, "size": 2 << 20, "associativity": 4, "replacement": "lru"})
    assert verdict.startswith("null"), verdict


def nor_where_only_the_level_above_is_hashed():
    verdict = size_of({"inclusion": "nine", "slices": 4}, {"hashed_bits": 8})
    assert verdict.startswith("null"), verdict


def nor_do_those_of_other_pages():
    """Each slice has half as many sets as the level above: two of that level's share each, at all places of a page."""
    verdict = size_of({"inclusion": "nine", "slices": 4, "size": 2 << 20, "associativity": 8, "replacement": "lru"},
                      {"size": 524288, "associativity": 4})
    assert verdict.startswith("null"), verdict


def both_halves_of_a_line_of_the_level_above_are_one_line():
    """Taken for two, they make this level look twice as large: the bounds' middle tells, where the lower one just holds."""
    def cache(level, size, line, ways, latency, policy):
        return {"level": level, "kind": "data", "size": size, "line_size": line, "associativity": ways, "latency": latency,
                "replacement": policy}

    machine = {"schema": "hwchar-machine/1", "name": "long-lines", "memory_latency": 300, "physical_pages": "random",
               "caches": [cache(1, 24576, 64, 3, 4, "fifo"), cache(2, 262144, 128, 4, 14, "bit-plru"),
                          cache(3, 2 << 20, 256, 8, 70, "bit-plru")]}
    low, high = bounds_of_size(machine)
    assert low <= 2 << 20 <= high and low * high < (2.5 * (1 << 20)) ** 2, (low, high)


# The gate's time is short.
main([counted_loads_bound_an_exclusive_level_closely,
      both_halves_of_a_line_of_the_level_above_are_one_line] +
     ([nor_do_those_of_other_pages, so_they_do_by_a_clock_of_coarse_steps, an_inclusive_level_has_bounds, columns_that_share_sets_do_not_tell,
       nor_where_only_the_level_above_is_hashed] if "all" in OPTIONS.rest else []))
