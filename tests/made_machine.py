"""Runs of one probe on a machine that a test made, judged cell by cell."""
import json
import pathlib
import sys
import tempfile

from harness import ROOT, write_json

sys.path.insert(0, str(ROOT / "scripts/lib"))
import judge
import runs


LEVEL_TWO = ("L2.line_size", "L2.size", "L2.associativity")


def machine_of_two_levels(name, **changes):
    """The machine of that name with its first two levels of caches, and these changes to the second."""
    machine = json.loads((ROOT / "machines" / f"{name}.json").read_text())
    machine["caches"] = [cache for cache in machine["caches"] if cache["level"] <= 2]
    for cache in machine["caches"]:
        if cache["level"] == 2:
            cache.update(changes)
    return machine


def verdicts_on_level_two(hwchar, machine, witness):
    """Those on its line, size and ways."""
    found = verdicts_on(hwchar, machine, witness, "data_cache")
    return [found[cell] for cell in LEVEL_TWO]


def verdicts_on(hwchar, machine, witness, *probes, seed=1):
    """{path of the cell: verdict}."""
    with tempfile.TemporaryDirectory() as directory:
        path = write_json(pathlib.Path(directory) / "machine.json", machine)
        run = runs.run(hwchar, runs.Work(path, witness, seed, probes))
    assert run.profile, run.fault
    return {cell.path: cell.verdict for cell in judge.cells(machine, run.profile)}
