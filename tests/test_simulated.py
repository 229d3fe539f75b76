"""The machines on which each branch of the probes is gone through, against the verdicts that are expected of them."""
from harness import ROOT, main, options, run

HWCHAR = options().hwchar
# The papers', and of modern ones those that differ from each other: the rest is in test_all_machines.py.
MACHINES = ("amp-p5-133", "amp-usparc-167", "amp-r10k-irix", "itanium2-900", "itanium2-9000", "xray-power3",
            "xray-r4400", "haswell", "ice-lake", "a64fx", "sifive-u74", "vm-zen-coarse-clock")


def verdicts_are_as_expected():
    files = [ROOT / "machines" / f"{name}.json" for name in MACHINES]
    done = run([ROOT / "scripts/verdicts", f"--hwchar={HWCHAR}", "--seeds=1", *files], timeout=3500)
    print(done.stdout)
    assert done.returncode == 0, done.stderr


main([verdicts_are_as_expected])
