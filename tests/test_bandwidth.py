"""The bandwidth of each level and of memory is what the machine file says; where it says nothing, none is made up."""
import json
import pathlib
import tempfile

from harness import ROOT, main, options, run, write_json

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
KINDS = ("bandwidth", "write_bandwidth", "copy_bandwidth")
MEGAHERTZ = 2000
FIRST = {"level": 1, "kind": "data", "size": 16384, "line_size": 64, "associativity": 4, "latency": 4,
         "replacement": "lru", "bandwidth": 64}
SECOND = {"level": 2, "kind": "unified", "size": 262144, "line_size": 64, "associativity": 8, "latency": 14,
          "replacement": "lru", "bandwidth": 24}
THIRD = {"level": 3, "kind": "unified", "size": 4194304, "line_size": 64, "associativity": 16, "latency": 40,
         "replacement": "lru", "bandwidth": 12.5}
NOISE = {"context_switches_per_ms": 0.2, "lines_lost_per_switch": 40, "counter_overhead": 3, "latency_jitter": 0.02}


def machine(*caches, **more):
    return {"schema": "hwchar-machine/1", "name": "a test's machine", "frequency_mhz": MEGAHERTZ, "page_size": 4096,
            "memory_latency": 150, "memory_bandwidth": 5, "caches": list(caches), "physical_pages": "contiguous",
            "noise": NOISE, **more}


def without(cache, key):
    return {name: value for name, value in cache.items() if name != key}


def printed(description, *arguments):
    with tempfile.TemporaryDirectory() as directory:
        path = write_json(pathlib.Path(directory) / "machine.json", description)
        done = run([HWCHAR, f"--machine={path}", *arguments, "bandwidth"])
    assert done.returncode == 0, done.stderr
    return done.stdout


def seen(description, *arguments):
    """{"L1": its findings, ..., "memory": its findings}"""
    profile = json.loads(printed(description, "--json", *arguments))
    return {**{f"L{cache['level']}": cache for cache in profile["caches"]}, "memory": profile["memory"]}


def expect(found, level, *bytes_a_cycle):
    """Of reads, writes and copies; of all alike if there is one."""
    for kind, expected in zip(KINDS, bytes_a_cycle * (3 // len(bytes_a_cycle))):
        finding = found[level][kind]
        assert finding["value"] is not None, (level, kind, finding)
        assert abs(finding["value"] / (expected * MEGAHERTZ) - 1) < 0.05, (level, kind, expected, finding)
        assert finding["unit"] == "MB/s" and finding["witness"] == "clock", finding


def expect_none(found, level, why, needle):
    for kind in KINDS:
        finding = found[level][kind]
        assert finding["value"] is None and finding["kind"] == why and needle in finding["reason"], (level, finding)


def each_level_gives_what_its_file_says():
    for witness in ((), ("--counters",)):
        found = seen(machine(FIRST, SECOND, THIRD), *witness)
        for level, expected in (("L1", 64), ("L2", 24), ("L3", 12.5), ("memory", 5)):
            expect(found, level, expected)


def whatever_the_policies_and_pages():
    found = seen(machine(FIRST | {"replacement": "random"}, SECOND | {"replacement": "tree-plru", "size": 524288},
                         physical_pages="random", superpages=[2097152]))
    for level, expected in (("L1", 64), ("L2", 24), ("memory", 5)):
        expect(found, level, expected)


def prefetchers_and_longer_lines_change_nothing():
    found = seen(machine(FIRST | {"line_size": 32}, SECOND | {"line_size": 128}, prefetch=["next-line", "stream"]))
    for level, expected in (("L1", 64), ("L2", 24), ("memory", 5)):
        expect(found, level, expected)


def stores_that_go_through_are_as_slow_as_the_next_level():
    found = seen(machine(FIRST | {"write_back": False}, SECOND))
    expect(found, "L1", 64, 24, 2 / (1 / 64 + 1 / 24))
    expect(found, "L2", 24)


def a_coarse_clock_tells_them_too():
    found = seen(machine(FIRST, SECOND, clock_step=40))
    for level, expected in (("L1", 64), ("L2", 24), ("memory", 5)):
        expect(found, level, expected)


def a_level_that_is_little_larger_than_the_one_above_has_none():
    found = seen(machine(FIRST, SECOND | {"size": 65536}))
    expect(found, "L1", 64)
    expect_none(found, "L2", "inconclusive", "no footprint")
    expect(found, "memory", 5)


def a_level_whose_size_is_bounded_has_one():
    """As the last level of a virtual machine has, whose pages lie anywhere."""
    machine = json.loads((ROOT / "machines/vm-zen-coarse-clock.json").read_text()) | {"memory_bandwidth": 5}
    for cache in machine["caches"]:
        if cache["kind"] != "instruction":
            cache["bandwidth"] = 50 / cache["level"]
    profile = json.loads(printed(machine, "--json", "--seed=1", "--votes=2"))
    last = profile["caches"][2]
    assert last["size"]["value"] is None, last["size"]
    finding = last["bandwidth"]
    assert abs(finding["value"] / (50 / 3 * machine["frequency_mhz"]) - 1) < 0.05, finding


def a_file_without_them_has_none():
    for description in (machine(FIRST, without(SECOND, "bandwidth")), without(machine(FIRST), "memory_bandwidth")):
        found = seen(description)
        for level in found:
            expect_none(found, level, "unavailable", "how many bytes a cycle")


def the_line_of_a_level_has_that_of_reads():
    description = machine(FIRST | {"bandwidth": 0.25}, SECOND | {"bandwidth": 0.2}, memory_bandwidth=0.125)
    text, rows = printed(description), printed(description, "-v")
    assert text.count("MB/s read") == 3 and "write" not in text and "copy" not in text, text
    assert all(rows.count(f"{kind} bandwidth") == 3 for kind in ("read", "write", "copy")), rows
    assert "GB/s read" in printed(machine(FIRST)), text


def real_noise_makes_nothing_up():
    """A recording of a virtual machine whose sibling is busy: the median may be a little slower."""
    found = seen(machine(FIRST, SECOND, noise={"recording": str(ROOT / "machines/noise/amd-zen5-guest-2026-11.json")}))
    for level, expected in (("L1", 64), ("memory", 5)):
        for kind in KINDS:
            value = found[level][kind]["value"]
            assert value is None or 0.8 < value / (expected * MEGAHERTZ) < 1.1, (level, kind, found[level][kind])


main([each_level_gives_what_its_file_says, whatever_the_policies_and_pages,
      prefetchers_and_longer_lines_change_nothing, stores_that_go_through_are_as_slow_as_the_next_level,
      a_coarse_clock_tells_them_too, a_level_that_is_little_larger_than_the_one_above_has_none,
      a_file_without_them_has_none, the_line_of_a_level_has_that_of_reads, real_noise_makes_nothing_up] +
     [a_level_whose_size_is_bounded_has_one] * ("all" in OPTIONS.rest))
