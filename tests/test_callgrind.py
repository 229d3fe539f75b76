"""The real probes on callgrind's cache model: exact for the geometries that callgrind simulates."""
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import tempfile

from harness import Skip, cache_values, main, options, run

HWCHAR = options().hwchar
SEED = 20261121
FIXED = [((32768, 8, 64), (1048576, 16, 64)), ((24576, 6, 64), (3145728, 12, 64)),
         ((16384, 1, 32), (1048576, 16, 64)), ((65536, 2, 64), (1048576, 16, 64)),
         ((49152, 12, 64), (1048576, 16, 64)), ((8192, 4, 32), (1048576, 16, 64)),
         ((131072, 16, 128), (4194304, 16, 128))]


def measure(first, last, code, probes, *options):
    """A geometry is (size, ways, line), as callgrind's options have it."""
    if shutil.which("valgrind") is None:
        raise Skip("valgrind is not installed")
    with tempfile.TemporaryDirectory() as directory:
        done = run(["valgrind", "-q", "--tool=callgrind", "--cache-sim=yes", "--collect-atstart=no",
                    *options, "--I1=%d,%d,%d" % code, "--D1=%d,%d,%d" % first, "--LL=%d,%d,%d" % last, HWCHAR,
                    "--counters=callgrind", "--json", *probes], cwd=directory, timeout=900)
        assert done.returncode == 0, done
        left = [p.name for p in pathlib.Path(directory).iterdir() if "." in p.suffix and p.suffix[1:].isdigit()
                and p.name.count(".") > 2]
        assert not left, f"dumps were left behind: {left}"
    return json.loads(done.stdout)


def is_exact(cache):
    for key in ("line_size", "size", "associativity"):
        assert cache[key]["agreement"][0] >= 8, (key, cache[key])
        assert cache[key]["witness"] == "counter"


def exact(first, last):
    profile = measure(first, last, (32768, 8, 64), ["data_cache"])
    expected = {1: (first[2], first[0], first[1]), 2: (last[2], last[0], last[1])}
    assert cache_values(profile) == expected, (first, last, cache_values(profile), profile["caches"])
    for cache in profile["caches"]:
        is_exact(cache)


def code_is_exact(code, last):
    """The instruction cache, and that the last level is shared and the first is not."""
    profile = measure((32768, 8, code[2]), last, code, ["instruction_cache", "unified", "write_allocation"])
    cache = next(c for c in profile["caches"] if c["kind"] == "instruction")
    assert tuple(cache[k]["value"] for k in ("size", "associativity", "line_size")) == code, (code, last, cache)
    is_exact(cache)
    data = [c for c in profile["caches"] if c["kind"] == "data"]
    assert [c["unified"]["value"] for c in data] == [False, True], (code, last, data)
    assert [c["write_allocate"]["value"] for c in data] == [True, True], (code, last, data)


def last_level_writes_back():
    """Callgrind looks at write-backs of its last level, and only where it is asked to."""
    profile = measure((32768, 8, 64), (1048576, 16, 64), (32768, 8, 64), ["write_back"], "--simulate-wb=yes")
    first, last = (c["write_back"] for c in profile["caches"])
    assert last["value"] is True and last["counter"] == "DLdmr+DLdmw", last
    assert first["value"] is None and "no clock" in first["reason"], first
    profile = measure((32768, 8, 64), (1048576, 16, 64), (32768, 8, 64), ["--events"])
    record = next(e for e in profile["events"] if e["event"] == "l2_writeback")
    assert record["status"] == "absent" and "--simulate-wb=yes" in record["reason"], record


def for_each(check, geometries):
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for future in [pool.submit(check, *geometry) for geometry in geometries]:
            future.result()


def fixed_geometries_are_exact():
    for_each(exact, FIXED)


def random_geometries_are_exact():
    rng = random.Random(SEED)
    print(f"seed {SEED}")
    geometries = []
    for _ in range(20):
        line = rng.choice([32, 64, 128])
        sets = 1 << rng.randrange(5, 8)
        ways = rng.choice([1, 2, 4, 6, 8, 12])
        first = (sets * ways * line, ways, line)
        last_line = line * rng.choice([1, 1, 2])
        last_ways = rng.choice([4, 8, 12, 16])
        last_sets = 1 << rng.randrange(9, 13)
        while last_sets * last_ways * last_line < 4 * first[0]:
            last_sets *= 2
        geometries.append((first, (last_sets * last_ways * last_line, last_ways, last_line)))
    for_each(exact, geometries)


def random_code_geometries_are_exact():
    rng = random.Random(SEED + 1)
    geometries = [(first, last) for first, last in FIXED[:3]]
    for _ in range(3):
        line = rng.choice([32, 64, 128])
        ways = rng.choice([1, 2, 3, 4, 6, 8, 12])
        geometries.append(((line * ways << rng.randrange(5, 8), ways, line), (1048576, 16, line)))
    for_each(code_is_exact, geometries)


main([fixed_geometries_are_exact, random_geometries_are_exact, random_code_geometries_are_exact,
      last_level_writes_back])
