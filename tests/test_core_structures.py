"""The parts of the core: a simulated machine has none, and says so; an emulator's times are not told."""
import json
import os
import platform

from harness import ROOT, finding_at, main, need, options, run

HWCHAR = options().hwchar
PROBES = ("out_of_order", "branches", "front_end", "full_rate", "load_latency", "gather")
KEYS = ("reorder_buffer", "int_register_file", "vector_register_file", "load_queue", "store_queue", "int_scheduler",
        "vector_scheduler", "load_scheduler", "misprediction_penalty", "return_stack", "fetch_width", "rename_width",
        "full_rate_code", "move_elimination.int", "move_elimination.vector", "load_to_use.int", "load_to_use.vector",
        "store_forwarding.int", "store_forwarding.vector", "memory_renaming", "gather.avx2", "gather.avx512")
OF_CPUS = ("smt", "core_to_core")
KEYS_OF_CPUS = ("smt", "parallel_threads", "core_to_core.nearest")
TIMES = (*(KEYS_OF_CPUS if len(os.sched_getaffinity(0)) > 1 else ()), "frequency", "stamp_frequency")


def assert_unknown(done, keys, needle):
    assert done.returncode == 0, done
    core = json.loads(done.stdout)["core"]
    for key in keys:
        finding = finding_at(core, key)
        assert finding["value"] is None and needle in finding["reason"], (key, finding)


def a_simulated_core_is_not_measured():
    done = run([HWCHAR, f"--machine={ROOT / 'machines/zen4.json'}", "--json", *PROBES, *OF_CPUS], timeout=60)
    assert_unknown(done, (*KEYS, *KEYS_OF_CPUS), "executes no instructions")


def an_emulated_core_is_not_measured():
    """hwchar is this machine's, so the emulator is of its architecture."""
    name = f"qemu-{platform.machine()}"
    emulator = need(name, f"{name}-static")
    assert_unknown(run([emulator, HWCHAR, "--json", *PROBES, *OF_CPUS, "frequency"], timeout=100), (*KEYS, *TIMES), "translated")


main([a_simulated_core_is_not_measured, an_emulated_core_is_not_measured])
