"""A new probe with a new finding is one new file and a row in each of two tables: what docs/new_probe.md says is done
to a copy of the tree, and the finding is seen in text, JSON, CSV and the schema. The copy has no optional part: without
any of them hwchar builds without a warning, says what it was built without, and measures."""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import tempfile

from harness import MACHINE, ROOT, Skip, launcher, main, one_line, options, run, write_json

OPTIONS = options()
TEMPORARY = tempfile.TemporaryDirectory()
TREE = pathlib.Path(TEMPORARY.name) / "tree"
BUILD = pathlib.Path(TEMPORARY.name) / "build"
HWCHAR = BUILD / "hwchar"
# Little is optimised: the simulation takes less time. Only with more does the compiler know what is initialised.
BUILT = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1 -Wno-maybe-uninitialized", "-DHWCHAR_WERROR=ON",
         f"-DCMAKE_C_COMPILER_LAUNCHER={';'.join(launcher(OPTIONS))}"]
# A cache of compilations knows the copy again although its folder has another name each time.
ENVIRONMENT = {**os.environ, "CCACHE_BASEDIR": TEMPORARY.name, "CCACHE_NOHASHDIR": "1"}
OFF = [f"-DHWCHAR_{part}=OFF" for part in ("PAPI", "PFM", "HWLOC", "CALLGRIND", "TESTS")]
STEP = re.compile(r"^(New file|A row in) `([^`]+)`:\n\n```c\n(.*?)```", re.MULTILINE | re.DOTALL)
KEY, LABEL = "float_store_allocates", "float-store allocation"
PROFILES = []  # of the runs that there were


def the_page_asks_for_one_file_and_two_rows():
    steps = STEP.findall((ROOT / "docs/new_probe.md").read_text())
    assert sorted(kind for kind, _, _ in steps) == ["A row in", "A row in", "New file"], steps
    shutil.copytree(ROOT, TREE, ignore=shutil.ignore_patterns("build*", ".git"))
    for kind, name, text in steps:
        place = TREE / name
        assert place.exists() == (kind == "A row in"), name
        if kind == "A row in":
            assert text.count("HWC_") == 1, text
            text = place.read_text() + text
        place.write_text(text)


def it_builds_without_a_warning():
    for command in (["cmake", "-S", TREE, "-B", BUILD, *BUILT, *OFF],
                    ["cmake", "--build", BUILD, "--target", "hwchar", "--parallel", "2"]):
        done = run(command, env=ENVIRONMENT)
        assert done.returncode == 0, done.stdout + done.stderr


def it_says_what_is_missing():
    for backend, package in (("papi", "libpapi-dev"), ("callgrind", "valgrind")):
        done = run([HWCHAR, f"--counters={backend}", "--events"])
        assert done.returncode == 3 and package in one_line(done), (done.returncode, done.stderr)


def measure(machine, *arguments):
    """(text, JSON, CSV) of one run."""
    files = pathlib.Path(TEMPORARY.name) / "found.json", pathlib.Path(TEMPORARY.name) / "found.csv"
    done = run([HWCHAR, f"--machine={machine}", "--counters", f"--json={files[0]}", f"--csv={files[1]}", *arguments,
                "float_store"])
    assert done.returncode == 0, done
    return done.stdout, json.loads(files[0].read_text()), files[1].read_text()


def the_finding_is_there_in_every_form():
    """On a machine where stores allocate, and on one where they do not."""
    allocates = write_json(pathlib.Path(TEMPORARY.name) / "machine.json", MACHINE)
    for machine, value, phrase in ((allocates, True, "float stores allocate"),
                                   (ROOT / "machines/amp-p5-133.json", False, "float stores do not allocate")):
        text, profile, rows = measure(machine)
        cache = profile["caches"][0]
        assert cache["size"]["value"] in (8192, 32768) and cache[KEY]["value"] is value, cache
        assert phrase in text, text
        rows = list(csv.DictReader(io.StringIO(rows)))
        assert [r["value"] for r in rows if (r["of"], r["finding"]) == ("L1d", KEY)] == [json.dumps(value)], rows
        PROFILES.append(profile)
    assert LABEL in measure(allocates, "--verbose")[0]


def the_schema_knows_it():
    schema = json.loads(run([HWCHAR, "--schema"]).stdout)
    assert schema["properties"]["caches"]["items"]["properties"][KEY]["title"] == LABEL
    try:
        import jsonschema
    except ImportError:
        raise Skip("python3-jsonschema is not installed")
    assert PROFILES, "no run came to its end"
    for profile in PROFILES:
        jsonschema.validate(profile, schema)


def the_list_and_the_man_page_have_the_probe():
    assert "float_store" in run([HWCHAR, "--list"]).stdout
    assert ".It Cm float_store\n" in run([HWCHAR, "--man"]).stdout


main([the_page_asks_for_one_file_and_two_rows, it_builds_without_a_warning, it_says_what_is_missing,
      the_finding_is_there_in_every_form, the_schema_knows_it, the_list_and_the_man_page_have_the_probe])
