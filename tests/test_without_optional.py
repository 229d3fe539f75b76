"""Optional parts are optional: without any of them hwchar builds without a
warning, says what it was built without, and measures."""
import json
import pathlib
import tempfile

from harness import MACHINE, ROOT, main, one_line, options, run, write_json

options()
BUILD = pathlib.Path(tempfile.mkdtemp())
HWCHAR = BUILD / "hwchar"
OFF = [f"-DHWCHAR_{part}=OFF" for part in ("PAPI", "PFM", "HWLOC", "CALLGRIND", "TESTS")]


def it_builds():
    done = run(["cmake", "-S", ROOT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Debug", "-DHWCHAR_WERROR=ON", *OFF])
    assert done.returncode == 0, done.stderr
    done = run(["cmake", "--build", BUILD, "--target", "hwchar", "--parallel"])
    assert done.returncode == 0, done.stdout + done.stderr


def it_says_what_is_missing():
    for backend, package in (("papi", "libpapi-dev"), ("callgrind", "valgrind")):
        done = run([HWCHAR, f"--counters={backend}", "--events"])
        assert done.returncode == 3 and package in one_line(done), (done.returncode, done.stderr)


def it_measures():
    machine = write_json(BUILD / "machine.json", MACHINE)
    done = run([HWCHAR, f"--machine={machine}", "--json", "data_cache"])
    assert done.returncode == 0, done.stderr
    assert [c["size"]["value"] for c in json.loads(done.stdout)["caches"]] == [32768, 524288]


main([it_builds, it_says_what_is_missing, it_measures])
