"""What is public of CPUs' cores. A figure is a number, or the first and the last of a span; what no source was found for
is left out."""
import re
import typing

GUIDE_5 = "AMD, Software Optimization Guide for the Zen 5 Microarchitecture (58455)"
GUIDE_4 = "AMD, Software Optimization Guide for the Zen 4 Microarchitecture (57647)"
CHEESE = "measured or told by Chips and Cheese"
# One operation's units are another's, or not: of floats, additions and multiplications; multiplications and fused ones.
OWN_ADDERS = {"bundle add f64, multiply f64": 1, "bundle multiply f64, fma f64": 0}
SHARED_UNITS = {"bundle add f64, multiply f64": 0, "bundle multiply f64, fma f64": 0}


class Documented(typing.NamedTuple):
    name: str
    vendor: str
    family: int
    models: frozenset
    figures: tuple  # (source, {where hwchar has it: figure}); f: floats of both sizes


def models(*spans):
    """A family's models: numbers, and pairs of the first and the last."""
    pairs = [span if isinstance(span, tuple) else (span, span) for span in spans]
    return frozenset(model for first, last in pairs for model in range(first, last + 1))


def times(add, multiply, add_float, multiply_float):
    """Of each: latency and, where it is known, throughput in cycles."""
    operations = {"add i32": add, "multiply i32": multiply, "add f": add_float, "multiply f": multiply_float}
    return {f"{what} {name}": time for name, pair in operations.items()
            for what, time in zip(("latency", "throughput"), pair)}


# The models are those of the kernel (arch/x86/include/asm/intel-family.h, arch/x86/kernel/cpu/amd.c).
CPUS = (
    Documented("Zen 5", "AuthenticAMD", 26, models((0x00, 0x2f), (0x40, 0x4f), (0x60, 0x7f)), (
        ("GCC zn4zn5.md, by AMD; floats added in 2 cycles where one feeds the next: numberworld.org, Zen5's AVX512 "
         "Teardown", times((1, 1 / 6), (3,), ((2, 3), 1 / 2), (3, 1 / 2)) | OWN_ADDERS),
        (GUIDE_5, {"rename_width": 8, "move_elimination int": True, "move_elimination vector": True,
                   "full_rate_code": 6144, "load_to_use int": (4, 5), "load_to_use vector": (7, 8),
                   "reorder_buffer": 448, "int_register_file": 240, "vector_register_file": 384,
                   "return_stack": 52, "units add": 6}),
        (CHEESE, {"throughput multiply i32": 1 / 3, "units multiply": 3, "store_queue": 104, "int_scheduler": 88,
                  "load_scheduler": 56, "vector_scheduler": (2 * 38, 3 * 38)}))),
    Documented("Zen 4", "AuthenticAMD", 25, models((0x10, 0x1f), (0x60, 0x7f), (0xa0, 0xaf)), (
        ("uops.info; Agner Fog, Instruction tables; GCC znver4.md",
         times((1, 1 / 4), (3, 1), (3, 1 / 2), (3, 1 / 2)) | OWN_ADDERS),
        (GUIDE_4, {"rename_width": 6, "move_elimination int": True, "move_elimination vector": True,
                   "full_rate_code": 64 * 12 * 9, "load_to_use int": (4, 5), "load_to_use vector": 7,
                   "reorder_buffer": 320, "int_register_file": 224, "load_queue": (88, 48 + 88), "store_queue": 64,
                   "misprediction_penalty": (11, 18), "return_stack": 32, "int_scheduler": 4 * 24,
                   "vector_scheduler": 2 * 32, "units add": 4}),
        ("Agner Fog, The microarchitecture of Intel, AMD and VIA CPUs", {"vector_register_file": 192}))),
    Documented("Skylake", "GenuineIntel", 6, models(0x4e, 0x55, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6), (
        ("uops.info; Agner Fog, Instruction tables", times((1, 1 / 4), (3, 1), (4, 1 / 2), (4, 1 / 2)) | SHARED_UNITS),
        ("LLVM X86SchedSkylakeServer.td", {"load_to_use vector": (5, 7), "units add": 4}),
        ("WikiChip", {"move_elimination int": True, "full_rate_code": 1536, "reorder_buffer": 224,
                      "int_register_file": 180, "vector_register_file": 168,
                      "load_queue": 72, "store_queue": 56}))),
    Documented("Ice Lake", "GenuineIntel", 6, models(0x6a, 0x6c, 0x7d, 0x7e), (
        ("uops.info; Agner Fog, Instruction tables", times((1, 1 / 4), (3, 1), (4, 1 / 2), (4, 1 / 2)) | SHARED_UNITS),
        ("LLVM X86SchedIceLake.td", {"load_to_use int": 5, "load_to_use vector": (5, 7), "units add": 4}),
        ("Intel, Optimization Reference Manual", {"reorder_buffer": 352, "load_queue": 128, "store_queue": 72}),
        (CHEESE, {"rename_width": 5, "full_rate_code": 2304, "int_register_file": 280, "vector_register_file": 224,
                  "return_stack": 22}))),
)


def this_cpu(text):
    """(vendor, family, model) of /proc/cpuinfo; None where it has none."""
    found = [re.search(rf"^{key}\s*: (\S+)", text, re.MULTILINE) for key in ("vendor_id", "cpu family", "model")]
    return (found[0][1], int(found[1][1]), int(found[2][1])) if all(found) else None


def of(cpu):
    return next((d for d in CPUS if cpu and d.vendor == cpu[0] and d.family == cpu[1] and cpu[2] in d.models), None)


def figure(documented, where):
    """(figure, the number of its source, from 1); (None, None) where there is none."""
    if where.startswith(("latency", "throughput")):
        where = re.sub(r" f(32|64)$", " f", where)
    for number, (_, figures) in enumerate(documented.figures if documented else (), 1):
        if where in figures:
            return figures[where], number
    return None, None
