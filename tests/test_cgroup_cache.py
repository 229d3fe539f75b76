"""Counter and clock on a real cache that the kernel keeps: a control group's memory, with swap below it."""
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from harness import ROOT, Skip, build_provider, main, options, run
from limited_memory import MIB, join, limited_memory

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
LIMIT, SWAP = 32, 128  # MiB
# The kernel's tables, what it charges to a group before it is used (64 pages for each CPU), and the program's own pages.
OTHERS = MIB + 64 * 4096 * len(os.sched_getaffinity(0))
TEMPORARY = tempfile.TemporaryDirectory()


def counts(environment, *arguments):
    done = run([HWCHAR, "--events", "--json", *arguments], env=environment)
    events = json.loads(done.stdout)["events"] if done.returncode == 0 else []
    return any(e["event"] == "major_fault" and e["counter"] for e in events)


def papi_event():
    """(environment, options) with which PAPI counts major faults: by its perf component, or by its SDE component."""
    arguments = ["--counters=papi", "--event=major_fault=perf::MAJOR-FAULTS"]
    if counts(os.environ, *arguments):
        return os.environ, arguments
    environment = dict(os.environ, LD_PRELOAD=str(build_provider("sde_faults", pathlib.Path(TEMPORARY.name))))
    arguments = ["--counters=papi", "--event=major_fault=sde:::kernel::MAJFLT"]
    if not counts(environment, *arguments):
        raise Skip("PAPI counts no major faults here")
    return environment, arguments


def memory_curve(group, arguments, environment):
    done = run([HWCHAR, "papi_cache_size", "--json", *arguments], env=environment, preexec_fn=lambda: join(group))
    assert done.returncode == 0, done
    return next(c for c in json.loads(done.stdout)["curves"] if c["type"] == "memory")


def counter_and_clock_find_the_limit():
    environment, arguments = papi_event()
    with limited_memory(LIMIT, SWAP) as group:
        curve = memory_curve(group, arguments, environment)
    found = {r["name"]: r["value"] for r in curve["read_off"]}
    print(f"limit {LIMIT * MIB}, found {found}, by {arguments[1]}")
    for size in found["memory size"], found["memory size by time"]:
        assert size is not None and 0 <= LIMIT * MIB - size <= OTHERS, curve
    assert abs(found["memory size"] - found["memory size by time"]) <= OTHERS / 4, curve
    misses = next(s for s in curve["series"] if s["name"] == "memory misses")
    assert misses["how"] == arguments[1].split("=", 2)[2] and misses["points"][-1][1] > 0.5, misses


def without_enough_swap_nothing_is_outgrown():
    environment, arguments = papi_event()
    with limited_memory(LIMIT, LIMIT // 2) as group:
        curve = memory_curve(group, arguments, environment)
    (size,) = curve["read_off"]
    assert size["value"] is None and "too little swap" in size["reason"] and not curve["series"], curve


def is_gone(group):
    return not group.exists() and "zram" not in "".join(added_swaps())


def added_swaps():
    lines = pathlib.Path("/proc/swaps").read_text().splitlines()[1:]
    return [line for line in lines if line not in BEFORE]


def a_failure_leaves_nothing():
    with contextlib.suppress(ZeroDivisionError):
        with limited_memory(LIMIT, SWAP) as group:
            assert not is_gone(group)
            raise ZeroDivisionError
    assert is_gone(group)


def a_test_that_is_killed_leaves_nothing():
    """With a program in the group that goes on."""
    script = ("import subprocess, time; from limited_memory import *\n"
              f"with limited_memory({LIMIT}, {SWAP}) as group:\n"
              "    subprocess.Popen(['sleep', '60'], preexec_fn=lambda: join(group), stdout=subprocess.DEVNULL)\n"
              "    print(group, flush=True); time.sleep(60)\n")
    with limited_memory(LIMIT, SWAP):
        pass  # skip here
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                               cwd=ROOT / "tests")
    group = pathlib.Path(process.stdout.readline().strip())
    assert group.exists() and group.name.startswith("hwchar-test-"), group
    process.kill()
    process.wait()
    until = time.monotonic() + 10
    while not is_gone(group) and time.monotonic() < until:
        time.sleep(0.05)
    assert is_gone(group)


BEFORE = pathlib.Path("/proc/swaps").read_text().splitlines()[1:]
# What is measured takes half a minute: "all" has it.
main([a_failure_leaves_nothing, a_test_that_is_killed_leaves_nothing]
     + [counter_and_clock_find_the_limit, without_enough_swap_nothing_is_outgrown] * ("all" in OPTIONS.rest))
