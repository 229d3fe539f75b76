"""CPUs at the same time, on this machine: which share a core, and how long a line takes between them, alone and beside a
busy process on the others; one CPU alone has no other."""
import json
import os
import subprocess
import sys

from harness import Skip, main, options, run

HWCHAR = options().hwchar
CPUS = sorted(os.sched_getaffinity(0))
RUNS = 3


def need_two():
    if len(CPUS) < 2:
        raise Skip("this process may use one CPU only")


def profile():
    done = run([HWCHAR, "--json", "smt", "core_to_core"], timeout=120)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def matrix(found, name):
    return next(m for m in found["matrices"] if m["name"] == name)


def check(found):
    """The numbers of CPUs of this core, and of threads without slowdown."""
    core, cells = found["core"], matrix(found, "core_to_core")
    assert cells["labels"] == [str(cpu) for cpu in CPUS], cells
    for i, row in enumerate(cells["rows"]):
        for k, value in enumerate(row):
            assert (value is None) == (i == k) and value == cells["rows"][k][i], (i, k, cells)
            assert i == k or 0 < cells["least"][i][k] <= value < 20000, (i, k, cells)
    nearest, times = core["core_to_core"]["nearest"], [t for row in cells["rows"] for t in row if t is not None]
    assert nearest["value"] is None or abs(nearest["nanoseconds"] - min(times)) < 0.1, (nearest, times)
    print({key: core[key] for key in ("smt", "parallel_threads", "core_to_core")})
    smt, threads = core["smt"]["value"], core["parallel_threads"]["value"]
    for value, most in ((smt, len(CPUS)), (threads, len(CPUS))):
        assert value is None or 1 <= value <= most, core
    if smt is not None and threads is not None:
        assert smt + threads <= len(CPUS) + 1 and smt * threads >= min(2, len(CPUS)), core
    return smt, threads


def answers_are_the_same_each_time():
    need_two()
    found = [check(profile()) for _ in range(RUNS)]
    assert len(set(found)) == 1 and None not in found[0], found


def a_busy_process_on_the_others_changes_nothing():
    need_two()
    alone = check(profile())
    spin = f"import os; os.sched_setaffinity(0, {CPUS[:-1]})\nwhile True: pass"
    busy = [subprocess.Popen([sys.executable, "-c", spin]) for _ in CPUS[:-1]]
    try:
        beside = [check(profile()) for _ in range(RUNS)]
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert all(found == alone for found in beside), (alone, beside)


def one_cpu_has_no_other():
    done = subprocess.run([HWCHAR, "--json", "smt", "core_to_core"], capture_output=True, text=True, timeout=120,
                          preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))
    assert done.returncode == 0, done
    core = json.loads(done.stdout)["core"]
    for finding in (core["smt"], core["parallel_threads"], core["core_to_core"]["nearest"]):
        assert finding["value"] is None and "one CPU only" in finding["reason"], finding


main([answers_are_the_same_each_time, a_busy_process_on_the_others_changes_nothing, one_cpu_has_no_other])
