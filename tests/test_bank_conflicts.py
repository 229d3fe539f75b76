"""Bank conflicts on simulated machines: number and width of banks, and what a conflict costs, where there are some."""
import json
import pathlib
import tempfile

from harness import MACHINE, ROOT, main, options, run, write_json

HWCHAR = options().hwchar
TEMPORARY = tempfile.TemporaryDirectory()
READ = ("loads a cycle", "pairs of a bank in conflict", "banks", "bank width", "conflict penalty")


def play(path, *arguments):
    done = run([HWCHAR, f"--machine={path}", "--seed=1", *arguments, "bank_conflicts"])
    assert done.returncode == 0, done
    return done.stdout


def read_off(path):
    """{type: values}, and the reasons of those that are not known."""
    curves = json.loads(play(path, "--json"))["curves"]
    assert [(c["name"], c["type"]) for c in curves] == [("bank_conflicts", "int"), ("bank_conflicts", "float")]
    assert all([r["name"] for r in c["read_off"]] == list(READ) for c in curves), curves
    return ({c["type"]: tuple(r["value"] for r in c["read_off"]) for c in curves},
            {r["reason"] for c in curves for r in c["read_off"] if r["value"] is None})


def known(name):
    return read_off(ROOT / "machines" / f"{name}.json")


def changed(name, **more):
    return write_json(pathlib.Path(TEMPORARY.name) / f"{name}.json", MACHINE | more)


def near(values, expected):
    return all(a == b if a is None or b is None else abs(a - b) <= 0.05 * b for a, b in zip(values, expected))


def the_itanium_has_them_in_the_second_level_which_floating_point_loads_ask():
    values, reasons = known("itanium2-900")
    assert near(values["int"], (2, 0, None, None, None)) and near(values["float"], (2, 100, 16, 16, 1)), values
    assert reasons == {"no conflicts are seen: no distance takes longer than others"}, reasons


def banks_of_first_levels_are_read_off():
    for name, number, width in ("sandy-bridge", 16, 4), ("xray-opteron-240", 8, 8), ("amp-p5-133", 8, 4):
        values, _ = known(name)
        assert all(near(v, (2, 100, number, width, 1)) for v in values.values()), (name, values)


def where_ways_have_banks_of_their_own_few_pairs_conflict():
    values, _ = known("zen5")
    for loads, percent, *banks in values.values():
        assert near((loads, *banks), (4, 8, 4, 0.5)) and 5 <= percent <= 12, values


def nothing_is_said_where_a_cycle_has_one_load():
    values, reasons = known("amp-r10k-225")
    assert all(near(v, (1, None, None, None, None)) for v in values.values()), values
    assert reasons == {"a pair of loads takes 2.0 cycles: no two go together"}, reasons


def a_noisy_machine_without_banks_has_none():
    noise = {"context_switches_per_ms": 1, "lines_lost_per_switch": 40, "latency_jitter": 0.1}
    values, _ = read_off(changed("noisy", noise=noise, clock_step=26))
    assert all(v[1:] == (0, None, None, None) for v in values.values()), values


def the_text_says_it_in_a_line():
    shown = play(ROOT / "machines" / "sandy-bridge.json")
    assert "bank_conflicts, int\n" in shown and "banks 16, bank width 4 B, conflict penalty" in shown, shown


main([the_itanium_has_them_in_the_second_level_which_floating_point_loads_ask, banks_of_first_levels_are_read_off,
      where_ways_have_banks_of_their_own_few_pairs_conflict, nothing_is_said_where_a_cycle_has_one_load,
      a_noisy_machine_without_banks_has_none, the_text_says_it_in_a_line])
