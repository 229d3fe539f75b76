"""Latencies on machines that play the noise of real ones: beside it, no chain takes too long."""
import json
import pathlib
import tempfile

from harness import ROOT, main, options, run, write_json

HWCHAR = options().hwchar
MIB = 1 << 20


def latencies(path, seed):
    """Of all levels."""
    done = run([HWCHAR, f"--machine={path}", f"--seed={seed}", "--json", "data_cache", "latency"])
    return [level["latency"]["value"] for level in json.loads(done.stdout)["caches"]]


def lines_that_others_put_out_of_the_last_level_are_no_part_of_it():
    """A footprint of a quarter of the level takes 41.6 cycles here, by all votes."""
    assert 33 < latencies(ROOT / "machines/noisy/haswell.json", 3)[2] < 37


def slow_at_times():
    """A recording in which hits of a second level take 12 % longer in four of twelve rounds."""
    recording = json.loads((ROOT / "machines/noise/amd-zen4-kvm-2026-11.json").read_text())
    second = recording["footprints"][1]
    longer = 0.12 * second["pass"] * second["cycles"]
    second["passes"] = [[int(cycles + longer) if number % 12 < 4 else cycles for cycles in passes]
                        for number, passes in enumerate(second["passes"])]
    return recording


def a_chain_in_a_slow_moment_is_timed_again():
    """In the first one's, 15.8 cycles by all votes."""
    def cache(level, kind, size, ways, latency):
        return {"level": level, "kind": kind, "size": size, "line_size": 64, "associativity": ways, "latency": latency}

    with tempfile.TemporaryDirectory() as folder:
        recording = write_json(pathlib.Path(folder) / "recording.json", slow_at_times())
        machine = {"schema": "hwchar-machine/1", "name": "latency", "frequency_mhz": 2400, "memory_latency": 260,
                   "superpages": [2 * MIB], "physical_pages": "random", "noise": {"recording": str(recording)},
                   "caches": [cache(1, "data", 32768, 8, 4), cache(2, "unified", MIB, 16, 14)]}
        assert 13.3 < latencies(write_json(pathlib.Path(folder) / "m.json", machine), 1)[1] < 15


main([lines_that_others_put_out_of_the_last_level_are_no_part_of_it, a_chain_in_a_slow_moment_is_timed_again])
