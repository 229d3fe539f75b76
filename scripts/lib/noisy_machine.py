"""A machine file as a noisy one: with pages at random, and a recording of noise that fits it. Machines of
machines/noisy/ name theirs themselves; the others play one whose clock advances in steps like their own, and of
several, one by the machine's name, so that each is played."""
import json
import math
import zlib

import machine_file
import runs

RECORDINGS = runs.MACHINES / "noise"
KEPT = ("counter_overhead", "own_lines")  # of a machine's own noise: what no recording stands for
FINEST_NS = 1  # clocks that step by less are alike


def step_ns(recording):
    return recording["clock_step"] / recording["cycles_per_ns"]


def apart(machine, recording):
    """How unlike their clocks are, by ratio. A file without a step has a fine clock."""
    own = machine.get("clock_step", 0) / (machine.get("frequency_mhz", 1000) / 1e3)
    return round(abs(math.log(max(own, FINEST_NS) / max(step_ns(recording), FINEST_NS))), 1)


def recording_for(path):
    named = runs.MACHINES / "noisy" / path.name
    if named.exists():
        return (named.parent / json.loads(named.read_text())["noise"]["recording"]).resolve()
    machine = machine_file.read(path)
    all_of_them = {p: json.loads(p.read_text()) for p in sorted(RECORDINGS.glob("*.json"))}
    least = min(apart(machine, recording) for recording in all_of_them.values())
    alike = [p for p, recording in all_of_them.items() if apart(machine, recording) == least]
    return alike[zlib.crc32(path.stem.encode()) % len(alike)]


def write(path, folder):
    """The noisy one's file, which names the machine's own and the recording."""
    noise = {key: value for key, value in machine_file.read(path).get("noise", {}).items() if key in KEPT}
    noisy = {"schema": "hwchar-machine/1", "base": str(path.resolve()), "name": f"{path.stem}, noisy",
             "physical_pages": "random", "noise": {**noise, "recording": str(recording_for(path))}}
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / path.name
    written.write_text(json.dumps(noisy, indent=1) + "\n")
    return written
