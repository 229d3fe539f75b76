"""Machine files: malformed, truncated, contradictory and hostile ones are refused with the place of the fault; those of
machines/ say where their figures come from, and which of them were chosen."""
import collections
import copy
import json
import pathlib
import re
import sys
import tempfile

from harness import MACHINE, ROOT, main, one_line, options, run, write_json

sys.path.insert(0, str(ROOT / "scripts/lib"))
import machine_file  # noqa: E402

HWCHAR = options().hwchar
MACHINES = {path.stem: json.loads(path.read_text()) for path in sorted((ROOT / "machines").glob("*.json"))}
SOURCE_BYTES = 511   # what sim/description.h has room for
SHARED_SOURCES = 3   # so many variants of one machine may name the same
TEMPORARY = tempfile.TemporaryDirectory()
FILE = pathlib.Path(TEMPORARY.name) / "machine.json"
RECORDING = pathlib.Path(TEMPORARY.name) / "recording.json"
RECORDINGS = sorted((ROOT / "machines/noise").glob("*.json"))
NOISY = sorted((ROOT / "machines/noisy").glob("*.json"))


def refuse(text, *needles):
    FILE.write_text(text)
    done = run([HWCHAR, f"--machine={FILE}", "--json"], timeout=30)
    assert done.returncode == 2 and done.stdout == "", (text[:80], done)
    line = one_line(done)
    assert str(FILE) in line, line
    for needle in needles:
        assert needle in line, (needle, line)


def changed(*path_and_value):
    machine = copy.deepcopy(MACHINE)
    *path, value = path_and_value
    place = machine
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(machine)


def text_that_is_no_json_names_the_line():
    good = json.dumps(MACHINE, indent=1)
    refuse("", "line 1")
    refuse(good[:len(good) // 2], "line")
    refuse("[" * 1000000)
    refuse('{"schema": NaN}', "line 1")
    refuse(good.replace("32768", "9223372036854775808"), "line")
    refuse(good.replace("32768", "NaN"), "line")
    refuse('{"a": 1, "a": 2}', "duplicate")
    refuse("\x00\x01")


def unknown_keys_are_named():
    refuse(changed("colour", "red"), "colour")
    refuse(changed("caches", 0, "colour", "red"), "caches[0]", "colour")
    refuse(changed("noise", {"wind": 1}), "noise", "wind")
    refuse(changed("events", {"l9_miss": "exact"}), "l9_miss")
    refuse(changed("events", {"l2_miss": "perhaps"}), "l2_miss", "perhaps")


def page_walks_that_cannot_be_are_named(tlb):
    def with_walk(*walk):
        return json.dumps(MACHINE | {"tlbs": [tlb], "page_walk": list(walk)})

    line, directory = ({"covers": covers, "entries": 32, "cycles": 12} for covers in (32768, 2097152))
    FILE.write_text(with_walk(line, directory))
    assert run([HWCHAR, f"--machine={FILE}", "--json", "page_size"], timeout=60).returncode == 0
    refuse(changed("page_walk", [line]), "page_walk", "without tlbs")
    refuse(with_walk(*[line] * 5), "page_walk", "at most 4")
    refuse(with_walk(line, directory | {"colour": "red"}), "page_walk[1]", "colour")
    refuse(with_walk(line, 1), "page_walk[1]", "object")
    for key, value in (("covers", 48000), ("covers", 2048), ("covers", 0), ("entries", 0), ("entries", 16385),
                       ("cycles", -1), ("cycles", "many")):
        refuse(with_walk(line | {key: value}), f"page_walk[0].{key}")
    for key in line:
        refuse(with_walk({other: line[other] for other in line if other != key}), f"page_walk[0].{key}", "missing")
    refuse(with_walk(directory, line), "page_walk[1].covers", "the one before")
    refuse(with_walk(line | {"covers": 2048}), "page_walk[0].covers", "page_size")


def values_out_of_range_are_named():
    for value in (0, -1, 1 << 40, 1.5, "32K", [], True):
        refuse(changed("caches", 0, "size", value), "caches[0].size")
    for value in (0, 7, 48, 1 << 20):
        refuse(changed("caches", 0, "line_size", value), "caches[0]")
    for value in (0, 100000):
        refuse(changed("caches", 0, "associativity", value), "caches[0].associativity")
    refuse(changed("caches", 0, "latency", 0), "caches[0].latency")
    for value in (0, -1, 1025, "all"):
        refuse(changed("cpus", value), "cpus")
        refuse(changed("caches", 0, "shared_by", value), "caches[0].shared_by")
    refuse(changed("caches", 0, "shared_by", 2), "level 1 is shared by 2 CPUs", "cpus, 1")
    for value in (0, -1, "fast"):
        refuse(changed("caches", 0, "bandwidth", value), "caches[0].bandwidth")
        refuse(changed("memory_bandwidth", value), "memory_bandwidth")
    code = {"level": 1, "kind": "instruction", "size": 32768, "line_size": 64, "associativity": 8, "latency": 4}
    refuse(changed("caches", [code | {"bandwidth": 16}, *MACHINE["caches"]]), "caches[0].bandwidth", "no data")
    banks = {"number": 8, "width": 8}
    refuse(changed("caches", 0, "banks", banks | {"number": 1}), "caches[0].banks.number")
    refuse(changed("caches", 0, "banks", {"number": 8}), "banks.width", "missing")
    refuse(changed("caches", 0, "banks", banks | {"cost": 0}), "banks.cost")
    refuse(changed("caches", 0, "banks", banks | {"colour": "red"}), "banks", "colour")
    refuse(changed("caches", [code | {"banks": banks}, *MACHINE["caches"]]), "caches[0].banks", "no data")
    refuse(changed("loads_per_cycle", 0), "loads_per_cycle")
    refuse(changed("caches", 0, "replacement", "mru"), "caches[0].replacement", "mru")
    refuse(changed("caches", 0, "replacement", "LRU5PLRU4"), "caches[0].replacement", "5 groups of 4 ways")
    refuse(changed("page_size", 5000), "page_size")
    refuse(changed("superpages", [4096]), "superpages")
    refuse(changed("memory_latency", None), "memory_latency", "missing")
    refuse(changed("schema", "hwchar-machine/9"), "schema")
    refuse(changed("caches", 0, "write_back", "sometimes"), "caches[0].write_back")
    tlb = {"level": 1, "kind": "data", "entries": 64, "associativity": 4, "miss_penalty": 9}
    refuse(changed("tlbs", [tlb | {"sub_pages": 3}]), "tlbs[0].sub_pages")
    refuse(changed("tlbs", [tlb | {"page_size": 8192, "index_page_size": 4096}]), "tlbs[0].index_page_size")
    refuse(changed("tlbs", [tlb | {"page_size": 4096, "index_page_size": 12288}]), "tlbs[0].index_page_size")
    btb = {"level": 1, "entries": 512, "associativity": 4, "miss_penalty": 5}
    refuse(changed("btb", [btb | {"level": 2}]), "btb[0].level")
    refuse(changed("btb", [btb | {"entries": 510}]), "btb[0].entries")
    refuse(changed("btb", [btb, btb | {"level": 2, "colour": "red"}]), "btb[1]", "colour")
    refuse(changed("btb", [btb] * 5), "btb", "4")
    decoded = {"entries": 512, "associativity": 8, "line_size": 64, "instructions": 8, "miss_penalty": 6}
    refuse(changed("decoded", decoded | {"entries": 510}), "decoded.entries")
    refuse(changed("decoded", decoded | {"line_size": 48}), "decoded.line_size")
    refuse(changed("decoded", decoded | {"instructions": 0}), "decoded.instructions")
    refuse(changed("decoded", decoded | {"colour": "red"}), "decoded", "colour")
    refuse(changed("decoded", [decoded]), "decoded", "object")
    page_walks_that_cannot_be_are_named(tlb)
    refuse(changed("prefetch", "next"), "prefetch", "next-line")
    refuse(changed("prefetch", ["stream", 3]), "prefetch", "next-line")
    refuse("[]", "object")


def contradictions_are_named():
    refuse(changed("caches", 0, "associativity", 7), "caches[0].size")
    refuse(changed("caches", 1, "level", 3), "level 2")
    refuse(changed("caches", 1, "level", 1), "caches[1].inclusion")
    refuse(changed("caches", [MACHINE["caches"][0]] * 2), "level 1")
    refuse(changed("caches", 1, "line_size", 32), "shorter lines")
    refuse(changed("caches", 1, "latency", 3), "slower")
    refuse(changed("memory_latency", 10), "memory")
    refuse(changed("caches", 0, "inclusion", "inclusive"), "inclusion")
    refuse(changed("caches", []), "caches")
    refuse(changed("caches", MACHINE["caches"] + [MACHINE["caches"][1] | {"kind": "instruction"}]), "code at level 2")
    refuse(changed("tlbs", [{"level": 1, "kind": "data", "entries": 16, "associativity": 4, "miss_penalty": 9,
                             "replacement": {"duel": ["lru", "fifo"], "leaders": 1}}]), "duel")


def refuse_recording(recording, *needles):
    """One line that names the recording."""
    RECORDING.write_text(recording if isinstance(recording, str) else json.dumps(recording))
    FILE.write_text(changed("noise", {"recording": RECORDING.name}))
    done = run([HWCHAR, f"--machine={FILE}", "--json"], timeout=30)
    assert done.returncode == 2 and done.stdout == "", done
    line = one_line(done)
    for needle in (str(RECORDING), *needles):
        assert needle in line, (needle, line)


def bad_recordings_are_refused():
    good = json.loads(RECORDINGS[0].read_text())
    RECORDING.unlink(missing_ok=True)
    refuse(changed("noise", {"recording": RECORDING.name, "latency_jitter": 0.1}), "noise.latency_jitter")
    refuse(changed("noise", {"recording": 1}), "noise.recording")
    FILE.write_text(changed("noise", {"recording": "nowhere.json"}))
    done = run([HWCHAR, f"--machine={FILE}"], timeout=30)
    assert done.returncode == 2 and "nowhere.json" in one_line(done) and "cannot be opened" in one_line(done), done
    refuse_recording("", "line 1")
    refuse_recording([], "object")
    refuse_recording(good | {"colour": "red"}, "unknown key", "colour")
    refuse_recording(good | {"schema": "hwchar-noise/9"}, "schema")
    refuse_recording({key: value for key, value in good.items() if key != "clock_step"}, "clock_step", "missing")
    refuse_recording(good | {"waited": [0, 10, 10]}, "waited")
    refuse_recording(good | {"rounds": []}, "rounds")
    refuse_recording(good | {"rounds": good["rounds"][:-1]}, "footprints[0].references")
    refuse_recording(good | {"footprints": good["footprints"][:2]}, "footprints")
    refuse_recording(good | {"footprints": good["footprints"][::-1]}, "footprints[1].bytes")
    first, *others = good["rounds"]
    for changes, *needles in (({"wind": 1}, "rounds[0]", "wind"), ({"gaps": [1, 2, 3]}, "rounds[0].gaps"),
                              ({"gaps": [5, 2000, 3, 0, 4, 2000, 3, 0]}, "rounds[0].gaps", "number 2"),
                              ({"gaps": [5, 2000, 3, "0"]}, "rounds[0].gaps"),
                              ({"pulses": [0] * 7}, "rounds[0].pulses"),
                              ({"lost": [1e9] * 9}, "rounds[0].lost", "number 1"),
                              ({"watched": 0}, "rounds[0].watched")):
        refuse_recording(good | {"rounds": [first | changes, *others]}, *needles)


def a_file_has_what_its_base_has_but_for_its_own_keys():
    base = write_json(pathlib.Path(TEMPORARY.name) / "base.json", MACHINE)
    write_json(FILE, {"base": base.name, "name": "a copy", "memory_latency": 321})
    profile = json.loads(run([HWCHAR, f"--machine={FILE}", "--json", "latency"], timeout=60).stdout)
    assert profile["host"]["cpu_model"] == "a copy" and profile["memory"]["latency"]["documented"] == 321, profile
    assert machine_file.read(FILE) == MACHINE | {"name": "a copy", "memory_latency": 321}
    refuse(json.dumps({"base": "nowhere.json"}), "base", "nowhere.json")
    refuse(json.dumps({"base": 1}), "base", "string")
    refuse(json.dumps({"base": FILE.name}), "base", "names other files")
    refuse(json.dumps({"base": base.name, "colour": "red"}), "colour")
    refuse(json.dumps({"base": base.name, "caches": []}), "caches")


def noisy_machines_are_others_as_noisy_as_real_ones():
    assert len(NOISY) >= 8 and len(RECORDINGS) >= 1
    for path in NOISY:
        own = json.loads(path.read_text())
        assert own["base"] == f"../{path.name}" and path.stem in MACHINES, path
        assert (path.parent / own["noise"]["recording"]).resolve() in RECORDINGS, path
        assert own["name"] != MACHINES[path.stem]["name"], path
        assert machine_file.read(path)["physical_pages"] == "random", path
        done = run([HWCHAR, f"--machine={path}", "--json", "page_size"], timeout=60)
        assert done.returncode == 0 and json.loads(done.stdout)["memory"]["page_size"]["value"], done
        assert any("noise was recorded on" in note for note in json.loads(done.stdout)["notes"]), done
    for path in RECORDINGS:
        assert path.stat().st_size < 300e3, f"{path.name} is large"


def other_things_than_files_are_refused():
    for path in ("/dev/null", "/proc/self", "/"):
        done = run([HWCHAR, f"--machine={path}"], timeout=30)
        assert done.returncode == 2, (path, done)
        one_line(done)


def chosen_figures_are_a_list_of_texts():
    for value in ("memory_latency: unknown", {}, [1], ["memory_latency: unknown", None]):
        refuse(changed("chosen", value), "chosen")


def figures_at(machine, path):
    """What a path such as tlbs[1].replacement or caches[*].latency names; KeyError or IndexError where there is none."""
    places = [machine]
    for name, index in re.findall(r"([a-z][a-z0-9_]*)(?:\[([0-9]+|\*)\])?", path):
        places = [place[name] for place in places]
        if index == "*":
            places = [item for place in places for item in place]
        elif index:
            places = [place[int(index)] for place in places]
    return places


def every_chosen_figure_is_in_its_file():
    for name, machine in MACHINES.items():
        said = [text.split(": ", 1) for text in machine.get("chosen", [])]
        assert all(len(one) == 2 and one[1].strip() for one in said), (name, said)
        assert len({path for path, _ in said}) == len(said), f"{name}: a figure is named twice"
        for path, _ in said:
            try:
                assert figures_at(machine, path)
            except (KeyError, IndexError, TypeError) as fault:
                raise AssertionError(f"{name}: {path} is not in the file") from fault


def a_path_that_is_not_in_the_file_is_seen():
    for path in ("colour", "caches[2]", "caches[0].colour", "btb[*].entries"):
        try:
            found = figures_at(MACHINE, path)
        except (KeyError, IndexError, TypeError):
            continue
        raise AssertionError((path, found))


def every_machine_names_its_own_source():
    sources = collections.Counter(machine.get("source", "").strip() for machine in MACHINES.values())
    assert "" not in sources
    for source, files in sources.items():
        assert files <= SHARED_SOURCES, f"{files} files name the same source: {source}"
        assert len(source.encode()) <= SOURCE_BYTES, f"longer than {SOURCE_BYTES} bytes: {source}"


main([chosen_figures_are_a_list_of_texts, every_chosen_figure_is_in_its_file, a_path_that_is_not_in_the_file_is_seen,
      every_machine_names_its_own_source, text_that_is_no_json_names_the_line, unknown_keys_are_named,
      values_out_of_range_are_named,
      contradictions_are_named,
      bad_recordings_are_refused, a_file_has_what_its_base_has_but_for_its_own_keys,
      noisy_machines_are_others_as_noisy_as_real_ones, other_things_than_files_are_refused])
