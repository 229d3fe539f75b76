"""The parts of the core: a simulated machine has none, and says so."""
import json

from harness import ROOT, main, options, run

HWCHAR = options().hwchar
KEYS = ("reorder_buffer", "int_register_file", "vector_register_file", "load_queue", "store_queue", "int_scheduler",
        "vector_scheduler", "load_scheduler", "misprediction_penalty", "return_stack", "smt", "parallel_threads")


def a_simulated_core_is_not_measured():
    done = run([HWCHAR, f"--machine={ROOT / 'machines/zen4.json'}", "--json", "out_of_order", "branches", "smt",
                "core_to_core"], timeout=60)
    assert done.returncode == 0, done
    core = json.loads(done.stdout)["core"]
    core |= core.pop("core_to_core")
    for key in (*KEYS, "nearest"):
        assert core[key]["value"] is None and "executes no instructions" in core[key]["reason"], (key, core[key])


main([a_simulated_core_is_not_measured])
