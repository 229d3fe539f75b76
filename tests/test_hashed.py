"""Second levels whose sets a hash moves about: plain indexing's arithmetic gives them several times their size."""
import json
import pathlib
import tempfile

from harness import ROOT, cache_values, main, options, run, write_json

HWCHAR = options().hwchar
SECOND = {"zen2": (64, 524288, 8), "skylake": (64, 262144, 4)}


def measure(name, bits, contiguous, witness):
    machine = json.loads((ROOT / "machines" / f"{name}.json").read_text())
    for cache in machine["caches"]:
        if cache["level"] == 2:
            cache["hashed_bits"] = bits
    if not contiguous:
        machine["superpages"] = []
    with tempfile.TemporaryDirectory() as directory:
        path = write_json(pathlib.Path(directory) / "machine.json", machine)
        done = run([HWCHAR, f"--machine={path}", "--json", *witness, "data_cache"], timeout=600)
    assert done.returncode == 0, done
    return cache_values(json.loads(done.stdout))


def counters_see_through_the_hash():
    for name, contiguous in (("zen2", True), ("zen2", False), ("skylake", True)):
        found = measure(name, 2, contiguous, ["--counters"])
        assert found[2] == SECOND[name], (name, contiguous, found)


def the_clock_is_right_or_silent():
    for name, expected in SECOND.items():
        for bits in (1, 2):
            found = measure(name, bits, True, [])
            assert all(value in (None, right) for value, right in zip(found.get(2, ()), expected)), (name, bits, found)


def a_coarse_clock_sees_through_it():
    done = run([HWCHAR, f"--machine={ROOT / 'machines' / 'vm-zen-coarse-clock.json'}", "--json", "replacement"])
    profile = json.loads(done.stdout)
    assert cache_values(profile)[2] == (64, 262144, 8), profile["caches"]
    assert [c["replacement"]["value"] for c in profile["caches"][:2]] == ["tree-plru", "QLRU_H00_M1_R0_U1"], profile["caches"]


main([counters_see_through_the_hash, the_clock_is_right_or_silent, a_coarse_clock_sees_through_it])
