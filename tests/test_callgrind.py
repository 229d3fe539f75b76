"""The real probes on callgrind's cache model: exact for the geometries that callgrind simulates."""
import concurrent.futures
import json
import os
import pathlib
import random
import tempfile

from harness import cache_values, callgrind, fira_is_within_a_percent, main, options, run

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
SEED = 20261121
FEW_SETS = 64  # our own lines may lie in every one of them, with so few ways
FIXED = [((32768, 8, 64), (1048576, 16, 64)), ((24576, 6, 64), (3145728, 12, 64)),
         ((16384, 1, 32), (1048576, 16, 64)), ((65536, 2, 64), (1048576, 16, 64)),
         ((49152, 12, 64), (1048576, 16, 64)), ((8192, 4, 32), (1048576, 16, 64)),
         ((131072, 16, 128), (4194304, 16, 128))]


def measure(first, last, code, probes, *options):
    """A geometry is (size, ways, line), as callgrind's options have it."""
    with tempfile.TemporaryDirectory() as directory:
        done = run([*callgrind(first, last, *options, code=code), HWCHAR, "--counters=callgrind", "--json", *probes],
                   cwd=directory, timeout=900)
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


def all_is_exact(first, last, code):
    """Geometry of data and code, what they share, write allocation and policy; and FIRA's misses."""
    profile = measure(first, last, code, ["instruction_cache", "unified", "write_allocation", "replacement", "fira"])
    expected = {1: (first[2], first[0], first[1]), 2: (last[2], last[0], last[1])}
    case = {"D1": first, "LL": last, "I1": code, "caches": profile["caches"]}
    assert cache_values(profile) == expected, case
    cache = next(c for c in profile["caches"] if c["kind"] == "instruction")
    assert tuple(cache[k]["value"] for k in ("size", "associativity", "line_size")) == code, case
    for found in profile["caches"]:
        is_exact(found)
    data = [c for c in profile["caches"] if c["kind"] == "data"]
    assert [c["unified"]["value"] for c in data] == [False, True], case
    assert [c["write_allocate"]["value"] for c in data] == [True, True], case
    for cache, (size, ways, line) in zip(data, (first, last)):
        policy = cache["replacement"]["value"]
        allowed = {"lru"} if ways > 1 else {None}
        if size // ways // line <= FEW_SETS and ways <= 2:
            allowed.add(None)
        assert policy in allowed, case
    fira_is_within_a_percent(profile, first, last)


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
    """All of them, so that a failure says which."""
    failures = []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for future in [pool.submit(check, *geometry) for geometry in geometries]:
            if (failure := future.exception()) is not None:
                failures.append(failure)
    for failure in failures:
        print(failure)
    if failures:
        raise failures[0]


def random_geometry(rng):
    line = rng.choice([32, 64, 128])
    ways = rng.choice([1, 2, 4, 6, 8, 12])
    first = (ways * line << rng.randrange(5, 8), ways, line)
    last_line = line * rng.choice([1, 1, 2])
    last_ways = rng.choice([4, 8, 12, 16])
    last_sets = 1 << rng.randrange(9, 13)
    while last_sets * last_ways * last_line < 4 * first[0]:
        last_sets *= 2
    code_ways = rng.choice([1, 2, 3, 4, 6, 8, 12])
    code = (code_ways * line << rng.randrange(5, 8), code_ways, line)
    return first, (last_sets * last_ways * last_line, last_ways, last_line), code


def fixed_geometries_are_exact():
    """The first level's geometry for data and for code alike."""
    for_each(all_is_exact, [(first, last, first) for first, last in FIXED])


def one_geometry_is_exact():
    first, last = FIXED[2]
    all_is_exact(first, last, first)


def another_is_exact_for_data():
    """One that differs most: the gate's time is short."""
    exact(*FIXED[1])


def random_geometries_are_exact():
    rng = random.Random(SEED)
    print(f"seed {SEED}")
    for_each(all_is_exact, [random_geometry(rng) for _ in range(10)])


def random_data_geometries_are_exact():
    rng = random.Random(SEED + 1)
    print(f"seed {SEED + 1}")
    for_each(exact, [random_geometry(rng)[:2] for _ in range(10)])


if "all" in OPTIONS.rest:
    main([fixed_geometries_are_exact, random_geometries_are_exact, random_data_geometries_are_exact,
          last_level_writes_back])
else:
    main([one_geometry_is_exact, another_is_exact_for_data, last_level_writes_back])
