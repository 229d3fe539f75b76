"""Exclusive second levels on pages in random order: what the first level keeps of a set is not theirs."""
import json

from harness import ROOT, main, options
from made_machine import machine_of_two_levels, verdicts_on, verdicts_on_level_two

OPTIONS = options()


def geometry_of(name, of_first, pages="random", witness="clock", **changes):
    """The verdicts on the second level, with these changes to it and to the first."""
    machine = machine_of_two_levels(name, inclusion="exclusive", **changes)
    for cache in machine["caches"]:
        if cache["level"] == 1 and cache["kind"] == "data":
            cache.update(of_first)
    machine.update({"physical_pages": pages, "superpages": []})
    return verdicts_on_level_two(OPTIONS.hwchar, machine, witness)


def a_first_level_with_the_period_of_a_page():
    assert geometry_of("skylake", {}, replacement="lru") == ["right"] * 3


def a_first_level_whose_lines_at_one_place_of_a_page_fill_several_sets():
    assert geometry_of("skylake", {"size": 131072, "associativity": 4}, size=1 << 20, associativity=8) == ["right"] * 3


def a_first_level_of_random_replacement():
    assert geometry_of("skylake", {"replacement": "random"}, size=524288, associativity=8) == ["right"] * 3


def few_sets_by_counters():
    """What the first level keeps of lines of four sets would be some lines more, never as many in two ballots."""
    assert geometry_of("skylake", {}, witness="counters", size=262144, associativity=16) == ["right"] * 3


def three_sets_by_counters():
    """Lines that share a set of the first level lie in all of these three, so that nothing can empty it beside them."""
    small = {"associativity": 2, "replacement": "lru"}
    found = geometry_of("skylake", small, "contiguous", "counters", size=196608, associativity=16, replacement="lru")
    assert found == ["right"] * 3, found


def one_set_for_all_lines_at_one_place_of_their_pages_tells_nothing():
    small = {"size": 4096, "associativity": 4}
    found = geometry_of("skylake", small, size=49152, associativity=12, replacement="tree-plru")
    assert "wrong" not in found, found


def a_size_that_no_conflict_tells_is_bounded():
    """The K10's second level has as many sets as the first; footprints tell how much both hold."""
    machine = json.loads((ROOT / "machines/amd-k10.json").read_text())
    found = verdicts_on(OPTIONS.hwchar, machine, "clock", "capacity")
    assert found["L2.size"] == "interval", found["L2.size"]


def a_level_whose_misses_add_little_is_still_seen_to_hold_victims():
    """They add less than what a reading takes by itself. Where hits take lines out, nothing tells srrip from nru."""
    machine = machine_of_two_levels("power9", inclusion="exclusive", size=98304, associativity=12,
                                    replacement="srrip", latency=20)
    machine |= {"memory_latency": 35, "physical_pages": "contiguous"}
    machine["caches"][0].update({"size": 4096, "associativity": 4})
    found = verdicts_on(OPTIONS.hwchar, machine, "clock", "data_cache", "replacement")
    assert found["L2.replacement"] == "class", found["L2.replacement"]


# The gate's time is short.
main([a_first_level_with_the_period_of_a_page, three_sets_by_counters, a_size_that_no_conflict_tells_is_bounded,
      a_level_whose_misses_add_little_is_still_seen_to_hold_victims,
      one_set_for_all_lines_at_one_place_of_their_pages_tells_nothing] +
     [few_sets_by_counters, a_first_level_whose_lines_at_one_place_of_a_page_fill_several_sets,
      a_first_level_of_random_replacement] * ("all" in OPTIONS.rest))
