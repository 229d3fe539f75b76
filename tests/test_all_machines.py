"""All of machines/, by both witnesses and with every seed that their verdicts are of."""
from harness import ROOT, main, options, run

HWCHAR = options().hwchar


def verdicts_are_as_expected():
    done = run([ROOT / "scripts/verdicts", f"--hwchar={HWCHAR}"], timeout=4 * 3600)
    print(done.stdout)
    assert done.returncode == 0, done.stderr


main([verdicts_are_as_expected])
