"""Second levels of several policies by the clock, pages of 4 KiB in random order: a set that is just full puts a line out
as surely as many more lines do under some of them, and now and then under others (eviction_set.c)."""
from harness import main, options
from made_machine import machine_of_two_levels, verdicts_on_level_two

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
SURE = ("lru", "srrip", "nru", "QLRU_H11_M1_R0_U0")
UNSURE = ("fifo", "tree-plru", "random")


def geometry_under(policy):
    return verdicts_on_level_two(HWCHAR, machine_of_two_levels("vm-cascade-lake-4k", replacement=policy), "clock")


def the_geometry_is_right_whatever_the_policy():
    for policy in SURE + UNSURE:
        assert geometry_under(policy) == ["right"] * 3, policy


def one_of_those_that_spare_lines():
    """The gate's time is short, and its own machines have policies that do not."""
    assert geometry_under(UNSURE[0]) == ["right"] * 3, UNSURE[0]


def a_prefetcher_that_learns_regions_hides_nothing():
    """As AMD's does: a line that always comes after another one of its page is brought in with it."""
    machine = machine_of_two_levels("vm-cascade-lake-4k")
    machine["prefetch"] = "region"
    assert verdicts_on_level_two(HWCHAR, machine, "clock") == ["right"] * 3


main([the_geometry_is_right_whatever_the_policy if "all" in OPTIONS.rest else one_of_those_that_spare_lines,
      a_prefetcher_that_learns_regions_hides_nothing])
