"""Counters through their real interfaces: PAPI's SDE component, PAPI presets, perf_event's page faults, refusals."""
import json
import os
import pathlib
import tempfile

from harness import (Skip, build_provider, cache_values, callgrind, fira_is_within_a_percent, main, need, one_line,
                     options, run)

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
GEOMETRIES = [((49152, 12, 64), (2097152, 16, 64)), ((16384, 4, 32), (524288, 8, 64)),
              ((32768, 8, 64), (1048576, 16, 64)), ((65536, 2, 128), (1048576, 8, 128))]
TEMPORARY = tempfile.TemporaryDirectory()
DIRECTORY = pathlib.Path(TEMPORARY.name)


def measure_by_papi(provider, first, last, *arguments):
    base = DIRECTORY / "sde.out"
    environment = dict(os.environ, LD_PRELOAD=str(provider), SDE_PROVIDER_BASE=str(base))
    before = callgrind(first, last, f"--callgrind-out-file={base}", code=(32768, 8, 64), from_start=True)
    done = run([*before, HWCHAR, "--counters=papi", "--event", "l1d_miss=sde:::callgrind::D1mr", "--event",
                "l2_miss=sde:::callgrind::DLmr", "--json", *arguments], env=environment, timeout=900)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def papi_counts_callgrinds_misses_exactly():
    provider = build_provider("sde_provider", DIRECTORY)
    for first, last in GEOMETRIES if "all" in OPTIONS.rest else GEOMETRIES[:1]:
        profile = measure_by_papi(provider, first, last, "data_cache")
        expected = {1: (first[2], first[0], first[1]), 2: (last[2], last[0], last[1])}
        assert cache_values(profile) == expected, (first, last, profile["caches"], profile["counters"])
        assert profile["counters"]["backend"] == "papi"


def papi_counts_what_fira_expects():
    """Minutes each: a reading dumps costs to a file, and the replacement probe comes before."""
    provider = build_provider("sde_provider", DIRECTORY)
    for first, last in [*GEOMETRIES, ((24576, 6, 64), (786432, 12, 64))]:
        profile = measure_by_papi(provider, first, last, "fira")
        fira_is_within_a_percent(profile, first, last)
        assert profile["counters"]["backend"] == "papi"


def page_size_by(backend, *arguments, env=None):
    done = run([HWCHAR, f"--counters={backend}", *arguments, "--json", "page_size"], env=env)
    if done.returncode == 3:
        raise Skip(one_line(done))
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def perf_counts_page_faults():
    profile = page_size_by("perf")
    finding = profile["memory"]["page_size"]
    assert finding["value"] == os.sysconf("SC_PAGESIZE") and finding["counter"] == "minor-faults", finding
    large = profile["memory"]["huge_page_size"]
    mode = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if mode.exists() and "[never]" not in mode.read_text() and large["value"] is not None:
        assert large["value"] == 2 << 20, large


def papi_presets_may_mean_anything():
    """Presets remapped onto page faults: the page size is right, and they do not pass for cache misses."""
    need("papi_component_avail")  # it knows this CPU's name in PAPI's tables
    names = []
    for line in run(["papi_component_avail"]).stdout.splitlines():
        if "PMUs supported" in line or line.strip().startswith("PMUs"):
            names += [n.strip() for n in line.split(":", 1)[1].split(",")]
    cpus = sorted({n for n in names if n} | {"icl", "skx", "clx", "icx", "skl", "hsw", "bdw", "amd64_fam17h_zen2",
                                            "amd64_fam19h_zen3", "amd64_fam19h_zen4", "arm_n1", "arm_v1"})
    table = DIRECTORY / "events.csv"
    table.write_text("".join(f"CPU,{c}\n" for c in cpus) + "PRESET,PAPI_L1_DCM,NOT_DERIVED,perf::MINOR-FAULTS\n"
                     "PRESET,PAPI_TLB_DM,NOT_DERIVED,perf::PAGE-FAULTS\n")
    environment = dict(os.environ, PAPI_CSV_EVENT_FILE=str(table))
    profile = page_size_by("papi", "--event", "page_fault=PAPI_L1_DCM", env=environment)
    if profile["memory"]["page_size"].get("counter") != "PAPI_L1_DCM":
        raise Skip("this PAPI does not take the table for this CPU")
    assert profile["memory"]["page_size"]["value"] == os.sysconf("SC_PAGESIZE")
    for event in profile["counters"]["events"]:
        if event["event"] == "l1d_miss":
            assert event["status"] == "rejected", event


def events_show_what_was_expected_and_counted():
    done = run([HWCHAR, "--events"])
    assert done.returncode == 0 and "verdict" in done.stdout and "l1d_load_miss" in done.stdout, done
    events = json.loads(run([HWCHAR, "--events", "--json"]).stdout)["events"]
    assert {e["event"] for e in events} >= {"l1d_load_miss", "l2_miss", "page_fault"}


def an_event_map_names_natives():
    good = DIRECTORY / "map.json"
    good.write_text('{"schema": "hwchar-events/1", "events": {"page_fault": ["no-such-native", "page-faults"]}}')
    profile = page_size_by("perf", f"--event-map={good}")
    assert profile["memory"]["page_size"]["counter"] == "page-faults"
    for text, needle in (("{", "line 1"), ("{}", "schema"), ('{"schema": "hwchar-events/1"}', "events"),
                         ('{"schema": "hwchar-events/1", "events": {"x": "y"}}', '"x"'),
                         ('{"schema": "hwchar-events/1", "events": {"l2_miss": 1}}', "l2_miss")):
        bad = DIRECTORY / "bad.json"
        bad.write_text(text)
        done = run([HWCHAR, "--counters=perf", f"--event-map={bad}"])
        assert done.returncode == 2 and needle in one_line(done), (text, done)


def refused_counters_are_explained():
    """seccomp refusing perf_event_open, as a container's default profile does."""
    program = DIRECTORY / "refuse"
    source = DIRECTORY / "refuse.c"
    source.write_text("""#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(argv[1])), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {4, filter};
    return argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program) ||
           execv(argv[2], argv + 2);
}
""")
    assert run(["cc", source, "-o", program]).returncode == 0
    for number, needle in ((1, "seccomp"), (38, "seccomp")):
        done = run([program, str(number), HWCHAR, "--counters=perf", "page_size"])
        assert done.returncode == 3 and needle in one_line(done), done
        done = run([program, str(number), HWCHAR, "--counters", "page_size", "--json"])
        assert done.returncode == 0 and done.stderr.count("hwchar: ") == 1 and "perf_event_open" in done.stderr, done
        assert json.loads(done.stdout)["memory"]["page_size"]["value"] == os.sysconf("SC_PAGESIZE")


def few_descriptors_are_explained():
    done = run(["bash", "-c", f"ulimit -n 5; exec {HWCHAR} --counters=papi page_size"])
    assert done.returncode == 3 and "ulimit -n" in one_line(done) or "built without PAPI" in done.stderr, done


main([papi_counts_callgrinds_misses_exactly, perf_counts_page_faults, papi_presets_may_mean_anything,
      events_show_what_was_expected_and_counted, an_event_map_names_natives, refused_counters_are_explained,
      few_descriptors_are_explained] + [papi_counts_what_fira_expects] * ("all" in OPTIONS.rest))
