"""A second TLB whose misses take the longer, the more pages there are, as walks read tables that leave the caches: the
curve of time shows no plateau, and few pages of one set tell its geometry."""
from harness import MACHINE, main, options
from made_machine import verdicts_on

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
FIRST, SECOND = MACHINE["caches"]
SMALL = {"level": 1, "kind": "data", "entries": 64, "associativity": 64, "page_size": 4096, "replacement": "lru",
         "miss_penalty": 7}


def machine_of(entries, ways, policy):
    """Walks of twice as many pages as the TLB has entries take up to 50 cycles longer, and none of few pages does."""
    return MACHINE | {
        "memory_latency": 300, "physical_pages": "random",
        "caches": [FIRST, SECOND | {"size": 1048576, "associativity": 8, "inclusion": "nine"}],
        "tlbs": [SMALL, SMALL | {"level": 2, "entries": entries, "associativity": ways, "replacement": policy,
                                 "miss_penalty": 25}],
        "page_walk": [{"covers": 32768, "entries": entries // 4, "cycles": 20},
                      {"covers": 131072, "entries": entries // 8, "cycles": 30}]}


def geometry_on(entries, ways, policy):
    found = verdicts_on(HWCHAR, machine_of(entries, ways, policy), "clock", "tlb")
    return [found[cell] for cell in ("DTLB2.entries", "DTLB2.associativity", "DTLB2.page_size")]


def few_pages_of_one_set_tell_the_geometry():
    machines = ((3072, 12, "lru"), (1024, 4, "nru"), (2048, 16, "tree-plru"), (1536, 6, "fifo"))
    for machine in machines if "all" in OPTIONS.rest else machines[1:2]:
        assert geometry_on(*machine) == ["right"] * 3, (machine, geometry_on(*machine))


def what_chance_keeps_is_not_taken_for_less_or_more():
    """Of one page more than a set has ways, a random policy misses a few in a pass, in any order."""
    machines = ((1024, 8, "random"), (2048, 4, "random"))
    for machine in machines if "all" in OPTIONS.rest else machines[:1]:
        for verdict in geometry_on(*machine):
            assert verdict in ("right", "interval") or verdict.startswith("null:"), (machine, verdict)


main([few_pages_of_one_set_tell_the_geometry, what_chance_keeps_is_not_taken_for_less_or_more])
