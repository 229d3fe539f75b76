"""The PMUs of eight machines, for the stand-in: what each event counts, by the vendors' documents that event_facts/
names, in terms of what a model counts: its events, and "prefetched1" for the lines that prefetchers bring into level 1."""


def cpuinfo_of_x86(vendor, family, model, stepping):
    return "".join(f"processor : {cpu}\nvendor_id : {vendor}\ncpu family : {family}\nmodel : {model}\n"
                   f"stepping : {stepping}\n\n" for cpu in range(2))


def cpuinfo_of_arm(implementer, parts):
    return "".join(f"processor : {cpu}\nCPU implementer : {implementer:#x}\nCPU part : {part:#x}\n\n"
                   for cpu, part in enumerate(parts))


# Requests beyond the first level, and retired loads.
INTEL = {
    "8d1": "l1d_load_miss", "10d1": "l2_load_miss", "20d1": "l3_load_miss", "11d0": "dtlb2_miss",
    "151": "l1d_miss+prefetched1", "e124": "l1d_load_miss", "e224": "l1d_store_miss", "2124": "l2_load_miss",
    "2724": "l2_miss+l2i_miss", "2424": "l2i_miss", "e424": "l1i_miss", "412e": "l3_miss+prefetched3",
    "1c6 config1=12": "l1i_miss", "1c6 config1=13": "l2i_miss", "1c6 config1=14": "itlb_miss",
    "1c6 config1=15": "itlb2_miss", "cache:10000": "l1d_miss+prefetched1"}
SKYLAKE = {
    **INTEL, "1b0": "l2_load_miss", "10b0": "l3_load_miss", "1ff1": "l2_miss+l2i_miss+prefetched2", "283": "l1i_miss",
    "40f0": "l2_writeback", "2008": "dtlb_miss+-1*dtlb2_miss", "e08": "dtlb2_miss", "2e08": "dtlb_miss",
    "2085": "itlb_miss+-1*itlb2_miss", "e85": "itlb2_miss", "2e85": "itlb_miss", "cache:10003": "dtlb2_miss",
    "cache:10004": "itlb2_miss"}
GOLDEN_COVE = {
    **INTEL, "fd43": "l1d_load_miss", "121": "l2_load_miss", "1021": "l3_load_miss",
    "1f25": "l2_miss+l2i_miss+prefetched2", "226": "l2_writeback", "4023": "l2_writeback",
    "2012": "dtlb_miss+-1*dtlb2_miss", "e12": "dtlb2_miss", "2e12": "dtlb_miss", "2011": "itlb_miss+-1*itlb2_miss",
    "e11": "itlb2_miss", "2e11": "itlb_miss", "cache:10003": "dtlb2_miss", "cache:10004": "itlb2_miss"}
GRACEMONT = {
    "8d1": "l1d_load_miss", "10d1": "l2_load_miss", "20d2": "l3_load_miss", "280": "l1i_miss",
    "124": "l2_miss+l2i_miss+prefetched2", "412e": "l3_miss+prefetched3", "e08": "dtlb2_miss", "e85": "itlb2_miss",
    "11d0": "dtlb2_miss", "cache:10000": "l1d_load_miss", "cache:10003": "dtlb2_miss", "cache:10004": "itlb2_miss"}
# The first level's prefetcher asks the second by the same requests.
ZEN = {
    "864": "l2_miss", "164": "l2i_miss", "1060": "l1i_miss", "c860": "l1d_miss+prefetched1", "ff45": "dtlb_miss",
    "f045": "dtlb2_miss", "f45": "dtlb_miss+-1*dtlb2_miss", "84": "itlb_miss+-1*itlb2_miss",
    "cache:10003": "dtlb2_miss", "cache:10004": "itlb2_miss"}
ZEN2 = {**ZEN, "5b43": "l1d_miss", "5a43": "l2_miss", "4843": "l3_miss", "785": "itlb2_miss"}
ZEN4 = {**ZEN, "df43": "l1d_miss", "de43": "l2_miss", "dc43": "l3_miss", "f85": "itlb2_miss", "10000188e": "l1i_miss"}
NEOVERSE = {
    "1": "l1i_miss", "2": "itlb_miss", "3": "l1d_miss", "5": "dtlb_miss", "15": "l1d_writeback",
    "17": "l2_miss+prefetched2", "18": "l2_writeback", "34": "dtlb2_miss", "35": "itlb2_miss", "37": "l3_load_miss",
    "39": "l1d_load_miss", "42": "l1d_load_miss", "43": "l1d_store_miss", "46": "l1d_writeback", "4c": "dtlb_miss",
    "52": "l2_load_miss+prefetched2", "56": "l2_writeback", "5c": "dtlb2_miss", "4006": "l1i_miss",
    "4009": "l2_load_miss", "400b": "l3_load_miss", "cache:10000": "l1d_miss", "cache:10001": "l1i_miss",
    "cache:10003": "dtlb_miss", "cache:10004": "itlb_miss"}
APPLE = {
    "bf": "l1d_load_miss", "a3": "l1d_load_miss", "c0": "l1d_store_miss", "a2": "l1d_store_miss", "db": "l1i_miss",
    "c1": "dtlb_miss", "a1": "dtlb_miss", "5": "dtlb_miss", "b": "dtlb2_miss", "8": "dtlb2_miss", "d4": "itlb_miss",
    "4": "itlb_miss", "a": "itlb2_miss", "7": "itlb2_miss", "a8": "l1d_writeback", "cache:10000": "l1d_load_miss"}

INTEL_FORMAT = {"event": "config:0-7", "umask": "config:8-15", "edge": "config:18", "frontend": "config1:0-23"}


class Pmu:
    """`options` of the stand-in's line: which filters its driver knows."""

    def __init__(self, name, events, counters, options="", cpus="0-1023", type_number=4):
        self.name, self.events, self.counters, self.options = name, events, counters, options
        self.cpus, self.type_number = cpus, type_number

    def lines(self, instead):
        """`instead`: {code: what it counts} where this machine's counters lie; None: it has no such event."""
        yield f"pmu {self.name} {self.type_number} {self.cpus} {self.counters} strict {self.options}"
        for code, counts in {**self.events, **instead}.items():
            code, _, options = code.partition(" ")
            if counts is not None:
                yield f"event {self.name} {code} {counts} {options}"

    def files(self, format=INTEL_FORMAT):
        folder = f"sys/bus/event_source/devices/{self.name}/format"
        return {f"{folder}/{name}": bits for name, bits in format.items()}


class Uncore(Pmu):
    """A PMU of the last level, by what it counts: one event. CPU 0 to 7 share the level."""

    def __init__(self, name, code, umask="config:8-15"):
        super().__init__(name, {code: "l3_miss"}, 4, "uncore", cpus="0", type_number=20)
        self.umask = umask

    def files(self):
        files = super().files({"event": "config:0-7", "umask": self.umask})
        for cpu in range(2):
            place = f"sys/devices/system/cpu/cpu{cpu}"
            files |= {f"{place}/cache/index3/level": "3", f"{place}/cache/index3/shared_cpu_list": "0-7",
                      f"{place}/topology/package_cpus_list": "0-7", f"{place}/topology/thread_siblings_list": str(cpu)}
        return files


# The codes that come first for the misses of a level, with the events that they count, and all other codes of the last.
INTEL_WAYS = ({"l1d_load_miss": "8d1", "l2_load_miss": "10d1", "l3_load_miss": "20d1"},
              ("412e", "10b0", "1021", "cache:10002"))
ZEN2_WAYS = {"l1d_miss": "5b43", "l2_miss": "5a43", "l3_miss": "4843"}, ()
ZEN4_WAYS = {"l1d_miss": "df43", "l2_miss": "de43", "l3_miss": "dc43"}, ()
NEOVERSE_WAYS = {"l1d_load_miss": "42", "l2_load_miss": "52", "l3_load_miss": "400b"}, ("37",)
GRACEMONT_WAYS = {"l1d_load_miss": "8d1", "l2_load_miss": "10d1", "l3_load_miss": "20d2"}, ("412e",)
APPLE_WAYS = {"l1d_load_miss": "bf"}, ()


class Whole:
    """A machine: its models by kind of core, its PMUs, /proc/cpuinfo, and libpfm4's name of its family where names are
    to be used; else codes are. `ways`: for each kind of core; `uncore`: the PMU of its last level, if it has one."""

    def __init__(self, models, pmus, cpuinfo, ways, family="none", uncore=None):
        self.models, self.pmus, self.cpuinfo, self.family = models, pmus, cpuinfo, family
        self.ways, self.uncore = ways, uncore


MACHINES = {
    "skylake-sp": Whole(["skylake-sp"], [Pmu("cpu", SKYLAKE, 4)], cpuinfo_of_x86("GenuineIntel", 6, 0x55, 4),
                        [INTEL_WAYS], "skx", Uncore("uncore_cha_0", "2135 config1=4043300000000")),
    "sapphire-rapids": Whole(["sapphire-rapids"], [Pmu("cpu", GOLDEN_COVE, 8)],
                             cpuinfo_of_x86("GenuineIntel", 6, 0x8f, 8), [INTEL_WAYS], "spr",
                             Uncore("uncore_cha_0", "c817fe00000135", "config:8-15,32-55")),
    "zen2": Whole(["zen2"], [Pmu("cpu", ZEN2, 6)], cpuinfo_of_x86("AuthenticAMD", 0x17, 0x31, 0), [ZEN2_WAYS],
                  "amd64_fam17h_zen2", Uncore("amd_l3", "106")),
    "zen4": Whole(["zen4"], [Pmu("cpu", ZEN4, 6)], cpuinfo_of_x86("AuthenticAMD", 0x19, 0x11, 1), [ZEN4_WAYS],
                  "amd64_fam19h_zen4", Uncore("amd_l3", "104")),
    "zen5": Whole(["zen5"], [Pmu("cpu", ZEN4, 6)], cpuinfo_of_x86("AuthenticAMD", 0x1a, 0x02, 1), [ZEN4_WAYS],
                  uncore=Uncore("amd_l3", "104")),
    "neoverse-v1": Whole(["neoverse-v1"], [Pmu("armv8_pmuv3_0", NEOVERSE, 6)], cpuinfo_of_arm(0x41, [0xd40] * 2),
                         [NEOVERSE_WAYS], uncore=Uncore("arm_dsu_0", "2a")),
    "alder-lake": Whole(["alder-lake-p", "alder-lake-e"],
                        [Pmu("cpu_core", GOLDEN_COVE, 8, cpus="0"),
                         Pmu("cpu_atom", GRACEMONT, 6, cpus="1", type_number=10)],
                        cpuinfo_of_x86("GenuineIntel", 6, 0x97, 2), [INTEL_WAYS, GRACEMONT_WAYS]),
    "apple-m1": Whole(["apple-m1"], [Pmu("apple_icestorm_pmu", APPLE, 8, "filters=guest-always", cpus="2048-2049"),
                                     Pmu("apple_firestorm_pmu", APPLE, 8, "filters=guest-always", type_number=11)],
                      cpuinfo_of_arm(0x61, [0x023] * 2), [APPLE_WAYS])}
