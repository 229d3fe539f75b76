"""How many CPUs share a level is what the machine file says, by counters and by the clock; where no other CPU is there,
or the next level might be what another CPU fills, nothing is said."""
import json
import pathlib
import tempfile

from harness import ROOT, main, options, run, write_json

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
FIRST = {"level": 1, "kind": "data", "size": 16384, "line_size": 64, "associativity": 4, "latency": 4,
         "replacement": "lru"}
SECOND = {"level": 2, "kind": "unified", "size": 131072, "line_size": 64, "associativity": 8, "latency": 14,
          "replacement": "lru"}
THIRD = {"level": 3, "kind": "unified", "size": 2097152, "line_size": 64, "associativity": 16, "latency": 40,
         "replacement": "lru"}
NOISE = {"context_switches_per_ms": 0.2, "lines_lost_per_switch": 40, "counter_overhead": 3, "latency_jitter": 0.02}


def machine(*caches, cpus=4, **more):
    return {"schema": "hwchar-machine/1", "name": "a test's machine", "frequency_mhz": 2000, "page_size": 4096,
            "memory_latency": 150, "cpus": cpus, "caches": list(caches), "physical_pages": "contiguous",
            "noise": NOISE, **more}


def shared(cache, by):
    return cache | {"shared_by": by}


def seen(description, *arguments):
    """(the finding of each level, the notes)"""
    with tempfile.TemporaryDirectory() as directory:
        path = write_json(pathlib.Path(directory) / "machine.json", description)
        done = run([HWCHAR, f"--machine={path}", "--json", *arguments, "sharing"])
    assert done.returncode == 0, done.stderr
    profile = json.loads(done.stdout)
    return [cache["shared_by"] for cache in profile["caches"]], profile["notes"]


def values(description, *arguments):
    return [finding["value"] for finding in seen(description, *arguments)[0]]


def each_level_is_shared_as_its_file_says():
    ways_to_share = ((1, 1, 4), (2, 2, 4), (1, 2, 2), (1, 1, 1), (4, 4, 4))
    for witness, some in (((), 3), (("--counters",), 1)):
        for by in ways_to_share if "all" in OPTIONS.rest else ways_to_share[:some]:
            description = machine(*(shared(c, n) for c, n in zip((FIRST, SECOND, THIRD), by)))
            found, notes = seen(description, *witness)
            assert [finding["value"] for finding in found] == list(by), (witness, by, found)
            assert all(finding["unit"] == "CPUs" for finding in found), found
            others = ", ".join(str(cpu) for cpu in range(1, by[2]))
            assert (f"L3 is shared with CPU {others}" in notes) == (by[2] > 1), (by, notes)


def what_is_shared_at_times_is_said_so():
    """The other CPU is moved away and back every few ballots: whatever they agree on, both were seen."""
    description = machine(FIRST, SECOND, shared(THIRD, 2), cpus=2, cpus_move=90)
    found, notes = seen(description, "--seed=1")
    assert any("L3 is shared with CPU 1 at times only" in note for note in notes), (found, notes)
    assert not any("at times" in note for note in seen(description | {"cpus_move": 0}, "--seed=1")[1])


def whatever_the_policy_inclusion_and_pages():
    levels = (FIRST | {"replacement": "random"}, shared(SECOND, 2) | {"replacement": "tree-plru"},
              shared(THIRD, 4) | {"replacement": "srrip"})
    for inclusion in ("nine", "inclusive", "exclusive"):
        description = machine(levels[0], levels[1], levels[2] | {"inclusion": inclusion}, physical_pages="random",
                              superpages=[2097152])
        for witness in ((), ("--counters",)):
            found = values(description, *witness)
            assert found[0] == 1, (inclusion, witness, found)
            assert found[1] in (2, None) and found[2] in (4, None), (inclusion, witness, found)
            assert inclusion != "nine" or found == [1, 2, 4], (witness, found)


def a_small_inclusive_level_is_not_taken_for_the_one_above():
    """Foreign lines crowd the shared level, which takes lines of the private one out."""
    found, _ = seen(machine(FIRST, SECOND, shared(THIRD, 4) | {"size": 262144, "inclusion": "inclusive"}), "--counters")
    assert found[1]["value"] in (1, None), found[1]


def nothing_is_said_where_there_is_one_cpu():
    for description in (machine(FIRST, SECOND, cpus=1), {k: v for k, v in machine(FIRST).items() if k != "cpus"}):
        for finding in seen(description)[0]:
            assert finding["value"] is None and finding["kind"] == "unavailable", finding
            assert "one CPU" in finding["reason"], finding


def real_noise_makes_nothing_up():
    noise = {"recording": str(ROOT / "machines/noise/amd-zen5-guest-2026-11.json")}
    found = values(machine(FIRST, shared(SECOND, 2), shared(THIRD, 4), noise=noise))
    assert all(value in (None, truth) for value, truth in zip(found, (1, 2, 4))), found


# Policies, and a recording to play, take most of the time: "all" has them.
main([each_level_is_shared_as_its_file_says, what_is_shared_at_times_is_said_so,
      nothing_is_said_where_there_is_one_cpu] +
     [a_small_inclusive_level_is_not_taken_for_the_one_above, whatever_the_policy_inclusion_and_pages,
      real_noise_makes_nothing_up] * ("all" in OPTIONS.rest))
