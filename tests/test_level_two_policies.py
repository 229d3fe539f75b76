"""Second levels of several policies by the clock, pages of 4 KiB in random order: a set that is just full puts a line out
as surely as many more lines do under some of them, and now and then under others (eviction_set.c)."""
import json

from harness import ROOT, main, options
from made_machine import verdicts_on

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
GEOMETRY = ("L2.line_size", "L2.size", "L2.associativity")
SURE = ("lru", "srrip", "nru", "QLRU_H11_M1_R0_U0")
UNSURE = ("fifo", "tree-plru", "random")


def geometry_under(policy):
    machine = json.loads((ROOT / "machines" / "vm-cascade-lake-4k.json").read_text())
    machine["caches"] = [cache for cache in machine["caches"] if cache["level"] <= 2]  # no other is asked about
    for cache in machine["caches"]:
        if cache["level"] == 2:
            cache["replacement"] = policy
    found = verdicts_on(HWCHAR, machine, "clock", "data_cache")
    return [found[cell] for cell in GEOMETRY]


def the_geometry_is_right_whatever_the_policy():
    for policy in SURE + UNSURE:
        assert geometry_under(policy) == ["right"] * 3, policy


def one_of_those_that_spare_lines():
    """The gate's time is short, and its own machines have policies that do not."""
    assert geometry_under(UNSURE[0]) == ["right"] * 3, UNSURE[0]


main([the_geometry_is_right_whatever_the_policy] if "all" in OPTIONS.rest else [one_of_those_that_spare_lines])
