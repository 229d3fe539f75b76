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


main([a_control_that_is_as_long_as_a_direct_mapped_level_stays_in_it])
