"""X-Ray's Table 1 (Yotov, Pingali and Stodghill: X-Ray: A Tool for Automatic Measurement of Hardware Parameters, QEST
2005), row by row for the machine in front of us, with the paper's own columns beside it and what is documented of this
CPU where that is public.

The table's FMA rows are X-Ray's: true where a multiplication with an addition is begun as often as one without. hwchar
says that an instruction exists where the compiler makes one of it and the CPU executes it. Both are shown."""
import json
import pathlib
import re
import subprocess
import typing

MACHINES = ("UltraSPARC IIIi", "R12000", "Power 3", "Pentium 4", "Itanium 2", "Athlon MP", "Opteron 240", "SA1110",
            "PXA250", "Xtensa LX", "R4400")
# Row: its name, where hwchar has it, the actual values, X-Ray's; in the order of MACHINES. T, F: true, false.
TABLE = (
    ("Frequency (MHz)", "frequency",
     "1000 300 375 3060 1500 2250 1400 200 400 350 150",
     "994.206 299.928 375.434 6097.130 1488.344 2129.190 1394.471 203.586 393.489 343.225 145.889"),
    ("Latency ADD I32", "latency add i32",
     "1 1 1 0.5 1 1 1 1 1 1 1", "1.000 1.000 1.000 1.001 1.000 1.000 1.000 1.001 1.006 1.000 1.000"),
    ("Latency MULTIPLY I32", "latency multiply i32",
     "? 6 3 14-18 4 4 3 3 2 2 12", "6.000 5.989 3.000 29.987 3.985 4.000 3.013 3.095 1.977 1.977 14.873"),
    ("Throughput ADD I32", "throughput add i32",
     "0.5 0.5 0.5 0.25 0.167 0.333 0.333 1 1 1 1",
     "0.509 0.503 0.497 0.679 0.169 0.386 0.345 1.001 1.003 0.996 1.000"),
    ("Throughput MULTIPLY I32", "throughput multiply i32",
     "? 6 3 5 0.5 2 1 2 1 1 12", "4.963 5.989 2.972 9.337 0.506 2.016 1.024 1.986 0.998 0.996 14.870"),
    ("NR I32 (count)", "registers int",
     "32 32 32 8 128 8 16 16 16 16 32", "22 22 28 5 123 5 14 12 13 11 17"),
    ("FMA I32", "fma i32", "F F F F T F F T T F F", "T T T T T F T T T F T"),
    ("FPU F32", "fpu f32", "T T T T T T T F F T T", "T T T T T T T F F T T"),
    ("Latency ADD F32", "latency add f32",
     "4 2 4 5 4 4 4 n/a n/a 4 4", "3.963 2.000 4.000 10.013 3.984 4.000 4.052 n/a n/a 3.927 3.935"),
    ("Latency MULTIPLY F32", "latency multiply f32",
     "4 2 4 7 4 4 4 n/a n/a 4 7", "4.037 2.000 5.034 14.079 3.984 4.000 4.052 n/a n/a 3.927 6.870"),
    ("Throughput ADD F32", "throughput add f32",
     "1 1 0.5 1 0.5 1 1 n/a n/a 1 3", "1.000 1.000 0.497 2.030 0.506 1.000 1.013 n/a n/a 0.996 2.913"),
    ("Throughput MULTIPLY F32", "throughput multiply f32",
     "1 1 0.5 2 0.5 1 1 n/a n/a 1 3", "1.009 1.000 0.500 4.004 0.506 1.000 1.013 n/a n/a 0.996 2.957"),
    ("NR F32 (count)", "registers float",
     "32 32 32 8 128 8 16 n/a n/a 16 32", "32 32 32 8 128 8 16 n/a n/a 17 24"),
    ("FMA F32", "fma f32", "F T T F T F F n/a n/a T F", "F T T F T F F n/a n/a T F"),
    ("FPU F64", "fpu f64", "T T T T T T T F F F T", "T T T T T T T F F F T"),
    ("Latency ADD F64", "latency add f64",
     "4 2 4 5 4 4 4 n/a n/a n/a 4", "4 2 4 10.005 3.984 4 4.052 n/a n/a n/a 3.935"),
    ("Latency MULTIPLY F64", "latency multiply f64",
     "4 2 4 7 4 4 4 n/a n/a n/a 8", "4 2 4 14.023 3.986 4 4.052 n/a n/a n/a 7.826"),
    ("Throughput ADD F64", "throughput add f64",
     "1 1 0.5 1 0.5 1 1 n/a n/a n/a 3", "1.009 1 0.5 2.032 0.506 1.008 1.013 n/a n/a n/a 2.935"),
    ("Throughput MULTIPLY F64", "throughput multiply f64",
     "1 1 0.5 2 0.5 1 1 n/a n/a n/a 4", "1 1 0.5 3.998 0.506 1 1 n/a n/a n/a 3.957"),
    ("NR F64 (count)", "registers double",
     "32 32 32 8 128 8 16 n/a n/a n/a 24", "32 32 32 8 128 8 16 n/a n/a n/a 24"),
    ("FMA F64", "fma f64", "F T T F T F F n/a n/a n/a F", "F T T F T F F n/a n/a n/a F"),
)

# What is public of CPUs: latency and throughput in cycles, of integers (i32) and of both kinds of floats alike.
FACTS = {"latency add i32": 0, "throughput add i32": 1, "latency multiply i32": 2, "throughput multiply i32": 3,
         "latency add f": 4, "throughput add f": 5, "latency multiply f": 6, "throughput multiply f": 7}


class Documented(typing.NamedTuple):
    name: str
    vendor: str
    family: int
    models: frozenset
    figures: tuple  # in the order of FACTS; several where operands matter, () where no source is known
    source: str


def models(*spans):
    """A family's models: numbers, and pairs of the first and the last."""
    pairs = [span if isinstance(span, tuple) else (span, span) for span in spans]
    return frozenset(model for first, last in pairs for model in range(first, last + 1))


# The models are those of the kernel (arch/x86/include/asm/intel-family.h, arch/x86/kernel/cpu/amd.c).
DOCUMENTED = (
    Documented("Zen 5", "AuthenticAMD", 26, models((0x00, 0x2f), (0x40, 0x4f), (0x60, 0x7f)),
               (1, 1 / 6, 3, (), (2, 3), 1 / 2, 3, 1 / 2),
               "GCC gcc/config/i386/zn4zn5.md, by AMD; additions of floats 2 cycles where one feeds the next: "
               "numberworld.org, Zen5's AVX512 Teardown"),
    Documented("Zen 4", "AuthenticAMD", 25, models((0x10, 0x1f), (0x60, 0x7f), (0xa0, 0xaf)),
               (1, 1 / 4, 3, 1, 3, 1 / 2, 3, 1 / 2),
               "uops.info; Agner Fog, Instruction tables; GCC znver4.md"),
    Documented("Skylake", "GenuineIntel", 6, models(0x4e, 0x55, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6),
               (1, 1 / 4, 3, 1, 4, 1 / 2, 4, 1 / 2),
               "uops.info; Agner Fog, Instruction tables"),
    Documented("Ice Lake", "GenuineIntel", 6, models(0x6a, 0x6c, 0x7d, 0x7e),
               (1, 1 / 4, 3, 1, 4, 1 / 2, 4, 1 / 2),
               "uops.info; Agner Fog, Instruction tables"),
)
TOLERANCE = {"latency": 0.02, "throughput": 0.05}
SOFTWARE_CYCLES = 10  # 3.4: a floating-point addition that takes longer is done by software
AS_OFTEN = 1.1        # 3.4: about as often, of throughputs


def this_cpu(text):
    """(vendor, family, model) of /proc/cpuinfo; None where it has none."""
    found = [re.search(rf"^{key}\s*: (\S+)", text, re.MULTILINE) for key in ("vendor_id", "cpu family", "model")]
    return (found[0][1], int(found[1][1]), int(found[2][1])) if all(found) else None


def documented_of(cpu):
    return next((d for d in DOCUMENTED if cpu and d.vendor == cpu[0] and d.family == cpu[1] and cpu[2] in d.models), None)


def figures_of(documented, where):
    """The documented figures of a row; () = there are none."""
    place = FACTS.get(re.sub(r" f(32|64)$", " f", where))
    if documented is None or place is None:
        return ()
    figures = documented.figures[place]
    return figures if isinstance(figures, tuple) else (figures,)


def instruction(core, name, of):
    return next((i for i in core.get("instructions", []) if i["name"] == name and i["type"] == of), {})


def cycles(core, what, name, of):
    return instruction(core, name, of).get(what, {}).get("value")


def fma_text(core, of):
    """X-Ray's answer, by throughput; and hwchar's where it is another."""
    fused, plain = (cycles(core, "throughput", name, of) for name in ("fma", "multiply"))
    exists = instruction(core, "fma", of).get("exists", {}).get("value")
    by_time = None if fused is None or plain is None else fused < AS_OFTEN * plain
    return f"{short(by_time)}, {short(exists)}" if by_time != exists else short(exists)


def short(value):
    return {True: "T", False: "F", None: "-"}[value]


def said(core, where):
    """What hwchar says in a row: a number or a text; None = nothing."""
    what, *rest = where.split()
    if what == "frequency":
        return core.get("frequency", {}).get("value")
    if what == "registers":
        return core.get("registers", {}).get(rest[0], {}).get("value")
    if what == "fma":
        return fma_text(core, rest[0])
    if what == "fpu":
        latency = cycles(core, "latency", "add", rest[0])
        return short(None if latency is None else latency < SOFTWARE_CYCLES)
    return cycles(core, what, *rest)


def number(value):
    return "-" if value is None else value if isinstance(value, str) else f"{value:.3f}".rstrip("0").rstrip(".")


def deviation(value, figures):
    """From the nearest figure; None where there is nothing to compare."""
    if not figures or not isinstance(value, (int, float)):
        return None
    return min((value / figure - 1 for figure in figures), key=abs)


def print_row(core, documented, row):
    """Returns whether it deviates by more than it may."""
    name, where, actual, found = row
    value, figures = said(core, where), figures_of(documented, where)
    off = deviation(value, figures)
    wrong = off is not None and abs(off) > TOLERANCE[where.split()[0]]
    ours = (number(value), " or ".join(number(f) for f in figures) or "?",
            "" if off is None else f"{100 * off:+.1f} %{'!' if wrong else ''}")
    print(f"{name:<24}{ours[0]:>9}{ours[1]:>12}{ours[2]:>9} |" + "".join(f"{w:>9}" for w in found.split()))
    print(f"{'  actual':<54} |" + "".join(f"{w:>9}" for w in actual.split()))
    return wrong


def profile_of(hwchar):
    done = subprocess.run([hwchar, "--json", "frequency", "instructions", "registers", "extensions"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def reproduce(hwchar):
    profile = profile_of(hwchar)
    documented = documented_of(this_cpu(pathlib.Path("/proc/cpuinfo").read_text()))
    print(f"X-Ray, Table 1: what hwchar says of this machine ({profile['host']['cpu_model']}), what is documented of it, "
          "and the paper's columns\n")
    print(f"{'':<24}{'hwchar':>9}{'documented':>12}{'off by':>9} |" + "".join(f"{m[:8]:>9}" for m in MACHINES))
    wrong = sum(print_row(profile["core"], documented, row) for row in TABLE)
    print("\nFMA: X-Ray's answer (by throughput), then whether it is one instruction, where they differ.")
    print(f"documented: {documented.name}: {documented.source}" if documented else
          "documented: nothing is on file for this CPU")
    return wrong
