"""Random machines by both witnesses: whatever is said of them is true.

HWCHAR_SEED=N in the environment tries others, HWCHAR_COUNT=N so many. With HWCHAR_NOISE=1 they play recorded noise and
the clock alone is asked, as what others do is what it has to bear."""
import collections
import json
import os
import pathlib
import sys
import tempfile

from harness import ROOT, main, options, write_json
from random_machines import drawn

sys.path.insert(0, str(ROOT / "scripts/lib"))
import judge
import runs

HWCHAR = options().hwchar
SEED = int(os.environ.get("HWCHAR_SEED", "20261123"))
COUNT = int(os.environ.get("HWCHAR_COUNT", "20"))
NOISY = os.environ.get("HWCHAR_NOISE", "") not in ("", "0")
WITNESSES = ("clock",) if NOISY else ("counters", "clock")


def works_in(directory):
    for i in range(COUNT):
        name, machine = drawn(SEED, i, NOISY)
        path = write_json(pathlib.Path(directory) / f"{name}.json", machine)
        yield from (runs.Work(path, witness) for witness in WITNESSES)


def nothing_that_is_said_of_them_is_wrong():
    print(f"seed {SEED}, {COUNT} machines" + ", with recorded noise" * NOISY)
    tally, wrong = collections.Counter(), []
    with tempfile.TemporaryDirectory() as directory:
        works = list(works_in(directory))
        for work, run in runs.in_order(works, runs.run_all(HWCHAR, runs.default_jobs(), works)):
            assert run.profile, (work.path.stem, work.witness, run.fault)
            for cell in judge.cells(json.loads(work.path.read_text()), run.profile):
                tally[cell.verdict.split(":")[0]] += 1
                if cell.verdict == "wrong":
                    wrong.append(f"{work.path.stem} {work.witness} {cell.path}: says {cell.finding.get('value')}, "
                                 f"is {cell.truth}")
    print(", ".join(f"{count} {verdict}" for verdict, count in tally.most_common()))
    assert not wrong, "\n".join(wrong)
    assert tally["right"] > tally["null"], "most of what can be asked has an answer"


main([nothing_that_is_said_of_them_is_wrong])
