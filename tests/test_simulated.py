"""All of machines/ by both witnesses: no wrong value, and none missing where the machine offers evidence."""
from harness import ROOT, main, options, run

HWCHAR = options().hwchar


def all_machines_by_both_witnesses():
    done = run([ROOT / "scripts/accuracy", f"--hwchar={HWCHAR}", "--strict"], timeout=3500)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


main([all_machines_by_both_witnesses])
