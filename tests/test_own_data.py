"""Where data of the program's own lies in half of the first level's sets, policies are told all the same: by sets in which
none of it lies."""
from harness import MACHINE, main, options
from made_machine import verdicts_on

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
NOISE = {"context_switches_per_ms": 0.2, "lines_lost_per_switch": 40, "counter_overhead": 3, "latency_jitter": 0.02,
         "own_lines": 40}


def first_level_following(policy):
    first, second = MACHINE["caches"]
    return {**MACHINE, "name": policy, "noise": NOISE, "caches": [{**first, "replacement": policy}, second]}


def policies_are_told_by_sets_that_are_ours():
    policies = ("tree-plru", "lru", "QLRU_H00_M1_R0_U1")
    for policy in policies if "all" in OPTIONS.rest else policies[:1]:
        for witness in ("counters", "clock"):
            found = verdicts_on(HWCHAR, first_level_following(policy), witness, "replacement")["L1.replacement"]
            assert found == "right", (policy, witness, found)


main([policies_are_told_by_sets_that_are_ours])
