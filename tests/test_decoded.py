"""Instruction caches behind a cache of decoded instructions that is larger, and has as many ways, or more."""
from harness import MACHINE, main, options
from made_machine import verdicts_on

HWCHAR = options().hwchar
DECODED = MACHINE | {
    "caches": MACHINE["caches"] + [{"level": 1, "kind": "instruction", "size": 16384, "line_size": 64,
                                    "associativity": 8, "latency": 4, "replacement": "tree-plru"}],
    "decoded": {"entries": 512, "associativity": 8, "line_size": 64, "instructions": 8, "miss_penalty": 4}}


def asked(witness):
    found = verdicts_on(HWCHAR, DECODED, witness, "instruction_cache")
    cells = {cell: found[cell] for cell in ("L1i.line_size", "L1i.size", "L1i.associativity")}
    assert set(cells.values()) == {"right"}, (witness, cells)


def the_instruction_cache_is_told_by_the_clock():
    asked("clock")


def the_instruction_cache_is_told_by_counters():
    asked("counters")


def seen_of_a_second_level(ways):
    """By counters, of one for code alone, behind a first level of 8 ways and decoded instructions of 16."""
    first, second = MACHINE["caches"]
    code = {"kind": "instruction", "line_size": 64, "latency": 4, "replacement": "tree-plru"}
    machine = MACHINE | {
        "caches": [first, second | {"kind": "data"}, first | code | {"size": 16384, "associativity": 8},
                   second | code | {"size": 262144, "associativity": ways, "latency": 14},
                   second | {"level": 3, "size": 4194304, "associativity": 16, "latency": 40}],
        "decoded": {"entries": 1024, "associativity": 16, "line_size": 64, "instructions": 6, "miss_penalty": 4}}
    found = verdicts_on(HWCHAR, machine, "counters", "lower_instruction_cache")
    return [found[cell] for cell in ("L2i.line_size", "L2i.size", "L2i.associativity")]


def what_is_kept_decoded_is_not_taken_for_the_second_levels_ways():
    """The first level hides one of fewer ways."""
    assert seen_of_a_second_level(4) == ["null:inconclusive"] * 3, seen_of_a_second_level(4)
    assert seen_of_a_second_level(32) == ["right"] * 3, seen_of_a_second_level(32)


main([the_instruction_cache_is_told_by_the_clock, the_instruction_cache_is_told_by_counters,
      what_is_kept_decoded_is_not_taken_for_the_second_levels_ways])
