"""An instruction cache behind a cache of decoded instructions that is larger, and has as many ways."""
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


main([the_instruction_cache_is_told_by_the_clock, the_instruction_cache_is_told_by_counters])
