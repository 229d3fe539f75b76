"""The command line: what it prints, what it refuses, how it exits, what it leaves behind."""
import collections
import csv
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from harness import MACHINE, ROOT, Skip, main, need, one_line, options, run, write_json

HWCHAR = options().hwchar
TEMPORARY = tempfile.TemporaryDirectory()
DIRECTORY = pathlib.Path(TEMPORARY.name)
MACHINE_FILE = write_json(DIRECTORY / "machine.json", MACHINE)


def unknown_things_are_refused_in_one_line():
    for arguments, needle in (
            (["--no-such-option"], "--no-such-option"), (["-x"], "-x"), (["no_such_probe"], "no_such_probe"),
            (["--event=no_such_event=X"], "no_such_event"), (["--event=l1d_miss"], "EVENT=NATIVE"),
            (["--cpu=99"], "99"), (["--cpu=x"], "x"), (["--counters=oprofile"], "oprofile"), (["--seed=-1"], "-1"),
            (["--votes=0"], "0"), (["--budget=nan"], "nan"), (["--samples=1e3"], "1e3"), (["--json="], "--json"), (["--csv="], "--csv"), (["--json", "--csv"], "--csv"),
            (["--json=x", "--csv=x"], "x"), (["--html"], "--html"), (["--html="], "--html"),
            (["--html=x", "--json=x"], "--json and --html: both name x"), (["--csv=x", "--html=x"], "x"),
            (["--machine=/nowhere.json"], "/nowhere.json"), (["--event-map=/nowhere.json"], "/nowhere.json"),
            ([f"--machine={MACHINE_FILE}", "--event-map=/nowhere.json"], "--event-map")):
        done = run([HWCHAR, *arguments])
        assert done.returncode == 2, (arguments, done)
        assert needle in one_line(done), (arguments, done.stderr)
        assert done.stdout == "", arguments


def help_lists_every_option_once():
    done = run([HWCHAR, "--help"])
    assert done.returncode == 0 and done.stderr == ""
    for option in ("--counters", "--events", "--event=", "--event-map", "--machine", "--cpu", "--seed", "--votes",
                   "--samples", "--budget", "--quick", "--all", "--cc", "--cflags", "--json", "--csv", "--html", "--verbose", "--list", "--schema", "--version"):
        assert done.stdout.count(f" {option}") == 1, option


def list_and_version_are_short():
    done = run([HWCHAR, "--list"])
    assert done.returncode == 0
    for probe in ("data_cache", "latency", "page_size"):
        assert probe in done.stdout
    assert run([HWCHAR, "--version"]).stdout.startswith("hwchar ")


def what_is_printed_is_as_on_file():
    """tests/cli/NAME.args holds the arguments, and beside it stands what came of them. HWC_UPDATE=1 writes that anew."""
    differing = []
    for arguments in sorted((ROOT / "tests/cli").glob("*.args")):
        words = arguments.read_text().replace("{root}", str(ROOT)).split()
        done = run([HWCHAR, *words], env=dict(os.environ, COLUMNS="100"))
        for form, text in (("stdout", done.stdout), ("stderr", done.stderr), ("exit", f"{done.returncode}\n")):
            text = re.sub(r"seed (\d+), [0-9.]+ s( \([a-z_0-9., \n]*\))?", r"seed \1, T s", text)
            text = re.sub(r"- \d+ of \d+ samples were disturbed\n", "", text)
            place = arguments.with_suffix("." + form)
            if os.environ.get("HWC_UPDATE"):
                place.write_text(text)
            if text != place.read_text():
                differing.append(f"{place.name}:\n{text}\nis on file as\n{place.read_text()}")
    assert not differing, "\n".join(differing)


@functools.cache
def whole_run():
    """(the run of all probes, where its profile is)"""
    out = DIRECTORY / "out.json"
    return run([HWCHAR, f"--machine={MACHINE_FILE}", f"--json={out}"]), out


def every_round_says_what_the_finding_says():
    """Numbers, and yes or no: a policy's ballots are others, and a latency is a median."""
    profile = json.loads(whole_run()[1].read_text())
    findings = [f for c in profile["caches"] for f in c.values()
                if isinstance(f, dict) and f.get("rounds") and isinstance(f["value"], (bool, int))]
    assert len(findings) > 6, profile
    for finding in findings:
        votes = collections.Counter()
        for entry in finding["rounds"]:
            votes.update(dict(map(tuple, entry["values"])))
        assert votes.most_common(1)[0][0] == finding["value"], finding


def a_probe_named_again_runs_once():
    lists = [json.loads(run([HWCHAR, f"--machine={MACHINE_FILE}", "--json", *["page_size"] * times]).stdout)
             for times in (1, 70)]
    assert [machine["memory"]["page_size"]["value"] for machine in lists] == [4096, 4096], lists


def a_group_stands_for_its_probes_and_all_for_all():
    profile = json.loads(run([HWCHAR, f"--machine={MACHINE_FILE}", "--json", "core"]).stdout)
    assert profile["core"]["frequency"]["reason"] == "a simulated machine executes no instructions", profile["core"]
    assert "frequency" not in json.loads(whole_run()[1].read_text())["core"]
    assert not profile["caches"], profile["caches"]
    done = run([HWCHAR, f"--machine={MACHINE_FILE}", "--json", "--budget=0.01", "--all"])
    notes = " ".join(json.loads(done.stdout)["notes"])
    assert "saavedra" in notes and "frequency" in notes, notes


def the_schema_on_file_is_the_one_of_the_table():
    assert run([HWCHAR, "--schema"]).stdout == (ROOT / "docs/profile.schema.json").read_text(), \
        "refresh it: hwchar --schema > docs/profile.schema.json"


def the_man_page_is_clean_and_says_every_option():
    page = DIRECTORY / "hwchar.1"
    page.write_text(run([HWCHAR, "--man"]).stdout)
    for option in re.findall(r"--([a-z-]+)", run([HWCHAR, "--help"]).stdout):
        assert f"Fl \\-{option}\n" in page.read_text() or f"Fl \\-{option} " in page.read_text(), option
    done = run([need("mandoc"), "-T", "lint", page])
    assert done.returncode == 0 and done.stdout + done.stderr == "", done
    assert "# OPTIONS" in run(["mandoc", "-T", "markdown", page]).stdout


def profiles_follow_the_schema():
    try:
        import jsonschema
    except ImportError:
        raise Skip("python3-jsonschema is not installed")
    schema = json.loads((ROOT / "docs/profile.schema.json").read_text())
    for arguments in ([f"--machine={MACHINE_FILE}"], [f"--machine={MACHINE_FILE}", "--counters"], ["page_size"],
                      [f"--machine={ROOT}/machines/amp-r10k-sub-pages.json", "sub_pages", "btb"]):
        done = run([HWCHAR, *arguments, "--json"])
        assert done.returncode == 0, done
        jsonschema.validate(json.loads(done.stdout), schema)
    machine_schema = json.loads((ROOT / "docs/machine.schema.json").read_text())
    for path in sorted([*(ROOT / "machines").glob("*.json"), *(ROOT / "machines/noisy").glob("*.json")]):
        jsonschema.validate(json.loads(path.read_text()), machine_schema)
    noise_schema = json.loads((ROOT / "docs/noise.schema.json").read_text())
    for path in sorted((ROOT / "machines/noise").glob("*.json")):
        jsonschema.validate(json.loads(path.read_text()), noise_schema)


def what_a_probe_needs_is_run_before_it():
    """And what that needs in turn."""
    machine = ROOT / "machines/amp-r10k-sub-pages.json"
    profile = json.loads(run([HWCHAR, f"--machine={machine}", "--json", "sub_pages"]).stdout)
    assert profile["caches"][0]["size"]["value"] == 32768, profile["caches"]
    data = profile["tlbs"][0]
    assert (data["page_size"]["value"], data["sub_page_size"]["value"]) == (32768, 16384), data


def names_of_policies_are_whole_and_all_there():
    """In a set of two ways dozens of policies are the same."""
    policy = "QLRU_H00_M1_R2_U1"
    machine = json.loads(json.dumps(MACHINE))
    machine["caches"][0] |= {"associativity": 2, "replacement": policy}
    path = write_json(DIRECTORY / "two_ways.json", machine)
    found = json.loads(run([HWCHAR, f"--machine={path}", "--counters", "--json", "replacement"]).stdout)
    found = found["caches"][0]["replacement"]
    names = [found["value"], *found["alternatives"]]
    assert policy in names, found
    assert all(len(name) == len(policy) for name in names if name.startswith("QLRU")), found


def every_vote_is_in_its_rounds():
    """Also those that abstained: no ballot is cast anew until it fits."""
    done = run([HWCHAR, f"--machine={ROOT / 'machines/amp-p5-133.json'}", "--counters", "--json", "data_cache",
                "replacement"])
    voted = [finding for cache in json.loads(done.stdout)["caches"] for finding in cache.values()
             if isinstance(finding, dict) and "rounds" in finding]
    assert len(voted) >= 6, done.stdout
    for finding in voted:
        assert sum(r["cast"] + r["abstained"] for r in finding["rounds"]) == finding["agreement"][1], finding
        for r in finding["rounds"]:
            assert sum(votes for _, votes in r["values"]) in (0, r["cast"]), finding
        assert finding["value"] is None or finding["unit"] == "policy" or finding["agreement"][0] == sum(
            votes for r in finding["rounds"] for value, votes in r["values"] if value == finding["value"]), finding


def a_budget_ends_a_run_and_says_what_it_left_out():
    done = run([HWCHAR, f"--machine={ROOT / 'machines/zen4.json'}", "--budget=0.2", "--json"])
    profile = json.loads(done.stdout)
    note, = [note for note in profile["notes"] if note.startswith("the budget of 0.2 s ended these, or left them out: ")]
    assert {"data_cache", "tlb", "replacement"} <= set(re.split("[:,] ", note)), note
    assert profile["memory"]["bandwidth"]["reason"] == "the budget is spent"
    text = run([HWCHAR, f"--machine={ROOT / 'machines/zen4.json'}", "--budget=0.2"]).stdout
    assert "the budget was spent; a larger --budget may show them." in re.sub(r"\s+", " ", text), text


def a_seed_repeats_a_run():
    profiles = []
    for _ in range(2):
        done = run([HWCHAR, f"--machine={MACHINE_FILE}", "--seed=5", "--json", "data_cache"])
        profile = json.loads(done.stdout)
        profiles.append([[(k, v["value"], v.get("agreement")) for k, v in c.items() if isinstance(v, dict)]
                         for c in profile["caches"]])
    assert profiles[0] == profiles[1]


def a_place_that_cannot_be_written_is_known_at_once():
    for path, form in (("/nowhere/out.json", "json"), (str(DIRECTORY), "json"), ("/nowhere/out.html", "html")):
        begin = time.monotonic()
        done = run([HWCHAR, f"--machine={MACHINE_FILE}", f"--{form}={path}"])
        assert done.returncode == 2 and path in one_line(done), done
        assert time.monotonic() - begin < 5
    assert not list(DIRECTORY.glob("*.json.*"))


def a_file_holds_the_profile_and_the_screen_the_table():
    done, out = whole_run()
    assert done.returncode == 0 and "L1d" in done.stdout
    assert json.loads(out.read_text())["schema"] == "hwchar-profile/1"
    assert not list(DIRECTORY.glob("out.json.*"))


def csv_has_the_findings_of_the_json():
    json_file, csv_file = DIRECTORY / "both.json", DIRECTORY / "both.csv"
    done = run([HWCHAR, f"--machine={MACHINE_FILE}", "--counters", f"--json={json_file}", f"--csv={csv_file}",
                "data_cache", "write_allocation"])
    assert done.returncode == 0 and "L1d" in done.stdout, done
    profile = json.loads(json_file.read_text())
    rows = {(r["of"], r["finding"]): r for r in csv.DictReader(csv_file.open(newline=""))}
    findings = {(f"L{c['level']}" + "d" * (c["level"] == 1), key): f for c in profile["caches"]
                for key, f in c.items() if isinstance(f, dict)}
    assert {k for k in rows if k[0].startswith("L")} == set(findings), rows
    for place, finding in findings.items():
        row = rows[place]
        if finding["value"] is None:
            assert (row["value"], row["kind"], row["reason"]) == ("", finding["kind"], finding["reason"]), row
        else:
            assert json.loads(row["value"]) == finding["value"] and row["unit"] == finding["unit"], row
            assert [int(row["alike"]), int(row["votes"])] == finding["agreement"], row
    assert not list(DIRECTORY.glob("both.*.*"))


def an_interrupt_writes_what_was_found():
    out = DIRECTORY / "interrupted.json"
    process = subprocess.Popen([HWCHAR, f"--machine={MACHINE_FILE}", "--votes=20", "--samples=1000", f"--json={out}"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, (process.returncode, stderr)
    assert stderr.count("\n") == 1
    assert json.loads(out.read_text())["schema"] == "hwchar-profile/1"
    assert not list(DIRECTORY.glob("interrupted.json.*"))


def a_full_disk_is_a_clear_line():
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    done = run([HWCHAR, f"--machine={MACHINE_FILE}", "--json=/dev/full", "page_size"])
    assert done.returncode == 2 and "/dev/full" in one_line(done), done


def little_address_space_is_no_crash():
    done = run(["bash", "-c", f"ulimit -v 200000; exec {HWCHAR} page_size"])
    if "AddressSanitizer" in done.stderr:
        raise Skip("the sanitizer needs more address space than that")
    assert done.returncode == 0, done


def a_small_control_group_is_no_crash():
    group = pathlib.Path("/sys/fs/cgroup/memory/hwchar-test")
    limit = group / "memory.limit_in_bytes"
    if not group.parent.exists():
        group = pathlib.Path("/sys/fs/cgroup/hwchar-test")
        limit = group / "memory.max"
    try:
        group.mkdir(exist_ok=True)
        limit.write_text(str(64 << 20))
    except OSError as refusal:
        raise Skip(f"no control group may be made: {refusal}")
    try:
        done = run(["sh", "-c", f"echo $$ > {group}/cgroup.procs && "
                    # what a sanitizer's quarantine holds is not hwchar's
                    f"ASAN_OPTIONS=quarantine_size_mb=1 exec {HWCHAR} page_size latency"])
    finally:
        group.rmdir()
    assert done.returncode == 0, done
    assert "bounded to" in done.stdout and "control group" in done.stdout, done.stdout


def an_unprivileged_user_is_told_why_nothing_counts():
    """By perf_event_paranoid or for want of a PMU, as this machine has it."""
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        raise Skip("needs root, to become somebody else")
    DIRECTORY.chmod(0o755)
    copy = pathlib.Path(shutil.copy(HWCHAR, DIRECTORY / "hwchar-copy"))
    copy.chmod(0o755)
    done = run(["setpriv", "--reuid=65534", "--clear-groups", copy, "--counters", "page_size", "--json"])
    assert done.returncode == 0, done
    profile = json.loads(done.stdout)
    assert profile["memory"]["page_size"]["value"] == os.sysconf("SC_PAGESIZE"), profile
    if profile["counters"]["backend"] == "none":
        said = done.stderr
        assert said.count("hwchar: ") == 1 and ("perf_event_paranoid" in said or "PMU" in said), said


def the_kernel_counts_page_faults_without_counters():
    done = run([HWCHAR, "page_size", "--json"])
    assert done.returncode == 0, done
    finding = json.loads(done.stdout)["memory"]["page_size"]
    assert finding["value"] == os.sysconf("SC_PAGESIZE"), finding


def missing_counters_are_said_once():
    done = run([HWCHAR, "--counters", "page_size", "--json"])
    assert done.returncode == 0, done
    profile = json.loads(done.stdout)
    if profile["counters"]["backend"] == "none":
        assert done.stderr.startswith("hwchar: No cache miss") and profile["counters"]["reason"]
    assert profile["memory"]["page_size"]["value"] == os.sysconf("SC_PAGESIZE")


def callgrind_without_callgrind_is_not_available():
    done = run([HWCHAR, "--counters=callgrind"])
    assert done.returncode == 3 and "valgrind --tool=callgrind" in one_line(done), done


def simulated_machines_have_no_native_counters():
    for argument in ("--counters=perf", "--event=l1d_miss=X", "--cpu=0"):
        done = run([HWCHAR, f"--machine={MACHINE_FILE}", argument])
        assert done.returncode == 2, (argument, done)
        one_line(done)


main([unknown_things_are_refused_in_one_line, help_lists_every_option_once, list_and_version_are_short,
      what_is_printed_is_as_on_file, the_schema_on_file_is_the_one_of_the_table,
      the_man_page_is_clean_and_says_every_option, csv_has_the_findings_of_the_json,
      profiles_follow_the_schema, what_a_probe_needs_is_run_before_it,
      names_of_policies_are_whole_and_all_there, every_vote_is_in_its_rounds, every_round_says_what_the_finding_says,
      a_group_stands_for_its_probes_and_all_for_all,
      a_probe_named_again_runs_once, a_seed_repeats_a_run, a_budget_ends_a_run_and_says_what_it_left_out,
      a_place_that_cannot_be_written_is_known_at_once,
      a_file_holds_the_profile_and_the_screen_the_table, an_interrupt_writes_what_was_found,
      a_full_disk_is_a_clear_line, little_address_space_is_no_crash,
      a_small_control_group_is_no_crash, an_unprivileged_user_is_told_why_nothing_counts, missing_counters_are_said_once,
      the_kernel_counts_page_faults_without_counters,
      callgrind_without_callgrind_is_not_available, simulated_machines_have_no_native_counters])
