"""Runs that are kept are taken for what they are runs of, and for nothing else."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from harness import MACHINE, ROOT, main, need, options, write_json

sys.path.insert(0, str(ROOT / "scripts/lib"))
import runs  # noqa: E402
from kept_runs import KeptRuns, code_of  # noqa: E402

options()


def binary(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{json.dumps({'said': text})}'\n")
    path.chmod(0o755)
    return path


def runs_and_says(folder, hwchar, work):
    return runs.run_or_keep(str(hwchar), KeptRuns(folder / "runs", hwchar), work).profile["said"]


def only_the_same_run_is_taken():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        machine = write_json(folder / "m.json", MACHINE)
        first, second = binary(folder, "first", "one"), binary(folder, "second", "two")
        kept = KeptRuns(folder / "runs", first)
        work = runs.Work(machine, "clock", 1)
        assert runs_and_says(folder, first, work) == "one"
        assert kept.get(work) and kept.get(work)[0] == {"said": "one"}
        for other in (work._replace(seed=2), work._replace(witness="counters"), work._replace(arguments=("--quick",))):
            assert kept.get(other) is None, other
        assert runs_and_says(folder, second, work) == "two"
        write_json(machine, MACHINE | {"memory_latency": 201})
        assert kept.get(work) is None


def what_a_machine_file_names_is_part_of_it():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hwchar = binary(folder, "hwchar", "one")
        recording = folder / "recording.json"
        recording.write_text("{}")
        base = write_json(folder / "m.json", MACHINE)
        work = runs.Work(write_json(folder / "n.json", {"base": "m.json", "noise": {"recording": "recording.json"}}),
                         "clock")
        kept = KeptRuns(folder / "runs", hwchar)
        assert runs_and_says(folder, hwchar, work) == "one" and kept.get(work)
        write_json(base, MACHINE | {"memory_latency": 201})
        assert kept.get(work) is None
        assert runs_and_says(folder, hwchar, work) == "one" and kept.get(work)
        recording.write_text("{} ")
        assert kept.get(work) is None


def a_kept_run_is_not_made_again():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hwchar = binary(folder, "hwchar", "run")
        work = runs.Work(write_json(folder / "m.json", MACHINE), "clock")
        KeptRuns(folder / "runs", hwchar).put(work, {"said": "kept"}, 0)
        assert runs_and_says(folder, hwchar, work) == "kept"


def what_is_half_written_is_made_again():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hwchar = binary(folder, "hwchar", "run")
        work = runs.Work(write_json(folder / "m.json", MACHINE), "clock")
        kept = KeptRuns(folder / "runs", hwchar)
        kept.put(work, {"said": "kept"}, 0)
        kept.path_of(work).write_bytes(kept.path_of(work).read_bytes()[:20])
        assert runs_and_says(folder, hwchar, work) == "run"


def compile(folder, name, text, *flags):
    source = folder / "source.c"
    source.write_text(text)
    subprocess.run(["cc", "-g", *flags, "-o", folder / name, source], check=True)
    return folder / name


def a_comment_makes_no_other_binary():
    need("cc")
    need("objcopy")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain = compile(folder, "plain", "int main(void) { return 1; }\n")
        commented = compile(folder, "commented", "/* says\n * it */\nint main(void) { return 1; }\n")
        other = compile(folder, "other", "int main(void) { return 2; }\n")
        assert plain.read_bytes() != commented.read_bytes()
        assert code_of(plain) == code_of(commented) != code_of(other)


def nothing_is_kept_of_a_binary_that_was_built_anew():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hwchar = binary(folder, "hwchar", "old")
        work = runs.Work(write_json(folder / "m.json", MACHINE), "clock")
        kept = KeptRuns(folder / "runs", hwchar)
        binary(folder, "hwchar", "new")
        os.utime(hwchar, (1, 1))
        assert runs.run_or_keep(str(hwchar), kept, work).profile["said"] == "new" and kept.get(work) is None


def few_binaries_are_remembered():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for i in range(6):
            KeptRuns(folder / "runs", binary(folder, f"hwchar{i}", str(i)))
        assert len(list((folder / "runs").iterdir())) == 3


main([only_the_same_run_is_taken, what_a_machine_file_names_is_part_of_it, a_kept_run_is_not_made_again,
      what_is_half_written_is_made_again, a_comment_makes_no_other_binary,
      nothing_is_kept_of_a_binary_that_was_built_anew, few_binaries_are_remembered])
