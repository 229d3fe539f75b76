"""Every machine in machines/ by both witnesses: no wrong value."""
from harness import ROOT, main, options, run

HWCHAR = options().hwchar


def every_machine_by_both_witnesses():
    done = run([ROOT / "scripts/accuracy", f"--hwchar={HWCHAR}"], timeout=2300)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


main([every_machine_by_both_witnesses])
