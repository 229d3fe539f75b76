"""What other tools print is read as they mean it, and held against hwchar and what is documented."""
import json
import pathlib
import sys
import tempfile

from harness import ROOT, main, options

sys.path.insert(0, str(ROOT / "scripts/lib"))
import peers  # noqa: E402

options()
CACHE = """L1 cache: 32768 bytes 1.06 nanoseconds 64 linesize 5.02 parallelism
L2 cache: 1048576 bytes 3.90 nanoseconds -1 linesize 4.10 parallelism
Memory latency: 104.50 nanoseconds 6.33 parallelism
"""
CALIBRATOR = """caches:
level  size    linesize   miss-latency        replace-time
  1     32 KB   64 bytes   42.56 ns =  91 cy    3.61 ns =   8 cy
  2      2 MB  128 bytes   59.80 ns = 128 cy  109.09 ns = 233 cy

TLBs:
level #entries  pagesize  miss-latency
  1       64       4 KB     7.30 ns =  19 cy
"""


def lmbench_is_read():
    assert peers.read_lmbench_cache(CACHE) == {
        "L1 size": 32768, "L1 line": 64, "L1 latency": 1.06, "L2 size": 1 << 20, "L2 latency": 3.9,
        "memory latency": 104.5}
    assert peers.read_lmbench_line("64\n") == {"L1 line": 64}
    assert peers.read_lmbench_tlb("tlb: 72 pages\n") == {"DTLB1 entries": 72}
    assert peers.read_lmbench_tlb("Usage: tlb [-c]\n") == peers.read_lmbench_line("") == {}


def calibrator_is_read():
    assert peers.read_calibrator(CALIBRATOR) == {
        "L1 size": 32768, "L1 line": 64, "L2 size": 2 << 20, "L2 line": 128, "DTLB1 entries": 64}


def each_program_is_run_by_itself_and_absent_ones_are_left_out():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, text in (("line", "64"), ("tlb", "tlb: 72 pages")):
            (folder / name).write_text(f"#!/bin/sh\necho '{text}' >&2\n")
            (folder / name).chmod(0o755)
        said = peers.lmbench(folder, 0)
    assert {name: one.values for name, one in said.items()} == {
        "lmbench line": {"L1 line": 64}, "lmbench tlb": {"DTLB1 entries": 72}}
    assert all(0 < one.seconds < 10 for one in said.values())


def one_that_does_not_end_is_stopped_and_what_it_printed_is_kept():
    text, seconds = peers.timed(["sh", "-c", "echo 64; exec sleep 60"], longest=0.5)
    assert text == "64\n" and 0.5 <= seconds < 30, (text, seconds)
    assert peers.timed(["sleep", "60"], longest=0.1)[0] == ""


def a_profile_is_read():
    profile = json.loads((ROOT / "tests/golden/server.json").read_text())
    said, documented = peers.read_profile(profile)
    level = next(c for c in profile["caches"] if c["level"] == 1 and c["kind"] == "data")
    assert said["L1 size"] == peers.Said({"L1 size": level["size"]["value"]}, level["size"]["seconds"])
    assert all(name.split()[0] == "memory" or name[0] in "LD" for name in said)
    bounded = {"caches": [{"level": 3, "kind": "data", "size": {"value": None}, "effective_size": {
        "value": None, "low": 5, "high": 7, "documented": 32}}], "tlbs": [], "memory": {}}
    assert peers.read_profile(bounded) == ({"L3 size": peers.Said({"L3 size": (5, 7)}, 0)}, {"L3 size": 32})


def what_is_worse_than_a_peer_is_named():
    own = {"data_cache": peers.Said({"L1 size": 32768, "L2 size": (1000, 2000), "L1 line": 32}, 2.0)}
    other = {"peer": {"all": peers.Said({"L1 size": 32768, "L2 size": 3000, "L3 size": 9000, "L1 line": 64}, 1.0)}}
    documented = {"L1 size": 32768, "L2 size": 1500, "L3 size": 9000, "L1 line": 64}
    table = list(peers.rows(own, other, documented))
    assert [row[0] for row in table] == ["L1 line", "L1 size", "L2 size", "L3 size"]
    found = list(peers.complaints(table))
    assert found == ["L1 line: hwchar says 32, documented is 64", "L1 line: hwchar takes 2.0 s, a peer 1.0 s",
                     "L1 size: hwchar takes 2.0 s, a peer 1.0 s", "L3 size: a peer finds it, hwchar does not"], found
    assert peers.cell("L2 size", (1000, 2000), 2.0, 1500) == "0.9766 KiB to 1.953 KiB (holds), 2.0 s"
    assert peers.cell("L2 size", 3000, 1.0, 1500).endswith(" (wrong), 1.0 s")
    assert peers.verdict((1000, 1200), 1500) == "less" and peers.verdict((1600, 2000), 1500) == "wrong"


main([lmbench_is_read, calibrator_is_read, one_that_does_not_end_is_stopped_and_what_it_printed_is_kept,
      each_program_is_run_by_itself_and_absent_ones_are_left_out, a_profile_is_read,
      what_is_worse_than_a_peer_is_named])
