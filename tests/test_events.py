"""What --events says of counters and of why there are none: on stand-in machines, and on simulated ones that lie."""
import csv
import io
import json
import os
import pathlib
import re
import tempfile

from harness import MACHINE, Skip, callgrind, main, options, run, write_json
from stand_in import NO_CORE, maker

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
machine = maker(OPTIONS.rest[0])
TEMPORARY = tempfile.TemporaryDirectory()
DIRECTORY = pathlib.Path(TEMPORARY.name)
ONE_KIND = "pmu cpu 4 0-1023 4"
WATCHDOG = {"proc/sys/kernel/nmi_watchdog": "1"}
CONTAINER = {"proc/1/cgroup": "0::/kubepods/pod1"}


def fits(text, width):
    for line in text.splitlines():
        assert len(line) <= width, (len(line), line)
    assert "..." not in text, text
    sentences = [s for s in re.split(r"[.:;]\s", " ".join(text.split())) if len(s) > 25]
    assert len(sentences) == len(set(sentences)), text


def said(stand_in, *arguments, width=100, **more):
    """The text, whose lines fit, are whole, and say nothing twice."""
    done = stand_in.run([HWCHAR, *arguments], COLUMNS=str(width), **more)
    assert done.returncode == 0, done
    fits(done.stdout, width)
    fits(done.stderr, 100)
    return " ".join((done.stdout + done.stderr).split())


def the_doctor_finds(needles, *lines, files=None):
    for arguments in (["--events"], ["--events=presets"], ["--counters", "--votes=1", "page_size"],
                      ["--events", "--counters=perf"]):
        if "paranoid 3" in lines and "--counters=perf" in arguments:
            continue  # it cannot be opened, and that is an error
        text = said(machine(*lines, files=files), *arguments)
        for needle in ("No cache miss can be counted", "the clock answers", *needles):
            assert needle in text, (arguments, needle, text)


def a_machine_without_a_pmu_is_told_so():
    the_doctor_finds(["breakpoint, msr, software: none is a core's"], "paranoid 2", files=NO_CORE)


def a_paranoid_kernel_is_named():
    the_doctor_finds(["core's PMU is cpu", "perf_event_paranoid is 3", "kernel.perf_event_paranoid=2"], "paranoid 3",
                     ONE_KIND, files={"sys/bus/event_source/devices/cpu/type": "4"})


def in_a_container_settings_are_the_hosts():
    the_doctor_finds(["in this container (", "on the container's host", "CAP_PERFMON"], "paranoid 3", ONE_KIND,
                     files=CONTAINER)


def a_counter_that_the_watchdog_holds_is_named():
    the_doctor_finds(["NMI watchdog", "kernel.nmi_watchdog=0"], "pmu cpu 4 0-1023 1 taken=1", files=WATCHDOG)
    stand_in = machine("pmu cpu 4 0-1023 4 taken=1", "event cpu 8d1 readings", files=WATCHDOG)
    text = said(stand_in, "--events", "--counters=perf", "--event", "l1d_miss=r08d1")
    assert "cpu counts 3 events at once; the NMI watchdog holds another counter" in text, text


def a_pmu_of_which_no_event_is_known_is_told_apart():
    the_doctor_finds(["It counts cycles, but none of the events", "--event-map"], ONE_KIND + " strict")


def json_has_the_paragraph():
    profile = machine("paranoid 3", ONE_KIND).profile([HWCHAR, "--events"])
    assert profile["backend"] == "none" and "paranoid is 3" in profile["reason"], profile


def long_names_go_on_in_the_next_line():
    stand_in = machine(ONE_KIND + " strict", "event cpu 5b43 readings")
    native = ("amd64_fam17h_zen2::DATA_CACHE_REFILLS_FROM_SYSTEM:MABRESP_LCL_L2:LS_MABRESP_LCL_CACHE:"
              "LS_MABRESP_LCL_DRAM:LS_MABRESP_RMT_CACHE:LS_MABRESP_RMT_DRAM")
    for width in (60, 100, 120):
        text = said(stand_in, "--events", "--counters=perf", "--event", f"l1d_miss={native}", width=width,
                    LIBPFM_FORCE_PMU="amd64_fam17h_zen2")
        if "built without libpfm4" in text:
            raise Skip("built without libpfm4")
        assert native in text.replace(" ", ""), text


def audit_of(file, *arguments):
    done = run([HWCHAR, f"--machine={file}", "--samples=2", *arguments, "--json"])
    assert done.returncode == 0, done
    return {c["counter"].removeprefix("simulated:"): c for c in json.loads(done.stdout)["audit"]["counters"]}


LIAR = write_json(DIRECTORY / "liar.json", dict(MACHINE, prefetch="next-line", events={
    "l1d_load_miss": {"counts_prefetch": True}, "l1d_store_miss": {"factor": 0}, "l1d_miss": {"factor": 1.4},
    "l2_load_miss": {"counts": "l1d_store_miss"}, "l2i_miss": "absent"}))


def each_lie_of_a_simulated_machine_is_named():
    found = audit_of(LIAR, "--events=presets")
    verdicts = {name: counter["verdict"] for name, counter in found.items()}
    assert verdicts == {"l1d_load_miss": "includes_prefetches", "l1d_store_miss": "dead", "l1d_miss": "over_counts",
                        "l2_load_miss": "other_references", "l2_miss": "as_named", "l2i_miss": "absent"}, verdicts
    assert found["l2_miss"]["counts"]["random"] > 0.95, found["l2_miss"]
    assert found["l1d_miss"]["prefetched"] == "out" and found["l1d_load_miss"]["prefetched"] == "in", found


def a_counter_of_another_level_is_named():
    file = write_json(DIRECTORY / "other.json", dict(MACHINE, events={"l2_load_miss": {"counts": "l1d_load_miss"}}))
    found = audit_of(file, "--events=l2_load_miss,simulated:l2_miss,no_such")
    assert [found[n]["verdict"] for n in ("l2_load_miss", "l2_miss", "no_such")] == ["other_level", "as_named", "absent"]
    assert "level 1, not of level 2" in found["l2_load_miss"]["says"], found


def an_audit_has_text_and_csv():
    done = run([HWCHAR, f"--machine={LIAR}", "--samples=2", "--events=l1d_store_miss,l2i_miss", "--csv"])
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(r["counter"], r["verdict"], r["random"]) for r in rows] == \
        [("simulated:l1d_store_miss", "dead", "0"), ("simulated:l2i_miss", "absent", "")], rows
    done = run([HWCHAR, f"--machine={LIAR}", "--samples=2", "--events=l1d_store_miss,l2i_miss"],
               env=dict(os.environ, COLUMNS="80"))
    assert "l1d_store_miss dead" in done.stdout and "says that it is absent" in done.stdout, done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def any_counter_is_audited_by_its_name():
    stand_in = machine(ONE_KIND + " strict", "event cpu 8d1 readings", "event cpu 151 readings",
                       files={"sys/bus/event_source/devices/cpu/format/event": "config:0-7",
                              "sys/bus/event_source/devices/cpu/format/umask": "config:8-15"})
    found = stand_in.profile([HWCHAR, "--counters=perf", "--samples=2", "--events=cpu/event=0xd1,umask=8/,r0151,r9999"])
    by = {c["counter"]: c for c in found["audit"]["counters"]}
    assert list(by) == ["cpu/event=0xd1,umask=8/", "r0151", "r9999"], by
    assert by["cpu/event=0xd1,umask=8/"]["verdict"] == "unnamed" and by["r9999"]["verdict"] == "absent", by
    assert by["r0151"]["definition"] == "cpu/config=0x151/" and "does not know" in by["r9999"]["reason"], by


def what_cannot_be_exported_is_refused():
    for arguments, status, needle in ((["--export=x"], 2, "map, papi or perf"), (["--export=map="], 2, "no name"),
                                      ([f"--machine={LIAR}", "--export=map"], 2, "simulated"),
                                      (["--export=map", "--export=perf"], 2, "name a file"),
                                      (["--export=map", "--events=presets"], 2, "--export"),
                                      (["--export=map", "--counters=none"], 3, "believed")):
        done = run([HWCHAR, *arguments])
        assert done.returncode == status and needle in done.stderr and done.stdout == "", (arguments, done)


FIRST, LAST = (16384, 4, 64), (131072, 8, 64)
SKYLAKE = (ONE_KIND + " strict", "event cpu 8d1 D1mr", "event cpu 151 D1mr+D1mw", "event cpu 10d1 DLmr",
           "event cpu 3f24 D1mr+D1mw+DLmr+DLmw")


def under_callgrind(stand_in, *arguments, **more):
    return stand_in.run([HWCHAR, *arguments], stand_in.under_callgrind(FIRST, LAST), **more)


def callgrinds_own_counters_are_audited():
    """Minutes: where nothing flushes, 64 MiB are read to evict."""
    before = callgrind(FIRST, LAST, f"--callgrind-out-file={DIRECTORY}/callgrind")
    done = run([*before, HWCHAR, "--counters=callgrind", "--samples=2", "--events=presets", "--json"], timeout=3000)
    assert done.returncode == 0, done
    audit = json.loads(done.stdout)["audit"]
    found = {c["counter"]: c for c in audit["counters"]}
    for name in ("Dr", "D1mr", "D1mw", "D1mr+D1mw", "DLmr", "DLmw", "DLmr+DLmw", "I1mr", "ILmr"):
        assert found[name]["verdict"] == "as_named", found[name]
    assert found["D1mr"]["rises"][0]["low"] <= FIRST[0] < found["D1mr"]["rises"][0]["high"], found["D1mr"]
    assert found["DLmr"]["rises"][0]["low"] <= LAST[0] < found["DLmr"]["rises"][0]["high"], found["DLmr"]


def a_preset_of_papi_that_counts_another_level_is_named():
    """Through PAPI's own presets, by a table of the test's, and the kernel's interface as the stand-in has it."""
    if "without PAPI" in run([HWCHAR, "--counters=papi", "page_size"]).stderr:
        raise Skip("built without PAPI")
    stand_in = machine(*SKYLAKE)
    table = stand_in.directory / "presets.csv"
    table.write_text("CPU,skx\nPRESET,PAPI_L1_DCM,NOT_DERIVED,L1D:REPLACEMENT\n"
                     "PRESET,PAPI_L2_DCM,NOT_DERIVED,L1D:REPLACEMENT\n"
                     "PRESET,PAPI_L1_LDM,NOT_DERIVED,MEM_LOAD_RETIRED:L1_MISS\n"
                     "PRESET,PAPI_L2_LDM,NOT_DERIVED,MEM_LOAD_RETIRED:L2_MISS\n"
                     "PRESET,PAPI_L2_TCM,DERIVED_ADD,MEM_LOAD_RETIRED:L1_MISS,MEM_LOAD_RETIRED:L2_MISS\n")
    done = under_callgrind(stand_in, "--counters=papi", "--samples=2", "--events=presets", "--json",
                           LIBPFM_FORCE_PMU="skx", PAPI_CSV_EVENT_FILE=str(table))
    assert done.returncode == 0, done
    found = {c["counter"]: c for c in json.loads(done.stdout)["audit"]["counters"]}
    verdicts = {name: counter["verdict"] for name, counter in found.items()}
    assert verdicts == {"PAPI_L1_DCM": "as_named", "PAPI_L2_DCM": "other_level", "PAPI_L1_LDM": "as_named",
                        "PAPI_L2_LDM": "as_named", "PAPI_L2_TCM": "sums_levels"}, found
    assert "L1D:REPLACEMENT" in found["PAPI_L2_DCM"]["definition"] and \
        "Level 2" in found["PAPI_L2_DCM"]["description"], found


def all_is_well_and_exported():
    """A minute: events are trusted only by walks, which callgrind's model counts."""
    stand_in = machine(*SKYLAKE[:-1])
    for form in ("map", "papi", "perf"):
        done = under_callgrind(stand_in, "--counters=perf", "--samples=2", f"--export={form}={stand_in.directory}/{form}",
                               LIBPFM_FORCE_PMU="skx")
        assert done.returncode == 0, done
    done = under_callgrind(stand_in, "--counters=perf", "--samples=2", "--events", LIBPFM_FORCE_PMU="skx")
    fits(done.stdout, 100)
    assert done.stdout.startswith("cpu counts 4 events at once\n") and done.stdout.count(" trusted ") == 3, done
    text = {form: (stand_in.directory / form).read_text() for form in ("map", "papi", "perf")}
    events = json.loads(text["map"])["events"]
    assert events["l1d_load_miss"] == "skx::MEM_LOAD_RETIRED:L1_MISS", events
    assert text["papi"].splitlines()[1] == "CPU,skx" and \
        "EVENT,HWCHAR_L1D_LOAD_MISS,NOT_DERIVED,skx::MEM_LOAD_RETIRED:L1_MISS" in text["papi"].splitlines(), text["papi"]
    assert "cpu/config=0x8d1,name=l1d_load_miss/u" in text["perf"].strip().split(",cpu/")[0], text["perf"]


main([a_machine_without_a_pmu_is_told_so, a_paranoid_kernel_is_named, in_a_container_settings_are_the_hosts,
      a_counter_that_the_watchdog_holds_is_named, a_pmu_of_which_no_event_is_known_is_told_apart, json_has_the_paragraph,
      long_names_go_on_in_the_next_line, a_counter_of_another_level_is_named,
      an_audit_has_text_and_csv, any_counter_is_audited_by_its_name, what_cannot_be_exported_is_refused] +
     [each_lie_of_a_simulated_machine_is_named, callgrinds_own_counters_are_audited, a_preset_of_papi_that_counts_another_level_is_named,
      all_is_well_and_exported] * ("all" in OPTIONS.rest))
