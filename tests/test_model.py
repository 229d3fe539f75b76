"""The simulator's cache model against callgrind's on random geometries: equal counts on every walk."""
import pathlib
import random

from harness import callgrind, main, options, run

OPTIONS = options()
HWCHAR = pathlib.Path(OPTIONS.hwchar)
GEOMETRIES = 20 if "all" in OPTIONS.rest else 8
SEED = 20261121


def the_model_counts_as_callgrind_does():
    rng = random.Random(SEED)
    print(f"seed {SEED}")
    for number in range(GEOMETRIES):
        line = rng.choice([32, 64, 128])
        ways, sets = rng.choice([1, 2, 3, 4, 6, 8, 12, 16]), 1 << rng.randrange(4, 8)
        last_ways, last_sets = rng.choice([1, 2, 4, 8, 12, 16, 20]), 1 << rng.randrange(7, 11)
        first, last = ways * sets * line, last_ways * last_sets * line
        before = callgrind((first, ways, line), (last, last_ways, line), "--callgrind-out-file=/dev/null",
                           code=(32768, 8, 64))
        done = run([*before, HWCHAR.parent / "tests/model_reference", SEED + number, first, ways, line, last, last_ways])
        assert done.returncode == 0, (first, ways, line, last, last_ways, done.stdout, done.stderr[-500:])


main([the_model_counts_as_callgrind_does])
