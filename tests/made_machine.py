"""Runs of one probe on a machine that a test made, judged cell by cell."""
import pathlib
import sys
import tempfile

from harness import ROOT, write_json

sys.path.insert(0, str(ROOT / "scripts/lib"))
import judge
import runs


def verdicts_on(hwchar, machine, witness, probe):
    """{path of the cell: verdict}, seed 1."""
    with tempfile.TemporaryDirectory() as directory:
        path = write_json(pathlib.Path(directory) / "machine.json", machine)
        run = runs.run(hwchar, runs.Work(path, witness, 1, (probe,)))
    assert run.profile, run.fault
    return {cell.path: cell.verdict for cell in judge.cells(machine, run.profile)}
