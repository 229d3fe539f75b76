"""What the tests of the binary share: run it, check what it says."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
MACHINE = {
    "schema": "hwchar-machine/1", "name": "a test's machine", "memory_latency": 200,
    "caches": [
        {"level": 1, "kind": "data", "size": 32768, "line_size": 64, "associativity": 8, "latency": 4,
         "replacement": "lru"},
        {"level": 2, "kind": "unified", "size": 524288, "line_size": 64, "associativity": 16, "latency": 14,
         "replacement": "lru", "inclusion": "inclusive"}],
    "physical_pages": "contiguous"}


class Skip(Exception):
    pass


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hwchar", required=True)
    parser.add_argument("rest", nargs="*")
    found = parser.parse_args()
    found.hwchar = str(pathlib.Path(found.hwchar).resolve())
    return found


def run(command, timeout=300, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=timeout, **more)


def launcher(found):
    """What the build has before each call of its compiler, such as a cache of compilations."""
    settings = (pathlib.Path(found.hwchar).parent / "CMakeCache.txt").read_text()
    word = re.search(r"^CMAKE_C_COMPILER_LAUNCHER:\w+=(.+)$", settings, re.MULTILINE)
    return word[1].split(";") if word else []


def need(*names):
    """The first of these programs that is installed. Without any, the test is skipped."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise Skip(f"{names[0]} is not installed")
    return found


def callgrind(first, last, *more, code=None, from_start=False):
    """Before a command, that caches of these geometries, (size, ways, line), are modelled, and that nothing is counted
    until the program says so, or all is; code's first level is as data's unless it is named. A test without valgrind is
    skipped."""
    return [need("valgrind"), "-q", "--tool=callgrind", "--cache-sim=yes",
            f"--collect-atstart={'yes' if from_start else 'no'}",
            "--I1=%d,%d,%d" % (code or first), "--D1=%d,%d,%d" % first, "--LL=%d,%d,%d" % last, *more]


def build_provider(name, directory):
    """The library of events for PAPI's SDE component that tests/NAME.c is the source of. Without libsde, the test is
    skipped."""
    library = directory / f"lib{name}.so"
    done = run(["cc", "-O1", "-shared", "-fPIC", ROOT / f"tests/{name}.c", "-o", library, "-lsde"])
    if done.returncode != 0:
        raise Skip(f"no libsde (libpapi-dev) for {name}.c, or another header: " + done.stderr.splitlines()[0])
    return library


def one_line(done):
    """Exactly one line of complaint, and nothing on standard output."""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("hwchar: "), f"not one line: {done.stderr!r}"
    return lines[0]


def write_json(path, value):
    path.write_text(json.dumps(value))
    return path


def finding_at(tree, path):
    """"gather.avx2": the finding of these keys."""
    for key in path.split("."):
        tree = tree[key]
    return tree


def cache_values(profile):
    return {c["level"]: tuple(c[k]["value"] for k in ("line_size", "size", "associativity")) for c in profile["caches"] if c["kind"] == "data"}


def fira_series(profile, name):
    """{level: value} of FIRA in random order."""
    curve = next(c for c in profile["curves"] if c["name"] == "fira" and c["type"] == "random order")
    return {int(at): value for s in curve["series"] if s["name"] == name for at, value in s["points"]}


def fira_is_within_a_percent(profile, first, last):
    """Misses of two levels (size, ways, line), as expected and as counted; both are LRU, and it says so."""
    line = max(first[2], last[2])
    expected, counted = fira_series(profile, "expected misses"), fira_series(profile, "misses")
    assert expected[1] == (last[0] - first[0]) // line and set(expected) == set(counted) == {1, 2}, profile["curves"]
    for level, misses in expected.items():
        assert abs(counted[level] / misses - 1) < 0.01, (first, last, level, misses, counted)
    curve = next(c for c in profile["curves"] if c["name"] == "fira" and c["type"] == "random order")
    assert [r.get("value") for r in curve["read_off"]] == [1, 1], (first, last, curve)


def main(tests):
    """Run every test; exit 77 when all were skipped."""
    failed = skipped = 0
    for test in tests:
        begun = time.monotonic()
        try:
            test()
            print(f"ok      {test.__name__} ({time.monotonic() - begun:.1f} s)")
        except Skip as reason:
            skipped += 1
            print(f"skipped {test.__name__}: {reason}")
        except Exception:  # the next test still runs
            failed += 1
            print(f"FAILED  {test.__name__}")
            traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
    if failed:
        sys.exit(1)
    sys.exit(77 if skipped == len(tests) else 0)
