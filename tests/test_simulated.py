"""The papers' machines by both witnesses: no wrong value. All of machines/: scripts/accuracy."""
from harness import ROOT, main, options, run

HWCHAR = options().hwchar


def the_papers_machines_by_both_witnesses():
    files = sorted((ROOT / "machines").glob("amp-*.json")) + sorted((ROOT / "machines").glob("xray-*.json"))
    assert len(files) == 16, files
    done = run([ROOT / "scripts/accuracy", f"--hwchar={HWCHAR}", *files], timeout=2300)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


main([the_papers_machines_by_both_witnesses])
