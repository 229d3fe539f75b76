"""Every kind of prefetcher is seen where a machine file has it, in its level, and none where it has none."""
import json
import pathlib
import tempfile

from harness import ROOT, main, options, run, write_json

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
KINDS = ("next_line", "line_pair", "stride", "stream")


def level(number, line, **more):
    sizes = {1: 16384, 2: 131072}
    return {"level": number, "kind": "data" if number == 1 else "unified", "size": sizes[number], "line_size": line,
            "associativity": 4 * number, "latency": {1: 4, 2: 14}[number], "replacement": "lru", **more}


def machine(prefetch, caches, **more):
    return {"schema": "hwchar-machine/1", "name": "a test's machine", "frequency_mhz": 2000, "page_size": 4096,
            "memory_latency": 150, "caches": caches, "physical_pages": "contiguous", "prefetch": prefetch,
            "noise": {"context_switches_per_ms": 0.2, "lines_lost_per_switch": 40, "counter_overhead": 3,
                      "latency_jitter": 0.02}, **more}


ONE = [level(1, 64)]
TWO = [level(1, 64), level(2, 64)]
LONGER = [level(1, 32), level(2, 128)]


def seen(description, *arguments):
    """{kind: its finding}"""
    with tempfile.TemporaryDirectory() as directory:
        path = write_json(pathlib.Path(directory) / "machine.json", description)
        done = run([HWCHAR, f"--machine={path}", "--json", *arguments, "prefetchers"])
    assert done.returncode == 0, done.stderr
    return {kind: json.loads(done.stdout)["core"][f"prefetch_{kind}"] for kind in KINDS}


def expect(description, **levels):
    """By the clock; by counters, where there is time for all. Kinds that are not named are absent."""
    for witness in ((), ("--counters",)) if "all" in OPTIONS.rest else ((),):
        found = {kind: finding["value"] for kind, finding in seen(description, *witness).items()}
        assert found == {kind: levels.get(kind, "none") for kind in KINDS}, (witness, found)


def each_kind_is_seen_in_its_level():
    expect(machine("none", TWO))
    expect(machine("next-line", TWO), next_line="L1")
    expect(machine("line-pair", TWO), line_pair="L2")
    expect(machine("stride", TWO), stride="L1")
    expect(machine("stream", TWO), stream="L2")


def one_level_has_them_all():
    expect(machine("none", ONE))
    expect(machine(["next-line", "line-pair", "stride", "stream"], ONE), next_line="L1", line_pair="L1", stride="L1",
           stream="L1")


def longer_lines_below_are_no_prefetchers():
    expect(machine("none", LONGER))
    expect(machine(["next-line", "line-pair"], LONGER), next_line="L1", line_pair="L2")


def a_page_of_few_lines_has_no_room_for_strides():
    found = seen(machine(["next-line", "stream"], [level(1, 256)]))
    assert {kind: finding["value"] for kind, finding in found.items()} == {
        "next_line": "L1", "line_pair": "none", "stride": None, "stream": "L1"}, found
    assert "too few lines" in found["stride"]["reason"], found
    found = seen(machine("stream", [level(1, 512)]))
    assert all(finding["kind"] == "unavailable" for finding in found.values()), found


def a_coarse_clock_tells_them_too():
    found = seen(machine(["line-pair", "stride"], TWO, clock_step=36))
    assert {kind: finding["value"] for kind, finding in found.items()} == {
        "next_line": "none", "line_pair": "L2", "stride": "L1", "stream": "none"}, found


def real_noise_makes_nothing_up():
    """A recording of a virtual machine whose sibling is busy."""
    noise = {"recording": str(ROOT / "machines/noise/amd-zen5-guest-2026-11.json")}
    found = seen(machine("stride", TWO, noise=noise))
    assert found["stride"]["value"] in (None, "L1"), found
    assert all(found[kind]["value"] in (None, "none") for kind in KINDS if kind != "stride"), found


main([each_kind_is_seen_in_its_level, one_level_has_them_all, longer_lines_below_are_no_prefetchers,
      a_page_of_few_lines_has_no_room_for_strides, a_coarse_clock_tells_them_too, real_noise_makes_nothing_up])
