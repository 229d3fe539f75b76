"""Machines that differ most from each other, against the verdicts that are expected of them."""
from harness import ROOT, main, options, run

HWCHAR = options().hwchar
# The gate's time is short: the rest is in test_all_machines.py, and of AMP's in test_reproduce.py, too.
MACHINES = ("amp-r10k-irix", "itanium2-900", "itanium2-9000", "xray-r4400", "a64fx", "sifive-u74",
            "vm-zen-coarse-clock")


def verdicts_are_as_expected():
    files = [ROOT / "machines" / f"{name}.json" for name in MACHINES]
    done = run([ROOT / "scripts/verdicts", f"--hwchar={HWCHAR}", "--seeds=1", *files], timeout=3500)
    print(done.stdout)
    assert done.returncode == 0, done.stderr


main([verdicts_are_as_expected])
