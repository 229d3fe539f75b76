"""Runs of hwchar on simulated machines, the longest first, and what the scripts that make them share."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import time
import typing

import kept_runs
import machine_file

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MACHINES = ROOT / "machines"
LONGEST_RUN_SECONDS = 1800
KEPT = ROOT / "build/runs"


class Work(typing.NamedTuple):
    path: pathlib.Path  # the machine file
    witness: str
    seed: int = 1
    arguments: tuple = ()


class Run(typing.NamedTuple):
    profile: dict  # None where there is none
    fault: str
    seconds: float


def default_hwchar():
    return str(ROOT / "build/release/hwchar")


def default_jobs():
    return len(os.sched_getaffinity(0))


def all_machines():
    return sorted(MACHINES.glob("*.json"))


def command_of(hwchar, work):
    counters = ["--counters"] if work.witness == "counters" else []
    return [hwchar, *counters, f"--machine={work.path}", f"--seed={work.seed}", "--json", *work.arguments]


def run(hwchar, work, limit=LONGEST_RUN_SECONDS):
    begin = time.monotonic()
    try:
        done = subprocess.run(command_of(hwchar, work), capture_output=True, text=True, timeout=limit)
        fault = done.stderr.strip() or f"exit status {done.returncode}"
        profile = json.loads(done.stdout) if done.returncode == 0 else None
    except (subprocess.TimeoutExpired, OSError, ValueError) as error:
        profile, fault = None, str(error)
    return Run(profile, "" if profile else fault, time.monotonic() - begin)


def run_or_keep(hwchar, kept, work, limit=LONGEST_RUN_SECONDS):
    """As it was run before, or now."""
    before = kept.get(work)
    if before:
        return Run(before[0], "", before[1])
    result = run(hwchar, work, limit)
    if result.profile:
        kept.put(work, result.profile, result.seconds)
    return result


def cost(work):
    """In simulation larger caches take longer."""
    return sum(cache.get("size", 0) for cache in machine_file.read(work.path).get("caches", []))


def run_all(hwchar, jobs, works, limit=LONGEST_RUN_SECONDS):
    """(work, its run) as they come, the longest begun first so that none is left over at the end."""
    kept = kept_runs.KeptRuns(KEPT, hwchar)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(run_or_keep, hwchar, kept, work, limit): work
                   for work in sorted(works, key=cost, reverse=True)}
        for future in concurrent.futures.as_completed(futures):
            yield futures[future], future.result()


def in_order(works, results):
    """The same as they come, each held back until those before it have come."""
    come, left = {}, list(works)
    for work, result in results:
        come[work] = result
        while left and left[0] in come:
            yield left[0], come[left[0]]
            left.pop(0)


def profiles(hwchar, works):
    """{work: its profile}, in the order of the works; the script ends where a run fails."""
    found = {}
    for work, run in in_order(works, run_all(hwchar, default_jobs(), works)):
        if run.profile is None:
            raise SystemExit(f"{work.path.stem}: {run.fault}")
        found[work] = run.profile
    return found
