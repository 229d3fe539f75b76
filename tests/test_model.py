"""The simulator's cache model against callgrind's on 20 random geometries: equal counts on every walk."""
import pathlib
import random
import shutil

from harness import Skip, main, options, run

HWCHAR = pathlib.Path(options().hwchar)
SEED = 20261121


def the_model_counts_as_callgrind_does():
    if shutil.which("valgrind") is None:
        raise Skip("valgrind is not installed")
    rng = random.Random(SEED)
    print(f"seed {SEED}")
    for number in range(20):
        line = rng.choice([32, 64, 128])
        ways, sets = rng.choice([1, 2, 3, 4, 6, 8, 12, 16]), 1 << rng.randrange(4, 8)
        last_ways, last_sets = rng.choice([1, 2, 4, 8, 12, 16, 20]), 1 << rng.randrange(7, 11)
        first, last = ways * sets * line, last_ways * last_sets * line
        done = run(["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--cache-sim=yes",
                    "--collect-atstart=no", "--I1=32768,8,64", f"--D1={first},{ways},{line}",
                    f"--LL={last},{last_ways},{line}", HWCHAR.parent / "tests/model_reference", SEED + number, first,
                    ways, line, last, last_ways])
        assert done.returncode == 0, (first, ways, line, last, last_ways, done.stdout, done.stderr[-500:])


main([the_model_counts_as_callgrind_does])
