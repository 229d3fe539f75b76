"""First levels by the clock, and what they are compared with."""
from harness import MACHINE, main, options
from made_machine import verdicts_on

HWCHAR = options().hwchar


def a_control_that_is_as_long_as_a_direct_mapped_level_stays_in_it():
    """The level holds 32 pages. Had the control's 33rd page a line at the place of its first, all of its references would
    miss, and footprints of any size would seem to fit."""
    first = dict(MACHINE["caches"][0], size=131072, associativity=1)
    found = verdicts_on(HWCHAR, MACHINE | {"caches": [first]}, "clock", "data_cache")
    assert all(found[f"L1.{cell}"] == "right" for cell in ("size", "line_size")), found


def found_beside_a_small_tlb(write_back):
    """The level holds as many pages as the TLB, the next one takes twice as long, and a translation as much again."""
    first = dict(MACHINE["caches"][0], size=131072, associativity=4, latency=5, write_back=write_back)
    second = dict(MACHINE["caches"][1], size=2 << 20, latency=10)
    tlb = {"level": 1, "kind": "data", "page_size": 4096, "entries": 32, "associativity": 32, "replacement": "lru",
           "miss_penalty": 10}
    return verdicts_on(HWCHAR, MACHINE | {"caches": [first, second], "tlbs": [tlb]}, "clock", "write_back")


def a_walk_and_its_control_take_the_same_translations():
    """In a random order of all lines, pages of twice the level hit the TLB half of the time, and those of a control that
    goes round over them never: what that saves hides what the level's misses take."""
    found = found_beside_a_small_tlb(True)
    assert found["L1.size"] == found["L1.associativity"] == "right", found


main([a_control_that_is_as_long_as_a_direct_mapped_level_stays_in_it, a_walk_and_its_control_take_the_same_translations])
