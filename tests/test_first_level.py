"""First levels by the clock, and what they are compared with."""
from harness import MACHINE, main, options
from made_machine import verdicts_on

OPTIONS = options()
HWCHAR = OPTIONS.hwchar


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
    assert found["L1.size"] == found["L1.associativity"] == found["L1.write_back"] == "right", found


def what_a_translation_takes_is_not_saved_by_a_hit():
    """It would look like a level that writes back."""
    assert found_beside_a_small_tlb(False)["L1.write_back"] != "wrong"


def stores_that_hit_save_no_more_than_loads_that_hit():
    """Of a miss that takes twice as long as a hit, that is half at most; random replacement leaves less."""
    first = dict(MACHINE["caches"][0], latency=5, replacement="random", write_back=True)
    second = dict(MACHINE["caches"][1], latency=10)
    assert verdicts_on(HWCHAR, MACHINE | {"caches": [first, second]}, "clock", "write_back")["L1.write_back"] == "right"


def what_memory_takes_is_no_miss_of_it():
    """Lines at one place of their pages soon miss the next level, too, whose two ways they fill; and the time of a miss that
    memory serves hides those that the next level serves."""
    first = dict(MACHINE["caches"][0], size=65536)
    second = dict(MACHINE["caches"][1], size=262144, associativity=2, latency=10)
    machine = MACHINE | {"caches": [first, second], "physical_pages": "random", "page_size": 4096, "superpages": []}
    found = verdicts_on(HWCHAR, machine, "clock", "data_cache")
    assert found["L1.size"] == found["L1.associativity"] == "right", found


main([a_control_that_is_as_long_as_a_direct_mapped_level_stays_in_it, a_walk_and_its_control_take_the_same_translations,
      what_a_translation_takes_is_not_saved_by_a_hit, stores_that_hit_save_no_more_than_loads_that_hit,
      *([what_memory_takes_is_no_miss_of_it] if "all" in OPTIONS.rest else [])])
