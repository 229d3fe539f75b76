"""perf_event's interface as real kernels and PMUs have it, by a stand-in: what hwchar makes of each of them."""
import os

from harness import Skip, cache_values, main, options, run
from stand_in import maker

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
machine = maker(OPTIONS.rest[0])
PAGE = os.sysconf("SC_PAGESIZE")
ONE_KIND = "pmu cpu 4 0-1023 4"
# The first kind's PMU is the one that the kernel takes where no type is named; the tests run on a CPU of the second.
HYBRID = ("pmu cpu_core 4 2048-2049 6", "pmu cpu_atom 10 0-1023 6")
FORMAT = {f"sys/bus/event_source/devices/cpu/format/{name}": bits
          for name, bits in {"event": "config:0-7", "umask": "config:8-15", "edge": "config:18",
                             "frontend": "config1:0-23", "split": "config:0-3,32-35"}.items()}
QUICKLY = ("--votes=1", "--samples=2")


def page_size_of(stand_in, *arguments, **more):
    return stand_in.profile([HWCHAR, *arguments, "page_size"], **more)["memory"]["page_size"]


def is_counted(stand_in, native, counters="perf", **more):
    """Page faults are counted by a native counter that counts those there: what is measured needs no PMU."""
    for _ in range(3):
        finding = page_size_of(stand_in, f"--counters={counters}", *QUICKLY, "--event", f"page_fault={native}",
                               **more)
        if "others work" not in finding.get("reason", ""):
            break
    else:
        raise Skip(finding["reason"])
    assert finding["value"] == PAGE and finding["counter"] == native, finding


def record_of(stand_in, native, event="l1d_miss", **more):
    """What --events says of a counter that the user named."""
    profile = stand_in.profile([HWCHAR, "--counters=perf", "--event", f"{event}={native}", "--events"], **more)
    return next(e for e in profile["events"] if e["event"] == event)


def a_raw_event_counts():
    stand_in = machine(ONE_KIND, "event cpu 8d1 faults")
    is_counted(stand_in, "r08d1")
    done = stand_in.done()
    assert done["read"] > 10 and done["read_by_pmc"] == 0, done


def an_event_is_read_without_the_kernel_where_that_is_allowed():
    if os.uname().machine not in ("x86_64", "aarch64"):
        raise Skip("the stand-in answers to x86-64's and AArch64's instructions")
    stand_in = machine(ONE_KIND + " rdpmc", "event cpu 8d1 faults")
    is_counted(stand_in, "r08d1")
    done = stand_in.done()
    assert done["read_by_pmc"] > 2 * done["read"], done


def an_event_asks_to_be_read_without_the_kernel():
    """As Arm's PMUs want it (config1, bit 1); where the administrator has not allowed it, asking is of no use."""
    if os.uname().machine not in ("x86_64", "aarch64"):
        raise Skip("the stand-in answers to x86-64's and AArch64's instructions")
    for allowed in (0, 1):
        stand_in = machine(ONE_KIND + " rdpmc=2", "event cpu 8d1 faults",
                           files={"proc/sys/kernel/perf_user_access": str(allowed),
                                  "sys/bus/event_source/devices/cpu/format/rdpmc": "config1:1"})
        is_counted(stand_in, "r08d1")
        done = stand_in.done()
        assert (done["read_by_pmc"] > 2 * done["read"]) == bool(allowed), done


def the_core_pmu_is_the_one_whose_cpus_hold_this_cpu():
    for first, second in (("apple_avalanche_pmu", "apple_blizzard_pmu"), ("armv8_cortex_a78", "armv8_cortex_a55")):
        stand_in = machine(f"pmu {first} 9 2048-2049 6", f"pmu {second} 10 0,1-1023 6", f"event {second} 8d1 faults")
        is_counted(stand_in, "r08d1")


def a_generic_event_is_of_this_cpus_pmu():
    stand_in = machine(*HYBRID, "event cpu_core cache:10000 faults", "event cpu_atom cache:10000 faults")
    is_counted(stand_in, "L1-dcache-load-misses")


def a_driver_that_wants_guests_left_out_is_obeyed():
    stand_in = machine("pmu apple_icestorm_pmu 9 0-1023 8 filters=guest-always", "event apple_icestorm_pmu bf faults")
    is_counted(stand_in, "r00bf")


def a_driver_that_cannot_leave_guests_out_is_obeyed():
    stand_in = machine(ONE_KIND + " filters=not-guest", "event cpu 8d1 faults")
    assert record_of(stand_in, "r08d1", "page_fault")["quality"] == "named by the user"


def two_counters_that_add_up_are_one_event():
    """Where one alone counts half. They are a group: what finds no place counts nothing, and one that dies comes back."""
    halves = "event cpu 84 0.5*faults dies=4", "event cpu 785 0.5*faults"
    is_counted(machine(ONE_KIND, *halves), "r0084+r0785")
    finding = page_size_of(machine(ONE_KIND, *halves), "--counters=perf", *QUICKLY, "--event", "page_fault=r0084")
    assert finding["value"] != PAGE, finding
    reason = record_of(machine("pmu cpu 4 0-1023 1", *halves), "r0084+r0785")["reason"]
    assert "scheduled" in reason, reason
    for native in ("r0084+", "+r0084", "r0084+r0785+r0001"):
        reason = record_of(machine(ONE_KIND, *halves), native)["reason"]
        assert "two with a + between" in reason, (native, reason)


def two_counters_add_up_by_papi():
    if not has_papi():
        raise Skip("built without PAPI")
    stand_in = machine(ONE_KIND + " strict", "event cpu 84 0.5*faults", "event cpu 785 0.5*faults")
    is_counted(stand_in, "amd64_fam17h_zen2::L1_ITLB_MISS_L2_ITLB_HIT+"
               "amd64_fam17h_zen2::L1_ITLB_MISS_L2_ITLB_MISS:IF4K:IF2M:IF1G", "papi", LIBPFM_FORCE_PMU="amd64_fam17h_zen2")


def an_event_that_died_is_enabled_again():
    stand_in = machine(ONE_KIND, "event cpu 8d1 faults dies=4")
    is_counted(stand_in, "r08d1")
    assert stand_in.done()["ended"] >= 3, stand_in.done()


def an_event_that_stays_dead_gives_no_value():
    stand_in = machine(ONE_KIND, "event cpu 8d1 faults dies=5!")
    finding = page_size_of(stand_in, "--counters=perf", *QUICKLY, "--event", "page_fault=r08d1")
    assert finding["value"] is None and "scheduled" in finding["reason"], finding


def the_kernels_part_is_told():
    """A PMU without filters, at a paranoid level that lets the kernel's mode be counted, and at one that does not."""
    lines = (ONE_KIND + " filters=none", "event cpu 8d1 faults")
    record = record_of(machine("paranoid 1", *lines), "r08d1", "page_fault")
    assert record["quality"] == "named by the user; kernel mode, too", record
    reason = record_of(machine("paranoid 2", *lines), "r08d1")["reason"]
    assert "paranoid is 2" in reason and "paranoid=1" in reason, reason


def an_unknown_code_is_no_matter_of_permission():
    reason = record_of(machine("paranoid 2", ONE_KIND + " strict"), "r08d1")["reason"]
    assert "does not know the event" in reason and "paranoid" not in reason, reason


def a_counter_is_spelled_by_terms():
    files = dict(FORMAT, **{"sys/bus/event_source/devices/cpu/events/named": "event=0xd1,umask=0x8"})
    stand_in = machine(ONE_KIND, "event cpu 8d1 faults", "event cpu 1c6 faults config1=400406",
                       "event cpu 400d1 faults", "event cpu f0000000a faults", files=files)
    for native in ("cpu/config=0x8d1/u", "cpu/named/", "cpu/event=0xd1,edge/",
                   "cpu/event=0xc6,umask=1,frontend=0x400406/", "cpu/split=0xfa/"):
        is_counted(stand_in, native)


def terms_that_are_none_are_named():
    stand_in = machine(*HYBRID, files=FORMAT)
    stand_in.put("sys/bus/event_source/devices/cpu_atom/format/event", "config:0-7")
    for native, needle in (("cpu/evnt=1/", "evnt"), ("cpu/event=x/", "not a number"), ("cpu/event=0x100/", "too large"),
                           ("nothing/event=1/", "there is no PMU nothing"), ("cpu/event=1/k", "user mode"),
                           ("cpu_core/event=1/", "other CPUs")):
        reason = record_of(stand_in, native)["reason"]
        assert needle in reason, (native, reason)


def long_names_are_whole():
    """Zen 2's first-level fills have 146 characters. They are attached again and again."""
    stand_in = machine(ONE_KIND + " strict", "event cpu 5b43 faults")
    native = ("amd64_fam17h_zen2::DATA_CACHE_REFILLS_FROM_SYSTEM:MABRESP_LCL_L2:LS_MABRESP_LCL_CACHE:"
              "LS_MABRESP_LCL_DRAM:LS_MABRESP_RMT_CACHE:LS_MABRESP_RMT_DRAM")
    if "built without" in record_of(stand_in, native, "l4_miss").get("reason", ""):
        raise Skip("built without libpfm4")
    is_counted(stand_in, native, LIBPFM_FORCE_PMU="amd64_fam17h_zen2")
    done = run([HWCHAR, "--counters=perf", "--event", "page_fault=" + "x" * 256, "page_size"])
    assert done.returncode == 2 and "too long" in done.stderr, done


def has_papi():
    return "without PAPI" not in run([HWCHAR, "--counters=papi", "page_size"]).stderr


def one_event_by_papi_and_another_by_perf():
    """PAPI knows no name for the kernel's generic events, and perf has no presets; one does not shut the other out."""
    if not has_papi():
        raise Skip("built without PAPI")
    stand_in = machine(ONE_KIND + " strict", "event cpu 151 readings", "event cpu cache:10000 readings")
    profile = stand_in.profile([HWCHAR, "--counters", "--event", "l1d_miss=skx::L1D:REPLACEMENT", "--event",
                                "l1d_load_miss=L1-dcache-load-misses", "--events"], LIBPFM_FORCE_PMU="skx")
    by = {e["event"]: e.get("backend") for e in profile["events"]}
    assert (by["l1d_miss"], by["l1d_load_miss"]) == ("papi", "perf"), profile


def papi_is_started_once():
    """Each start and stop is several system calls, and one reading is none or one."""
    if not has_papi():
        raise Skip("built without PAPI")
    stand_in = machine(ONE_KIND + " strict", "event cpu 151 faults")
    is_counted(stand_in, "skx::L1D:REPLACEMENT", "papi", LIBPFM_FORCE_PMU="skx")
    done = stand_in.done()
    assert done["enabled"] < done["read"] / 2, done


def an_event_of_papis_that_died_counts_no_more():
    """PAPI pins its events: one that dies is an error, and no estimate. Faults are the system's own figures, then."""
    if not has_papi():
        raise Skip("built without PAPI")
    stand_in = machine(ONE_KIND + " strict", "event cpu 151 faults dies=9!")
    finding = page_size_of(stand_in, "--counters=papi", *QUICKLY, "--event", "page_fault=skx::L1D:REPLACEMENT",
                           LIBPFM_FORCE_PMU="skx")
    assert finding["value"] == PAGE and finding["counter"].startswith("getrusage"), finding
    assert stand_in.done()["ended"] > 0, stand_in.done()


def uncore(*names, **files):
    """Lines and files of PMUs outside the cores: CPU 0 to 7 share a cache, and so do 8 to 15."""
    lines = [f"pmu {name} {20 + i} 0,8 4 uncore strict" for i, name in enumerate(names)]
    sysfs = {f"sys/bus/event_source/devices/{pmu}/format/{name}": bits
             for pmu in names for name, bits in files.items()}
    for cpu in range(2):
        place = f"sys/devices/system/cpu/cpu{cpu}"
        sysfs |= {f"{place}/cache/index3/level": "3", f"{place}/cache/index3/shared_cpu_list": "0-7",
                  f"{place}/topology/package_cpus_list": "0-7", f"{place}/topology/thread_siblings_list": str(cpu)}
    return lines, sysfs


def slices_of_a_shared_cache_are_added_up():
    """Four slices, of which each counts a quarter, for either of two packages: those of this CPU's are opened."""
    lines, files = uncore(*(f"uncore_cha_{i}" for i in range(4)), event="config:0-7", umask="config:8-15,32-55")
    events = [f"event uncore_cha_{i} c817fe00000135 0.25*faults" for i in range(4)]
    stand_in = machine("paranoid 0", *lines, *events, files=files)
    is_counted(stand_in, "uncore_cha/event=0x35,umask=0xc817fe01/", "uncore")


def shared_caches_have_no_names_to_audit():
    """All that have names are asked for: a backend without any is no crash."""
    lines, files = uncore("uncore_cha_0", event="config:0-7", umask="config:8-15,32-55")
    stand_in = machine("paranoid 0", *lines, "event uncore_cha_0 c817fe00000135 faults", files=files)
    profile = stand_in.profile([HWCHAR, "--counters=uncore", "--events=presets"])
    assert profile["events"] == [], profile


def amds_own_part_of_a_complex_comes_first():
    """By the masks where there are such; who does not know them counts what all cores do, and says so."""
    lines, files = uncore("amd_l3", event="config:0-7", umask="config:8-15", coreid="config:42-44",
                          threadmask="config:56-57", enallslices="config:46")
    stand_in = machine("paranoid 0", *lines, "event amd_l3 104 readings", files=files)
    for core in range(8):
        code = 0x104 | core << 42 | 1 << 46 | 1 << 56
        stand_in.directory.joinpath("machine").open("a").write(f"event amd_l3 {code:x} readings\n")
    profile = stand_in.profile([HWCHAR, "--counters=uncore", "--events"], LIBPFM_FORCE_PMU="amd64_fam19h_zen4")
    record = next(e for e in profile["events"] if e["event"] == "l3_miss")
    assert "coreid=" in record["counter"] and record["quality"].startswith("this core's"), record
    alone = machine("paranoid 0", *lines, "event amd_l3 104 readings", files=files)
    profile = alone.profile([HWCHAR, "--counters=uncore", "--events"], LIBPFM_FORCE_PMU="amd64_fam19h_zen4")
    record = next(e for e in profile["events"] if e["event"] == "l3_miss")
    assert record["counter"] == "amd_l3/event=0x04,umask=0x01/" and record["quality"].startswith("shared"), record


def a_neighbour_is_seen_while_idle():
    """What others miss all the time, five in a microsecond, is no count of this program's: it says so."""
    lines, files = uncore("amd_l3", event="config:0-7", umask="config:8-15")
    stand_in = machine("paranoid 0", *lines, "event amd_l3 104 faults+5*microseconds", files=files)
    profile = stand_in.profile([HWCHAR, "--counters=uncore", "--events"], LIBPFM_FORCE_PMU="amd64_fam19h_zen4")
    record = next(e for e in profile["events"] if e["event"] == "l3_miss")
    assert record["status"] == "rejected" and "others" in record["reason"], record
    assert int(record["quality"].split("; ")[1].split()[0]) > 4000, record


def a_shared_cache_needs_the_right_to_count_for_all():
    lines, files = uncore("amd_l3", event="config:0-7", umask="config:8-15")
    stand_in = machine("paranoid 2", *lines, "event amd_l3 104 faults", files=files)
    done = stand_in.run([HWCHAR, "--counters=uncore", "page_size"], LIBPFM_FORCE_PMU="amd64_fam19h_zen4")
    assert done.returncode == 3 and "paranoid=0" in done.stderr, done


# Footprints double from 4 KiB on; each is sampled once.
SERVES = "serves=" + ",".join(["L1"] * 4 + ["L2"] * 5 + ["L3"] * 3 + ["memory"])


def levels_by_samples(*lines, files):
    profile = machine(*lines, files=files).profile([HWCHAR, "data_source"])
    curve = next(c for c in profile["curves"] if c["name"] == "data_source")
    return curve, {says["name"]: (says.get("low"), says.get("high")) for says in curve["read_off"]}


def loads_say_which_level_served_them():
    """By samples in the formats of PEBS, IBS and SPE, of a machine with 32 KiB, 1 MiB and 8 MiB."""
    for name, more in (("cpu", {"events/mem-loads": "event=0xcd,umask=0x1,ldlat=3", "format/event": "config:0-7",
                                "format/umask": "config:8-15", "format/ldlat": "config1:0-15"}),
                       ("ibs_op", {"format/cnt_ctl": "config:19"}),
                       ("arm_spe_0", {"format/load_filter": "config:33", "cpumask": "0-1023"})):
        files = {f"sys/bus/event_source/devices/{name}/{file}": text for file, text in more.items()}
        curve, levels = levels_by_samples(f"pmu {name} 4 0-1023 4 {SERVES}", files=files)
        assert levels == {"L1 holds": (32768, 65536), "L2 holds": (1 << 20, 2 << 20), "L3 holds": (8 << 20, 16 << 20)}, \
            (name, curve)


def without_samples_there_is_a_reason():
    curve, levels = levels_by_samples(ONE_KIND, files={})
    assert "no mem-loads" in curve["read_off"][0]["reason"], curve


FIRST, LAST = (16384, 4, 64), (131072, 8, 64)


def geometry_of(stand_in, family, **more):
    """Of two levels, whose misses the stand-in's events count by callgrind's cache model. A minute or more."""
    profile = stand_in.profile([HWCHAR, "--counters=perf", "data_cache"], stand_in.under_callgrind(FIRST, LAST),
                               LIBPFM_FORCE_PMU=family, **more)
    return profile, {level: (size, ways, line) for level, (line, size, ways) in cache_values(profile).items()}


def zen_2_is_measured_by_its_names():
    """Names of 146 and 131 characters: cut, they pass while they are tested, and cannot be attached afterwards."""
    stand_in = machine(ONE_KIND + " strict", "event cpu 5b43 D1mr+D1mw", "event cpu 5a43 DLmr+DLmw")
    profile, found = geometry_of(stand_in, "amd64_fam17h_zen2")
    assert found == {1: FIRST, 2: LAST}, profile["caches"]


def an_over_counting_preset_is_replaced():
    """Retired loads count 1.4 for each miss, and another profiler takes the counter of the fills now and then."""
    stand_in = machine(ONE_KIND + " strict", "event cpu 8d1 1.4*D1mr", "event cpu 151 D1mr+D1mw dies=40",
                       "event cpu 10d1 1.4*DLmr", "event cpu 2124 DLmr")
    profile, found = geometry_of(stand_in, "skx")
    assert found == {1: FIRST, 2: LAST}, (profile["caches"], profile["counters"])
    verdicts = {e["event"]: (e["status"], e["counter"]) for e in profile["counters"]["events"]}
    assert verdicts["l1d_load_miss"][0] == "rejected", verdicts
    assert verdicts["l2_load_miss"] == ("trusted", "skx::L2_RQSTS:DEMAND_DATA_RD_MISS"), verdicts
    assert stand_in.done()["ended"] > 10, stand_in.done()


main([a_raw_event_counts, an_event_is_read_without_the_kernel_where_that_is_allowed, an_event_asks_to_be_read_without_the_kernel,
      the_core_pmu_is_the_one_whose_cpus_hold_this_cpu, a_generic_event_is_of_this_cpus_pmu,
      a_driver_that_wants_guests_left_out_is_obeyed, a_driver_that_cannot_leave_guests_out_is_obeyed,
      two_counters_that_add_up_are_one_event, two_counters_add_up_by_papi, an_event_that_died_is_enabled_again,
      an_event_that_stays_dead_gives_no_value, the_kernels_part_is_told,
      an_unknown_code_is_no_matter_of_permission, a_counter_is_spelled_by_terms, terms_that_are_none_are_named,
      long_names_are_whole, papi_is_started_once, an_event_of_papis_that_died_counts_no_more,
      one_event_by_papi_and_another_by_perf, slices_of_a_shared_cache_are_added_up,
      shared_caches_have_no_names_to_audit,
      amds_own_part_of_a_complex_comes_first, a_neighbour_is_seen_while_idle,
      a_shared_cache_needs_the_right_to_count_for_all, loads_say_which_level_served_them,
      without_samples_there_is_a_reason] +
     [zen_2_is_measured_by_its_names, an_over_counting_preset_is_replaced] * ("all" in OPTIONS.rest))
