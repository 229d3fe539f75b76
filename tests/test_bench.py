"""The programs behind scripts/bench build, and play a walk."""
import pathlib
import platform

from harness import ROOT, Skip, main, options, run

BUILD = pathlib.Path(options().hwchar).parent
TARGETS = ("play_walk", "read_cost", "record_noise")


def they_build():
    done = run(["cmake", "--build", BUILD, "--target", *TARGETS])
    assert done.returncode == 0, done.stdout + done.stderr


def a_walk_is_played_here_and_on_a_simulated_machine():
    machine = ROOT / "machines/skylake.json"
    for arguments in (["native"], [machine], [machine, "each"]):
        place, *each = arguments
        done = run([BUILD / "bench/play_walk", place, 16, 10, *each])
        references, seconds = map(float, done.stdout.split())
        assert done.returncode == 0 and references == 10 * 16 * 1024 / 64 and seconds >= 0, done


def a_reading_by_the_page_is_two_instructions():
    """Whatever else stands between start and stop is hidden behind them: the least of some runs."""
    if platform.machine() != "x86_64":
        raise Skip("another instruction stands in for the counter's on x86-64 only")
    ratios = []
    for _ in range(3):
        ways = dict(line.split(" ", 1) for line in run([BUILD / "bench/read_cost"]).stdout.splitlines())
        assert {"papi", "perf", "PAPI_start", "read()", "page"} <= set(ways), ways
        ratios.append(float(ways["page"].split()[1]))
    assert min(ratios) < 1.2, ratios


def a_missing_argument_is_named():
    done = run([BUILD / "bench/play_walk", "native"])
    assert done.returncode == 2 and "FOOTPRINT_KIB" in done.stderr, done


def what_is_no_peer_is_named():
    for wrong in ("other=1", "lmbench", "lmbench=/nowhere"):
        done = run([ROOT / "scripts/bench", "peers", wrong])
        assert done.returncode == 2 and wrong in done.stderr, done
    assert run([ROOT / "scripts/bench", "other"]).returncode == 2


def a_number_of_runs_is_one():
    for wrong in ("0", "many"):
        done = run([ROOT / "scripts/bench", "probes", "--runs", wrong])
        assert done.returncode == 2 and wrong in done.stderr, done


main([what_is_no_peer_is_named, a_number_of_runs_is_one, they_build,
      a_walk_is_played_here_and_on_a_simulated_machine,
      a_reading_by_the_page_is_two_instructions, a_missing_argument_is_named])
