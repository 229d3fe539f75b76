"""The native machine for another architecture: it compiles without a warning, and its kernels and emitter do under
qemu what the unit tests ask of this machine's."""
import functools
import json
import pathlib
import platform
import shlex
import tempfile

import spilled
from harness import ROOT, Skip, launcher, main, need, options, run
from stand_in import StandIn

OPTIONS = options()
TARGET = OPTIONS.rest[0]
ARCHITECTURES = ("x86_64", "aarch64", "riscv64")
COMPILER, ARCHIVER, OBJDUMP = (f"{TARGET}-linux-gnu-{tool}" for tool in ("gcc", "gcc-ar", "objdump"))
WORK = pathlib.Path(tempfile.mkdtemp())
TESTS = ("test_code", "test_kernels", "test_list", "test_loop_body")
COUNTING = ("core_pmu", "errata", "identity", "parts", "perf", "perf_names", "perf_open", "perf_reason", "perf_terms",
            "tables", "tlb_levels")


@functools.cache
def flags():
    """Those that the build compiles native/ with, but for what this machine's libraries add."""
    build = pathlib.Path(OPTIONS.hwchar).parent
    commands = json.loads((build / "compile_commands.json").read_text())
    words = shlex.split(next(c["command"] for c in commands if c["file"] == str(ROOT / "native/code.c")))
    others = tuple(str(ROOT / "native" / architecture) for architecture in ARCHITECTURES)
    kept = [w for w in words if w.startswith(("-W", "-std=", "-fvis", "-D", f"-I{ROOT}"))
            and not w.startswith("-DHWC_HAVE_") and not w.endswith(others)]
    return [*kept, "-Werror", "-O2", f"-I{ROOT / 'native' / TARGET}"]


def compile_all(name, sources, *more):
    """The objects of these sources, each compiled by itself, as a cache of compilations wants it."""
    folder = WORK / name
    folder.mkdir(exist_ok=True)
    objects = []
    for source in sources:
        objects.append(folder / f"{source.stem}.o")
        done = run([*launcher(OPTIONS), COMPILER, *flags(), *more, "-c", source, "-o", objects[-1]])
        assert done.returncode == 0 and not done.stderr, done.stderr
    return objects


def link(name, objects, *more):
    done = run([COMPILER, *objects, *more, "-o", WORK / name])
    assert done.returncode == 0 and not done.stderr, done.stderr
    return WORK / name


def it_compiles_without_a_warning():
    need(COMPILER)
    objects = [*compile_all("model", [*ROOT.glob("src/base/*.c"), *ROOT.glob("src/model/*.c")]),
               *compile_all("nano", ROOT.glob("nano/*.c")), *compile_all("native", ROOT.glob("native/*.c")),
               *compile_all("architecture", ROOT.glob(f"native/{TARGET}/*.c"))]
    assert len(objects) > 20, objects
    done = run([ARCHIVER, "crs", WORK / "native.a", *objects])
    assert done.returncode == 0, done.stderr


def its_kernels_and_emitter_work():
    need(COMPILER)
    emulator = need(f"qemu-{TARGET}", f"qemu-{TARGET}-static")
    for test in TESTS:
        objects = compile_all("tests", [ROOT / f"tests/{test}.c"], f"-I{ROOT / 'tests/cross'}")
        program = link(test, objects, WORK / "native.a", "-static", "-lm")
        done = run([emulator, program])
        assert done.returncode == 0, (test, done.returncode, done.stdout, done.stderr)
        print(done.stdout, end="")


def compile_counters(*names):
    return compile_all("counters", [ROOT / "counters" / f"{name}.c" for name in names])


@functools.cache
def user_reading():
    """The program, and the stand-in that it is run on."""
    if TARGET != "aarch64":
        raise Skip("there is no instruction of its own to read counters by, or this machine tests it")
    need(COMPILER)
    emulator = need(f"qemu-{TARGET}", f"qemu-{TARGET}-static")
    objects = [*compile_counters(*COUNTING, f"{TARGET}/processor"),
               *compile_all("user", [ROOT / "tests/cross/user_reading.c", ROOT / "src/base/error.c",
                                     ROOT / "src/base/text.c"])]
    program = link("user_reading", objects)
    stand_in = compile_all("stand_in", ROOT.glob("tests/stand_in/*.c"), "-fPIC")
    library = link("libstand_in.so", stand_in, "-shared", "-ldl")
    return [emulator, "-L", f"/usr/{TARGET}-linux-gnu"], program, library


def counters_are_read_from_their_registers():
    emulate, program, _ = user_reading()
    done = run([*emulate, program, "registers"])
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)


def an_event_that_asks_is_read_in_user_mode():
    emulate, program, library = user_reading()
    for allowed in (1, 0):
        stand_in = StandIn(WORK / f"allowed{allowed}", library,
                           ["pmu armv8_pmuv3_0 8 0-1023 6 rdpmc=2", "event armv8_pmuv3_0 42 readings"],
                           {"proc/sys/kernel/perf_user_access": str(allowed),
                            "sys/bus/event_source/devices/armv8_pmuv3_0/format/rdpmc": "config1:1"})
        done = run([*emulate, "-E", f"LD_PRELOAD={library}", "-E", f"STAND_IN={stand_in.directory}", program, "counts"])
        assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
        assert (stand_in.done()["read_by_pmc"] > 0) == bool(allowed), (allowed, stand_in.done())


# Types of each architecture; those that have one instruction for a product and a sum; what the system documents.
SCALARS = ("i32", "i64", "f32", "f64")
CORES = {"aarch64": ((*SCALARS, "i32x4", "f32x4", "f64x2"), (*SCALARS, "i32x4", "f32x4", "f64x2"), ("fma", "neon")),
         "riscv64": (SCALARS, ("f32", "f64"), ("fma",)), "x86_64": (SCALARS, (), ())}


def code_of_a_compiler_runs_but_times_say_nothing():
    need(COMPILER)
    emulator = need(f"qemu-{TARGET}", f"qemu-{TARGET}-static")
    objects = [*compile_all("tests", [ROOT / "tests/nano_cross.c"]),
               *compile_counters("core_pmu", "identity", "tables", "tlb_levels")]
    program = link("nano_cross", objects, WORK / "native.a", "-lm")
    kept = spilled.Kept(need(COMPILER), WORK, need(OBJDUMP))
    done = run([emulator, "-L", f"/usr/{TARGET}-linux-gnu", program, kept.command])
    assert done.returncode == 0, (done.stdout, done.stderr)
    print(done.stdout, end="")
    said = {tuple(line.split()[:2]): line.split(maxsplit=2)[2] for line in done.stdout.splitlines()}
    types, fused, documented = CORES[TARGET]
    for name in types:
        registers, runs = said[name, "registers"].split(" runs ")
        counts = [kept.spills(name, int(registers) + more) for more in (0, 1)]
        assert counts[0] == 0 < counts[1] and runs == "1", (name, counts, said)
        assert "translated before it is executed" in said[name, "time"], said
        if TARGET != "x86_64":
            assert int(said[name, "fused"]) == (name in fused), said
    for extension in documented:
        assert said[extension, "documented"] == "1", said


assert TARGET in ARCHITECTURES and TARGET != platform.machine(), TARGET
main([it_compiles_without_a_warning, its_kernels_and_emitter_work, counters_are_read_from_their_registers,
      an_event_that_asks_is_read_in_user_mode, code_of_a_compiler_runs_but_times_say_nothing])
