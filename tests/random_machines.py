#!/usr/bin/env python3
"""Write random, legal machine files: a property test's input.

    tests/random_machines.py DIRECTORY [--count N] [--seed S] [--noise]

The seed is printed; each file's name carries it. With --noise the same machines are as noisy as recorded ones."""
import argparse
import json
import pathlib
import random

RECORDINGS = pathlib.Path(__file__).resolve().parent.parent / "machines/noise"
POLICIES = ["lru", "lru", "tree-plru", "bit-plru", "nru", "fifo", "random", "srrip", "QLRU_H00_M1_R2_U1",
            "QLRU_H11_M1_R0_U0"]


def cache(rng, level, above):
    line = rng.choice([16, 32, 64, 64, 64, 128]) if above is None else above["line_size"]
    if above is not None and above["line_size"] < 256:
        line *= rng.choice([1, 1, 1, 2])
    ways = rng.choice([1, 2, 4, 8, 8, 12, 16, 3, 6, 5]) if level == 1 else rng.choice([2, 4, 8, 8, 16, 16, 12, 11, 20])
    low, high = {1: (4 << 10, 128 << 10), 2: (96 << 10, 4 << 20), 3: (1 << 20, 32 << 20)}[level]
    if above is not None:
        low = max(low, 4 * above["size"])
    while True:
        sets = 1 << rng.randrange(3, 18)
        if level > 1 and rng.random() < 0.1:
            sets = sets * 3 // 4
        if low <= sets * ways * line <= high:
            break
        ways = rng.choice([1, 2, 4, 8, 12, 16]) if level == 1 else rng.choice([4, 8, 16, 12])
    latency = {1: rng.choice([2, 3, 4, 5]), 2: rng.choice([10, 14, 20]), 3: rng.choice([35, 50, 70])}[level]
    found = {"level": level, "kind": "data" if level == 1 else "unified", "size": sets * ways * line, "line_size": line,
             "associativity": ways, "latency": latency, "replacement": rng.choice(POLICIES)}
    if level > 1:
        kinds = ["nine", "nine", "inclusive"] + (["exclusive"] if line == above["line_size"] else [])
        found["inclusion"] = rng.choice(kinds)
    if level == 3 and sets % 4 == 0 and rng.random() < 0.3:
        found["slices"] = 4
    return found


def instruction_cache(rng, data):
    """Of 4 KiB at least: the probe begins with regions of 2 KiB, and no processor it runs on has a smaller one."""
    ways = rng.choice([1, 2, 4, 8, 8])
    size = ways * data["line_size"] << rng.randrange(5, 8)
    while size < 4096:
        size *= 2
    return {"level": 1, "kind": "instruction", "size": size,
            "line_size": data["line_size"], "associativity": ways, "latency": data["latency"],
            "replacement": rng.choice(POLICIES[:4])}


def split_second_level(rng, caches):
    """One of its own for code, beside that for data."""
    data = caches[1]
    data["kind"] = "data"
    ways = rng.choice([2, 4, 8, 12])
    caches.append({"level": 2, "kind": "instruction", "size": ways * data["line_size"] << rng.randrange(8, 11),
                   "line_size": data["line_size"], "associativity": ways, "latency": data["latency"],
                   "replacement": rng.choice(POLICIES[:4])})


def tlb(rng, level, kind, ways, sets, **more):
    return {"level": level, "kind": kind, "entries": ways * sets, "associativity": ways,
            "replacement": rng.choice(POLICIES),
            "miss_penalty": rng.choice([6, 8, 10]) if level == 1 else rng.choice([25, 35, 50]), **more}


def tlbs(rng, page, superpages):
    """A first level each for data and code, perhaps one of large pages, perhaps a second level."""
    sizes = [{"page_size": page}] * 3 + ([{}] * 2 if superpages else []) + [{"page_size": 2 * page, "sub_pages": rng.choice([1, 2])}]
    found = []
    for kind in ("data", "instruction"):
        ways, sets = rng.choice([(4, 16), (8, 8), (32, 1), (48, 1), (64, 1), (4, 8), (6, 16), (8, 16)])
        found.append(tlb(rng, 1, kind, ways, sets, **rng.choice(sizes)))
    if superpages and "page_size" in found[0] and rng.random() < 0.7:
        found.append(tlb(rng, 1, "data", 4, 8, page_size=superpages[-1]))
    if rng.random() < 0.7:
        ways, sets = rng.choice([(4, 128), (8, 128), (12, 128), (6, 256), (16, 128)])
        found.append(tlb(rng, 2, rng.choice(["unified", "data"]), ways, sets, **rng.choice(sizes)))
    return found


def btb(rng):
    levels = rng.choice([[], [(rng.choice([128, 512, 1024, 4096]), 4)], [(rng.choice([128, 256]), 4), (rng.choice([2048, 4096]), 8)]])
    return [{"level": i + 1, "entries": entries, "associativity": ways, "miss_penalty": rng.choice([3, 5, 8])}
            for i, (entries, ways) in enumerate(levels)]


def decoded(rng):
    """A cache of decoded instructions."""
    sets, ways, instructions = rng.choice([(32, 8, 8), (64, 8, 8), (64, 12, 9), (64, 16, 6)])
    return {"entries": sets * ways, "associativity": ways, "line_size": 64, "instructions": instructions,
            "miss_penalty": rng.choice([4, 6])}


def machine(rng, name):
    levels = rng.choice([1, 2, 2, 3, 3])
    caches = []
    for level in range(1, levels + 1):
        caches.append(cache(rng, level, caches[-1] if caches else None))
    pages = rng.choice(["contiguous", "contiguous", "random"])
    superpages = [2097152] if rng.random() < 0.4 else []
    page = rng.choice([4096, 4096, 16384])
    caches[0]["write_allocate"] = rng.random() < 0.8
    caches[0]["write_back"] = rng.random() < 0.7
    caches.append(instruction_cache(rng, caches[0]))
    found = {"schema": "hwchar-machine/1", "name": name, "source": "random", "frequency_mhz": 2000,
             "memory_latency": rng.choice([150, 200, 300]), "caches": caches, "page_size": page,
             "physical_pages": pages, "superpages": superpages, "tlbs": tlbs(rng, page, superpages), "btb": btb(rng),
             "prefetch": rng.choice(["none", "none", "next-line", "stride", "stream"]),
             "noise": {"context_switches_per_ms": rng.choice([0, 0.2, 1]), "lines_lost_per_switch": 40,
                       "counter_overhead": rng.choice([0, 3]), "latency_jitter": rng.choice([0, 0.02])}}
    if levels > 1 and rng.random() < 0.2:
        split_second_level(rng, caches)
    code = caches[-1] if caches[-1]["level"] == 1 else caches[-2]
    if rng.random() < 0.3 and code["size"] >= 16384 and code["line_size"] == 64:
        found["decoded"] = decoded(rng)
    return found


def as_noisy_as_a_recorded_one(found, rng):
    """The machine among others: it plays a recording, on a clock as fine as its own or as the recorded one's. What such
    a machine's pages are, nobody chooses."""
    recording = rng.choice(sorted(RECORDINGS.glob("*.json")))
    noise = {"counter_overhead": found["noise"]["counter_overhead"], "recording": str(recording)}
    return found | {"noise": noise, "physical_pages": "random"} | ({"clock_step": 1} if rng.random() < 0.5 else {})


def drawn(seed, i, noisy=False):
    """(name, machine) of one of a seed's."""
    name = f"random-{seed}-{i}"
    found = machine(random.Random(name), name)
    return name, as_noisy_as_a_recorded_one(found, random.Random(f"{name}-noise")) if noisy else found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noise", action="store_true")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    print(f"seed {options.seed}")
    for i in range(options.count):
        name, found = drawn(options.seed, i, options.noise)
        (options.directory / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
