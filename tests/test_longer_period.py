"""A first level whose sets repeat after more than a page, and which goes by virtual addresses: lines that share a set
of the second level, on pages in random order, lie in several of its sets."""
from harness import main, options
from made_machine import verdicts_on

OPTIONS = options()


def verdict_on(what, above, inclusion):
    """By the first level's policy and what the second one is."""
    first = {"level": 1, "kind": "data", "size": 24576, "line_size": 64, "associativity": 3, "latency": 4,
             "replacement": above}
    second = {"level": 2, "kind": "unified", "size": 131072, "line_size": 64, "associativity": 4, "latency": 14,
              "replacement": "lru", "inclusion": inclusion}
    machine = {"schema": "hwchar-machine/1", "name": f"{above}, {inclusion}", "frequency_mhz": 2000,
               "memory_latency": 200, "page_size": 4096, "physical_pages": "random", "caches": [first, second]}
    return verdicts_on(OPTIONS.hwchar, machine, "clock", what)[f"L2.{what}"]


def inclusion_is_that_of_one_set_above():
    assert verdict_on("inclusion", "lru", "inclusive") == "right"
    assert verdict_on("inclusion", "fifo", "exclusive") == "right"
    assert verdict_on("inclusion", "fifo", "nine") != "wrong"


def a_policy_is_seen_by_what_puts_lines_out_of_one_set_above():
    assert verdict_on("replacement", "fifo", "nine") == "right"


main([inclusion_is_that_of_one_set_above, a_policy_is_seen_by_what_puts_lines_out_of_one_set_above])
