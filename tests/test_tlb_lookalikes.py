"""What seemed to be translation and was not: lines of large pages that meet in a second cache, entries of a second TLB
that cover two pages, lines that code puts out of the second cache, and lines of pages that reach few of its sets. And
what pages side by side tell where those of one set cannot be told."""
import json

from harness import MACHINE, ROOT, main, options
from made_machine import verdicts_on

HWCHAR = options().hwchar
FIRST, SECOND = MACHINE["caches"]
SMALL = {"level": 1, "kind": "data", "entries": 32, "associativity": 4, "page_size": 4096, "replacement": "lru",
         "miss_penalty": 8}


def large_pages_have_entries_of_their_own_whatever_the_second_cache_holds():
    machine = MACHINE | {
        "caches": [FIRST | {"size": 8192}, SECOND | {"size": 65536, "associativity": 4, "latency": 20}],
        "prefetch": "next-line", "physical_pages": "random", "superpages": [2097152],
        "tlbs": [SMALL, SMALL | {"page_size": 2097152, "miss_penalty": 10}]}
    found = verdicts_on(HWCHAR, machine, "clock", "tlb_page_sizes")
    assert found["DTLB1.shared_by_page_sizes"] == "right", found["DTLB1.shared_by_page_sizes"]


def code_in_large_pages_does_not_miss_the_second_cache_for_its_places():
    """Lines of 90 large pages at 32 places of theirs would share 16 sets of two ways, and come from memory."""
    code = [{"level": 1, "kind": "instruction", "size": 32768, "line_size": 128, "associativity": 2, "latency": 5,
             "replacement": "lru"}]
    machine = MACHINE | {
        "caches": [FIRST | {"size": 49152, "line_size": 128, "associativity": 12},
                   SECOND | {"size": 1048576, "line_size": 256, "associativity": 2, "inclusion": "nine"}, *code],
        "physical_pages": "random", "superpages": [2097152],
        "tlbs": [SMALL, SMALL | {"page_size": 2097152},
                 {"level": 1, "kind": "instruction", "entries": 64, "associativity": 8, "replacement": "tree-plru",
                  "miss_penalty": 8}]}
    found = verdicts_on(HWCHAR, machine, "clock", "tlb")
    assert found["ITLB1-large.miss_penalty"] == "right", found["ITLB1-large.miss_penalty"]


def an_entry_of_the_second_level_may_cover_two_pages():
    machine = MACHINE | {
        "memory_latency": 300, "physical_pages": "random",
        "caches": [FIRST | {"size": 65536, "line_size": 16, "associativity": 4, "latency": 3}],
        "tlbs": [SMALL | {"entries": 64, "associativity": 8, "replacement": "fifo", "miss_penalty": 6},
                 SMALL | {"level": 2, "kind": "unified", "entries": 512, "page_size": 8192, "replacement": "random",
                          "miss_penalty": 25}]}
    found = verdicts_on(HWCHAR, machine, "clock", "tlb_capacity")
    assert found["DTLB2.entries"] in ("interval", "right"), found["DTLB2.entries"]


def sub_pages_that_do_not_settle_in_some_orders_share_entries():
    """Of seven pages in a set of six ways, a tree with unequal halves lets two miss; and in some orders, two of each of
    six do not settle, though they fit."""
    entries = {"entries": 96, "associativity": 6, "replacement": "tree-plru", "page_size": 8192, "sub_pages": 2}
    found = verdicts_on(HWCHAR, MACHINE | {"tlbs": [SMALL | entries]}, "clock", "tlb")
    for cell in ("DTLB1.entries", "DTLB1.associativity", "DTLB1.page_size"):
        assert found[cell] == "right", (cell, found[cell])


def code_that_puts_lines_of_data_out_of_the_caches_shares_no_second_level():
    """The lines of 16 bytes at the beginnings of pages reach a quarter of the sets that as many of 64 bytes would."""
    machine = MACHINE | {
        "page_size": 16384,
        "caches": [FIRST | {"line_size": 16}, SECOND | {"size": 131072, "line_size": 16, "associativity": 8}],
        "tlbs": [SMALL | {"page_size": 16384},
                 SMALL | {"level": 2, "entries": 256, "associativity": 8, "page_size": 16384, "miss_penalty": 25}]}
    found = verdicts_on(HWCHAR, machine, "clock", "tlb", "unified")
    assert found["DTLB2.entries"] == "right", found["DTLB2.entries"]
    assert found["DTLB2.unified"] in ("null:unavailable", "right"), found["DTLB2.unified"]


def lines_that_leave_a_third_cache_are_no_second_level():
    """Those of pages 16 KiB long reach a quarter of its sets, and unlike packed ones they are not spread evenly."""
    machine = MACHINE | {
        "page_size": 16384, "memory_latency": 300,
        "caches": [FIRST | {"size": 12288, "line_size": 128, "associativity": 3},
                   SECOND | {"size": 262144, "line_size": 128, "associativity": 4, "latency": 20, "replacement": "nru"},
                   SECOND | {"level": 3, "size": 1048576, "line_size": 128, "associativity": 4, "latency": 35,
                             "replacement": "srrip", "slices": 4}],
        "tlbs": [SMALL | {"page_size": 16384}]}
    found = verdicts_on(HWCHAR, machine, "clock", "tlb")
    assert found["DTLB1.entries"] == "right", found["DTLB1.entries"]
    assert "DTLB2.entries" not in found, found["DTLB2.entries"]


def pages_that_a_first_level_keeps_do_not_hide_that_code_shares_the_second():
    """The first one's 96 entries cover 192 pages, and code can put nothing out of them."""
    machine = MACHINE | {
        "caches": [FIRST, SECOND | {"size": 131072}],
        "tlbs": [SMALL | {"entries": 96, "associativity": 6, "replacement": "fifo", "page_size": 8192, "sub_pages": 2},
                 SMALL | {"kind": "instruction", "entries": 64},
                 SMALL | {"level": 2, "kind": "unified", "entries": 512, "miss_penalty": 35}]}
    found = verdicts_on(HWCHAR, machine, "clock", "tlb", "unified")
    assert found["DTLB2.unified"] == "right", found["DTLB2.unified"]


def lines_that_leave_a_second_cache_are_no_second_level():
    """One line of each page reaches few of its sets of two ways, of code as of data: packed ones still fit there."""
    second = SECOND | {"line_size": 256, "replacement": "nru", "inclusion": "nine"}
    machine = MACHINE | {
        "caches": [FIRST | {"size": 98304, "line_size": 128, "associativity": 12},
                   second | {"size": 4194304, "associativity": 2},
                   second | {"level": 3, "size": 16777216, "associativity": 4, "latency": 50},
                   FIRST | {"kind": "instruction", "size": 65536, "line_size": 128}],
        "tlbs": [SMALL | {"entries": 64}, SMALL | {"kind": "instruction", "entries": 64, "miss_penalty": 10}]}
    found = verdicts_on(HWCHAR, machine, "clock", "tlb")
    assert found["ITLB1.entries"] == "right", found["ITLB1.entries"]
    assert "DTLB2.entries" not in found and "ITLB2.entries" not in found, found


def a_code_tlb_shows_where_a_cache_of_code_overflows_too():
    """Both hold 64 of what the curve lays out, and a line that the cache lacks takes longer than a translation."""
    machine = MACHINE | {
        "caches": [FIRST | {"size": 4096, "associativity": 4, "latency": 2}, SECOND | {"latency": 20},
                   FIRST | {"kind": "instruction", "size": 4096, "associativity": 4, "latency": 4}],
        "tlbs": [SMALL, SMALL | {"kind": "instruction", "entries": 64},
                 SMALL | {"level": 2, "kind": "unified", "entries": 512, "miss_penalty": 25}]}
    found = verdicts_on(HWCHAR, machine, "clock", "tlb")
    assert found["ITLB1.entries"] in ("interval", "right"), found["ITLB1.entries"]
    assert found["ITLB2.entries"] in ("interval", "right"), found["ITLB2.entries"]


def pages_side_by_side_bound_a_code_tlb():
    """Of the POWER9, the second TLB's sets repeat farther apart than jumps reach: whatever its policy, bounds hold."""
    power9 = json.loads((ROOT / "machines/power9.json").read_text())
    for entries, policy in ((512, "lru"), (1024, "random"), (1024, "tree-plru"), (2048, "nru")):
        levels = power9["tlbs"][:2] + [power9["tlbs"][2] | {"entries": entries, "replacement": policy}]
        found = verdicts_on(HWCHAR, power9 | {"tlbs": levels}, "clock", "tlb")
        assert found["ITLB2.entries"] == "interval", (entries, policy, found["ITLB2.entries"])


main([a_code_tlb_shows_where_a_cache_of_code_overflows_too, pages_side_by_side_bound_a_code_tlb,
      large_pages_have_entries_of_their_own_whatever_the_second_cache_holds,
      code_in_large_pages_does_not_miss_the_second_cache_for_its_places,
      an_entry_of_the_second_level_may_cover_two_pages,
      code_that_puts_lines_of_data_out_of_the_caches_shares_no_second_level,
      sub_pages_that_do_not_settle_in_some_orders_share_entries,
      lines_that_leave_a_second_cache_are_no_second_level,
      lines_that_leave_a_third_cache_are_no_second_level,
      pages_that_a_first_level_keeps_do_not_hide_that_code_shares_the_second])
