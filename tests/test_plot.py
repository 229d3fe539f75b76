"""scripts/plot draws every curve of a profile with gnuplot, and says in a line what it cannot."""
import json
import os
import pathlib
import shutil
import sys
import tempfile

from harness import ROOT, main, need, options, run, write_json

options()
PLOT = ROOT / "scripts/plot"
DIRECTORY = pathlib.Path(tempfile.mkdtemp())


def profile(*curves):
    return json.loads((ROOT / "tests/golden/server.json").read_text()) | {"curves": list(curves)}


def curve(name, series, x="array size", unit="bytes"):
    return {"name": name, "type": "int", "x": {"name": x, "unit": unit}, "series": series, "read_off": []}


def series(name, unit, values, **more):
    return {"name": name, "unit": unit, **more, "points": [[4096 * 2 ** i, v] for i, v in enumerate(values)]}


CURVES = (curve("papi_cacheSize", [series("L1 'misses'", "misses", [0, 0, 5000, 4e6], how="a `command` $HOME @x"),
                                   series("time of a load", "cycles", [4, 4, 40, 300], witness="clock"),
                                   series("its standard error", "cycles", [0, 0, 1, 2])]),
          curve("papi_cacheSize", [series("time of a load", "cycles", [4, 4, 4, 4])]),
          curve("../surface", [series(f"{2 ** i} KiB", "ns", [1, 2, 3 + i]) for i in range(9)], "stride"),
          curve("nothing", [series("time of a load", "cycles", [])]))


def every_curve_is_drawn():
    need("gnuplot")
    out = DIRECTORY / "drawn"
    done = run([PLOT, write_json(DIRECTORY / "a.json", profile(*CURVES)), out])
    assert done.returncode == 0 and done.stderr == "", done
    names = [pathlib.Path(line).name for line in done.stdout.splitlines()]
    assert names == ["papi_cacheSize-int.svg", "papi_cacheSize-int-2.svg", "surface-int.svg"], names
    assert sorted(p.name for p in out.iterdir()) == sorted(names)
    text = (out / names[0]).read_text()
    for needle in ("16 KiB", "array size", "misses", "time of a load", "cycles", "a `command` $HOME @x"):
        assert needle in text, needle
    assert "standard error" not in text


def what_cannot_be_drawn_is_said_in_a_line():
    bare = {**os.environ, "PATH": str(DIRECTORY / "empty")}
    python = sys.executable
    good = write_json(DIRECTORY / "good.json", profile(*CURVES))
    cases = [([python, PLOT, good, DIRECTORY], bare, "gnuplot-nox")]
    if shutil.which("gnuplot") is not None:
        none = write_json(DIRECTORY / "none.json", profile())
        other = write_json(DIRECTORY / "other.json", {"schema": "hwchar-machine/1"})
        cases += [([PLOT, none], None, "no curves"), ([PLOT, other], None, "is no profile"),
                  ([PLOT, "/nowhere.json"], None, "/nowhere.json"), ([PLOT, good, "/dev/null/x"], None, "/dev/null")]
    for command, environment, needle in cases:
        done = run(command, env=environment)
        lines = done.stderr.splitlines()
        assert done.returncode != 0 and len(lines) == 1 and needle in lines[0], (command, done)


main([every_curve_is_drawn, what_cannot_be_drawn_is_said_in_a_line])
