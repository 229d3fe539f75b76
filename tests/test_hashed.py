"""Second levels whose sets a hash moves about: plain indexing's arithmetic gives them several times their size."""
from harness import main, options
from made_machine import machine_of_two_levels, verdicts_on_level_two

OPTIONS = options()
HWCHAR = OPTIONS.hwchar


def geometry_of(name, bits, contiguous, witness):
    """The verdicts on the second level, hashed by so many bits."""
    machine = machine_of_two_levels(name, hashed_bits=bits)
    if not contiguous:
        machine["superpages"] = []
    return verdicts_on_level_two(HWCHAR, machine, witness)


def counters_see_through_the_hash():
    for name, contiguous in (("zen2", True), ("zen2", False), ("skylake", True)):
        found = geometry_of(name, 2, contiguous, "counters")
        assert found == ["right"] * 3, (name, contiguous, found)


def the_clock_is_right_or_silent():
    for name in ("zen2", "skylake"):
        for bits in (1, 2):
            found = geometry_of(name, bits, True, "clock")
            assert "wrong" not in found, (name, bits, found)


def one_of_each():
    """The gate's time is short."""
    assert geometry_of("skylake", 2, True, "counters") == ["right"] * 3
    assert "wrong" not in geometry_of("skylake", 2, True, "clock")


main([counters_see_through_the_hash, the_clock_is_right_or_silent] if "all" in OPTIONS.rest else [one_of_each])
