"""Where data of the program's own lies in half of the first level's sets, policies are told all the same: by sets in which
none of it lies."""
import json
import pathlib
import sys
import tempfile

from harness import MACHINE, ROOT, main, options, write_json

sys.path.insert(0, str(ROOT / "scripts/lib"))
import judge
import runs

HWCHAR = options().hwchar
NOISE = {"context_switches_per_ms": 0.2, "lines_lost_per_switch": 40, "counter_overhead": 3, "latency_jitter": 0.02,
         "own_lines": 40}


def first_level_following(policy):
    first, second = MACHINE["caches"]
    return {**MACHINE, "name": policy, "noise": NOISE, "caches": [{**first, "replacement": policy}, second]}


def policies_are_told_by_sets_that_are_ours():
    with tempfile.TemporaryDirectory() as directory:
        for policy in ("lru", "tree-plru", "QLRU_H00_M1_R0_U1"):
            machine = first_level_following(policy)
            path = write_json(pathlib.Path(directory) / f"{policy}.json", machine)
            for witness in ("counters", "clock"):
                run = runs.run(HWCHAR, runs.Work(path, witness, 1, ("replacement",)))
                assert run.profile, run.fault
                found = {cell.path: cell for cell in judge.cells(machine, run.profile)}
                cell = found["L1.replacement"]
                assert cell.verdict == "right", (policy, witness, cell.verdict, cell.finding)


main([policies_are_told_by_sets_that_are_ours])
