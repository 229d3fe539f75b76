"""scripts/mutants: each can be made of the code as it is. Whether a test catches it takes longer: scripts/mutants."""
import pathlib
import sys
import tempfile

from harness import ROOT, main, options, run

options()


def each_finds_its_code():
    done = run([ROOT / "scripts/mutants", "--check"])
    assert done.returncode == 0 and not done.stdout, done.stdout + done.stderr


def one_that_does_not_is_named():
    text = (ROOT / "scripts/mutants").read_text()
    known = 'in_function("hwc_count_rounds", r"rounds'
    assert known in text
    with tempfile.TemporaryDirectory() as directory:
        tree = pathlib.Path(directory)
        for folder in ("src", "probes", "native", "sim", "counters", "machines"):
            (tree / folder).symlink_to(ROOT / folder)
        (tree / "scripts").mkdir()
        broken = tree / "scripts/mutants"
        broken.write_text(text.replace(known, 'in_function("hwc_no_such_function", r"rounds'))
        done = run([sys.executable, broken, "--check"])
    assert done.returncode == 2 and "last-round-only" in done.stdout, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == 1, done.stdout


main([each_finds_its_code, one_that_does_not_is_named])
