"""Machines that look like others by the clock: what is said of them is true."""
import json

import made_machine
from harness import ROOT, main, options

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
BASE = {"schema": "hwchar-machine/1", "source": "made by a test", "frequency_mhz": 2000}


def machine_of_three_levels(policy, inclusion):
    """Lines of the third level's sets compete in the second, whose policy may let go of a line just used."""
    return {**BASE, "name": f"{policy}-{inclusion}", "memory_latency": 200, "page_size": 4096, "caches": [
        {"level": 1, "kind": "data", "size": 4096, "line_size": 64, "associativity": 1, "latency": 2,
         "replacement": "lru"},
        {"level": 2, "kind": "unified", "size": 32768, "line_size": 64, "associativity": 4, "latency": 10,
         "replacement": policy, "inclusion": "nine"},
        {"level": 3, "kind": "unified", "size": 524288, "line_size": 64, "associativity": 16, "latency": 50,
         "replacement": "QLRU_H11_M1_R0_U0", "inclusion": inclusion}]}


def inclusion_is_told_whatever_the_policy_above():
    policies = ("nru", "bit-plru", "tree-plru", "lru", "srrip", "QLRU_H11_M1_R0_U0")
    for policy in policies if "all" in OPTIONS.rest else policies[:1]:
        for inclusion in ("nine", "inclusive"):
            machine = machine_of_three_levels(policy, inclusion)
            verdict = made_machine.verdicts_on(HWCHAR, machine, "clock", "inclusion")["L3.inclusion"]
            assert verdict == "right", (policy, inclusion, verdict)


def a_next_level_that_puts_a_line_out_makes_no_inclusive_one():
    """Lines of a set of two ways are too many for one of four of an inclusive third level."""
    for second, third in (("nine", "inclusive"), ("inclusive", "nine"), ("inclusive", "inclusive")):
        machine = {**BASE, "name": "few-ways-below", "memory_latency": 200, "page_size": 4096, "caches": [
            {"level": 1, "kind": "data", "size": 8192, "line_size": 64, "associativity": 8, "latency": 2,
             "replacement": "lru"},
            {"level": 2, "kind": "unified", "size": 65536, "line_size": 64, "associativity": 2, "latency": 14,
             "replacement": "nru", "inclusion": second},
            {"level": 3, "kind": "unified", "size": 262144, "line_size": 64, "associativity": 4, "latency": 50,
             "replacement": "lru", "inclusion": third}]}
        found = made_machine.verdicts_on(HWCHAR, machine, "counters", "inclusion")
        assert found["L2.inclusion"] == "right" or second == "nine" and found["L2.inclusion"] != "wrong", found


def lines_of_one_set_may_lie_in_several_above():
    """The second level has three sets for each of the third's that lines of one set there lie in, and keeps all of them."""
    machine = {**BASE, "name": "thirds", "memory_latency": 150, "page_size": 16384, "physical_pages": "contiguous",
               "superpages": [2097152], "caches": [
        {"level": 1, "kind": "data", "size": 40960, "line_size": 64, "associativity": 5, "latency": 5,
         "replacement": "lru"},
        {"level": 2, "kind": "data", "size": 393216, "line_size": 64, "associativity": 8, "latency": 10,
         "replacement": "fifo", "inclusion": "inclusive"},
        {"level": 3, "kind": "unified", "size": 6291456, "line_size": 64, "associativity": 12, "latency": 50,
         "replacement": "fifo", "inclusion": "nine"}],
        "tlbs": [{"level": 1, "kind": "data", "entries": 64, "associativity": 8, "page_size": 16384,
                  "replacement": "random", "miss_penalty": 10},
                 {"level": 1, "kind": "data", "entries": 32, "associativity": 4, "page_size": 2097152,
                  "replacement": "nru", "miss_penalty": 10},
                 {"level": 2, "kind": "unified", "entries": 1536, "associativity": 12, "page_size": 32768,
                  "sub_pages": 2, "replacement": "QLRU_H00_M1_R2_U1", "miss_penalty": 25}]}
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "inclusion")
    assert found["L2.inclusion"] == "right" and found["L3.inclusion"] != "wrong", found


def pairs_of_lines_are_no_lines():
    """A level brings in pairs, so that in the next one pairs seem to come and go together; and translation takes about as
    long as half a miss there, so that a flush tells nothing."""
    machine = {**BASE, "name": "pairs", "memory_latency": 150, "page_size": 4096, "prefetch": "next-line", "caches": [
        {"level": 1, "kind": "data", "size": 24576, "line_size": 64, "associativity": 12, "latency": 5,
         "replacement": "fifo"},
        {"level": 2, "kind": "unified", "size": 2097152, "line_size": 64, "associativity": 16, "latency": 10,
         "replacement": "nru", "inclusion": "nine"},
        {"level": 3, "kind": "unified", "size": 33554432, "line_size": 64, "associativity": 8, "latency": 70,
         "replacement": "lru", "inclusion": "nine"}],
        "tlbs": [{"level": 1, "kind": "data", "entries": 48, "associativity": 48, "page_size": 4096,
                  "replacement": "QLRU_H00_M1_R2_U1", "miss_penalty": 6},
                 {"level": 2, "kind": "data", "entries": 1024, "associativity": 8, "page_size": 4096,
                  "replacement": "QLRU_H11_M1_R0_U0", "miss_penalty": 35}],
        "noise": {"context_switches_per_ms": 1, "lines_lost_per_switch": 40}}
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "data_cache")
    assert found["L2.line_size"] == "right" and found["L3.line_size"] != "wrong", found
    assert found["L3.size"] == found["L3.associativity"] == "right", found


def a_level_is_not_taken_for_half_of_it():
    """A miss brings the next line, too, so that lines of more places seem to share the sets of one."""
    machine = {**BASE, "name": "half", "memory_latency": 200, "page_size": 16384, "physical_pages": "random",
               "prefetch": "next-line", "caches": [
        {"level": 1, "kind": "data", "size": 131072, "line_size": 16, "associativity": 2, "latency": 3,
         "replacement": "srrip"},
        {"level": 2, "kind": "unified", "size": 1048576, "line_size": 32, "associativity": 8, "latency": 14,
         "replacement": "lru", "inclusion": "inclusive"}],
        "tlbs": [{"level": 1, "kind": "data", "entries": 48, "associativity": 48, "page_size": 16384,
                  "replacement": "lru", "miss_penalty": 6}]}
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "data_cache")
    assert "wrong" not in found.values(), found


def misses_of_a_level_are_not_its_latency():
    """Pages at random places overflow some sets of few ways at less than half of the capacity, in every vote alike."""
    machine = {**BASE, "name": "few-ways", "memory_latency": 300, "page_size": 4096, "physical_pages": "random",
               "prefetch": "next-line", "caches": [
        {"level": 1, "kind": "data", "size": 12288, "line_size": 64, "associativity": 12, "latency": 4,
         "replacement": "QLRU_H00_M1_R2_U1"},
        {"level": 2, "kind": "unified", "size": 262144, "line_size": 64, "associativity": 16, "latency": 10,
         "replacement": "tree-plru", "inclusion": "inclusive"},
        {"level": 3, "kind": "unified", "size": 4194304, "line_size": 64, "associativity": 4, "latency": 70,
         "replacement": "fifo", "inclusion": "inclusive", "slices": 4}],
        "noise": {"context_switches_per_ms": 0.2, "lines_lost_per_switch": 40, "latency_jitter": 0.02}}
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "latency")
    assert found["L2.latency"] == "right" and found["L3.latency"] in ("right", "interval"), found
    assert "wrong" not in found.values(), found


def a_level_of_two_ways_is_not_two():
    """Of pages at random places, some sets of two ways are too full long before the level is."""
    machine = {**BASE, "name": "two-ways", "memory_latency": 150, "page_size": 4096, "physical_pages": "random",
               "prefetch": "stream", "caches": [
        {"level": 1, "kind": "data", "size": 65536, "line_size": 64, "associativity": 8, "latency": 4,
         "replacement": "nru"},
        {"level": 2, "kind": "unified", "size": 1048576, "line_size": 128, "associativity": 2, "latency": 10,
         "replacement": "srrip", "inclusion": "inclusive"}],
        "tlbs": [{"level": 1, "kind": "data", "entries": 48, "associativity": 48, "replacement": "bit-plru",
                  "miss_penalty": 10, "page_size": 4096}],
        "noise": {"context_switches_per_ms": 1, "lines_lost_per_switch": 40, "latency_jitter": 0.02}}
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "capacity")
    assert not any(cell.startswith("L3") for cell in found), found
    assert "wrong" not in found.values(), found


def a_level_of_one_way_is_not_two():
    """What its ways are is found only among as many pages as it has, which are more than the first of the two holds."""
    machine = json.loads((ROOT / "machines/amp-usparc-167.json").read_text())
    machine["physical_pages"] = "random"
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "data_cache", "latency", seed=3)
    assert found["L2.size"] == found["L2.associativity"] == found["L2.latency"] == "right", found
    assert "wrong" not in found.values(), found


def a_level_that_passes_stores_on_is_not_write_back():
    """Of pages at random places, some sets of four ways are too full: what misses comes from memory, and takes so long that
    hits save most of it."""
    machine = {**BASE, "name": "passes-on", "memory_latency": 300, "page_size": 4096, "physical_pages": "random", "caches": [
        {"level": 1, "kind": "data", "size": 131072, "line_size": 16, "associativity": 8, "latency": 4,
         "replacement": "srrip", "write_back": False},
        {"level": 2, "kind": "unified", "size": 1048576, "line_size": 16, "associativity": 4, "latency": 14,
         "replacement": "nru", "inclusion": "nine"}]}
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "data_cache", "write_back")
    assert found["L1.size"] == "right" and found["L1.write_back"] != "wrong", found


def a_first_level_of_many_ways_is_no_exclusive_one_below():
    """It holds as many lines as a set of the second and one of the third."""
    machine = {**BASE, "name": "many-ways", "memory_latency": 200, "page_size": 4096, "caches": [
        {"level": 1, "kind": "data", "size": 131072, "line_size": 32, "associativity": 16, "latency": 2,
         "replacement": "lru"},
        {"level": 2, "kind": "unified", "size": 1048576, "line_size": 32, "associativity": 4, "latency": 20,
         "replacement": "tree-plru", "inclusion": "nine"},
        {"level": 3, "kind": "unified", "size": 6291456, "line_size": 32, "associativity": 12, "latency": 70,
         "replacement": "tree-plru", "inclusion": "nine"}]}
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "data_cache")
    assert found["L3.size"] == "right", found
    assert "wrong" not in found.values(), found


def translation_is_taken_off_where_entries_go_first_in_first_out():
    """Of a few pages more than there are entries, all miss or few do, whatever order filled them."""
    machine = {**BASE, "name": "fifo-tlb", "memory_latency": 200, "page_size": 4096, "physical_pages": "random",
               "caches": [
        {"level": 1, "kind": "data", "size": 16384, "line_size": 16, "associativity": 4, "latency": 4,
         "replacement": "lru"},
        {"level": 2, "kind": "unified", "size": 786432, "line_size": 16, "associativity": 12, "latency": 10,
         "replacement": "lru"}],
        "tlbs": [{"level": 1, "kind": "data", "entries": 56, "associativity": 56, "replacement": "fifo",
                  "miss_penalty": 12, "page_size": 4096}]}
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "latency")
    assert found["L2.latency"] == found["L1.miss_penalty"] == "right", found


def a_cache_of_as_many_lines_is_no_tlb():
    """2048 lines at random places no longer fit a second level where neighbouring ones do."""
    machine = {**BASE, "name": "no-second-tlb", "memory_latency": 300, "page_size": 16384, "caches": [
        {"level": 1, "kind": "data", "size": 12288, "line_size": 128, "associativity": 12, "latency": 3,
         "replacement": "QLRU_H00_M1_R2_U1"},
        {"level": 2, "kind": "unified", "size": 524288, "line_size": 256, "associativity": 4, "latency": 20,
         "replacement": "QLRU_H11_M1_R0_U0", "inclusion": "nine"}],
        "tlbs": [{"level": 1, "kind": "data", "entries": 64, "associativity": 4, "replacement": "lru",
                  "miss_penalty": 8, "page_size": 16384}]}
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "tlb_capacity")
    assert found["DTLB1.entries"] == "right", found
    assert "wrong" not in found.values(), found


def code_caches_of_neighbouring_sizes_are_no_btb():
    """16 KiB step at 1024 jumps 16 bytes apart, and 32 KiB at as many 32 bytes apart."""
    machine = {**BASE, "name": "no-btb-of-1024", "memory_latency": 200, "page_size": 4096, "caches": [
        {"level": 1, "kind": "data", "size": 6144, "line_size": 64, "associativity": 12, "latency": 3,
         "replacement": "lru"},
        {"level": 2, "kind": "data", "size": 1572864, "line_size": 64, "associativity": 12, "latency": 10,
         "replacement": "lru", "inclusion": "nine"},
        {"level": 1, "kind": "instruction", "size": 16384, "line_size": 64, "associativity": 8, "latency": 3,
         "replacement": "lru"},
        {"level": 2, "kind": "instruction", "size": 32768, "line_size": 64, "associativity": 2, "latency": 10,
         "replacement": "tree-plru"}],
        "btb": [{"level": 1, "entries": 128, "associativity": 4, "miss_penalty": 5},
                {"level": 2, "entries": 2048, "associativity": 8, "miss_penalty": 5}]}
    found = made_machine.verdicts_on(HWCHAR, machine, "clock", "btb")
    assert found["BTB1.entries"] == found["BTB1.miss_penalty"] == "right", found
    assert "wrong" not in found.values(), found


main([inclusion_is_told_whatever_the_policy_above, lines_of_one_set_may_lie_in_several_above,
      a_cache_of_as_many_lines_is_no_tlb, code_caches_of_neighbouring_sizes_are_no_btb,
      misses_of_a_level_are_not_its_latency, translation_is_taken_off_where_entries_go_first_in_first_out] +
     [a_next_level_that_puts_a_line_out_makes_no_inclusive_one, a_level_is_not_taken_for_half_of_it,
      a_first_level_of_many_ways_is_no_exclusive_one_below, pairs_of_lines_are_no_lines,
      a_level_that_passes_stores_on_is_not_write_back, a_level_of_one_way_is_not_two,
      a_level_of_two_ways_is_not_two] * ("all" in OPTIONS.rest))  # up to half a minute each
