"""The native machine for another architecture: it compiles without a warning, and its kernels and emitter do under
qemu what the unit tests ask of this machine's."""
import functools
import json
import pathlib
import platform
import re
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
VECTORS = ("i32x4", "f32x4", "f64x2")
SCALABLE = ("i32xN", "f32xN", "f64xN")
CORES = {"aarch64": ((*SCALARS, *VECTORS, "f32xN"), (*SCALARS, *VECTORS, "f32xN"), ("fma", "neon", "sve")),
         "riscv64": (SCALARS, ("f32", "f64"), ("fma",)), "x86_64": (SCALARS, (), ())}
NO_SVE, SHORT, LONG = (("-cpu", cpu) for cpu in ("cortex-a72", "max,sve-max-vq=1", "max,sve-max-vq=2"))


@functools.cache
def emulator():
    return need(f"qemu-{TARGET}", f"qemu-{TARGET}-static"), "-L", f"/usr/{TARGET}-linux-gnu"


@functools.cache
def nano_cross():
    need(COMPILER)
    objects = [*compile_all("tests", [ROOT / "tests/nano_cross.c", ROOT / "probes/core/operations.c"],
                            f"-I{ROOT / 'probes/core'}"),
               *compile_counters("core_pmu", "identity", "tables", "tlb_levels")]
    return link("nano_cross", objects, WORK / "native.a", "-lm")


def say(*words, cpu=()):
    """What nano_cross prints on this CPU."""
    done = run([*emulator(), *cpu, *words])
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


def said_of_code(compiler, *types, what="code", cpu=()):
    """By type, and what is said of it."""
    text = say(nano_cross(), compiler, what, *types, cpu=cpu)
    print(text, end="")
    return {tuple(line.split()[:2]): line.split(maxsplit=2)[2] for line in text.splitlines()}


def registers_are_right(kept, said, types):
    for name in types:
        counts = [kept.spills(name, int(said[name, "registers"]) + more) for more in (0, 1)]
        assert counts[0] == 0 < counts[1] and said[name, "runs"].startswith("1"), (name, counts, said)


def code_of_a_compiler_runs_but_times_say_nothing():
    kept = spilled.Kept(need(COMPILER), WORK, need(OBJDUMP))
    types, fused, documented = CORES[TARGET]
    types = types if "all" in OPTIONS.rest else types[::2]
    said = said_of_code(kept.command, *types)
    registers_are_right(kept, said, types)
    for name in types:
        assert "translated before it is executed" in said[name, "time"], said
        if TARGET != "x86_64":
            assert int(said[name, "fused"]) == (name in fused), said
    for extension in documented:
        assert said[extension, "documented"] == "1", said


def need_scalable():
    if TARGET != "aarch64":
        raise Skip("there are no scalable vectors, or this machine tests them")


def only_cpus_that_have_scalable_vectors_run_them():
    """By what is executed, as well as by what the system says; other code runs on either."""
    need_scalable()
    said = said_of_code(need(COMPILER), "f32x4", "f32xN", what="runs", cpu=NO_SVE)
    assert said["f32x4", "runs"].startswith("1 refused 0"), said
    assert said["f32xN", "runs"].startswith("0 refused 1") and said["f32xN", "fused"] == "0", said
    assert said["sve", "documented"] == "0" and ("f32xN", "bits") not in said, said
    assert "does not know one of its instructions" in said["f32xN", "time"], said
    for cpu, bits in ((SHORT, 128), (LONG, 256)):
        said = say(nano_cross(), need(COMPILER), "bits", cpu=cpu)
        assert said == f"{bits} documented {bits}\n", said


def a_compiler_that_does_not_know_a_type_refuses_its_code_only():
    need_scalable()
    old = WORK / "old"
    old.write_text(f"#!/bin/sh\ncase \"$*\" in *+sve*) echo 'error: invalid feature +sve' >&2; exit 1;; esac\n"
                   f"exec {need(COMPILER)} \"$@\"\n")
    old.chmod(0o755)
    said = said_of_code(old, "f64", "f64xN", what="runs")
    assert said["f64", "runs"].startswith("1"), said
    assert said["f64xN", "runs"].startswith("0 refused 0") and "invalid feature +sve" in said["f64xN", "runs"], said


def clang_knows_scalable_vectors():
    need_scalable()
    kept = spilled.Kept(need("clang"), WORK / "clang", need(OBJDUMP), f"--target={TARGET}-linux-gnu")
    said = said_of_code(kept.command, "f64xN")
    registers_are_right(kept, said, ("f64xN",))
    assert said["f64xN", "fused"] == "1", said


def values(compiler, functions, cpu):
    """What variables are when the functions end: rows of a name and values. Each is (name, flag, text)."""
    head = ("#include <stdio.h>\nstatic volatile int which;\n"
            "static void see(double value) { printf(\" %.17g\", value); }\n")
    bodies = [re.sub(r"    volatile \w+ used0;\n", "", re.sub(r"used0 = (.*);", r"see(\1);", text))
              for _, _, text in functions]
    calls = "".join(f'printf("{name}"); code_{name}(1); code_{name}(3); puts("");' for name, _, _ in functions)
    source, made = WORK / "values.c", WORK / "values"
    source.write_text(head + "".join(bodies) + f"int main(void) {{ {calls} }}\n")
    flags = sorted({flag for _, flag, _ in functions if flag})
    done = run([compiler, "-O2", "-w", "-fwrapv", "-fno-math-errno", *flags, source, "-o", made, "-lm"])
    assert done.returncode == 0, done.stderr
    return dict(line.split(maxsplit=1) for line in say(made, cpu=cpu).splitlines())


def operations_on_scalable_vectors_are_those_on_scalars():
    """In their last elements, whatever their length."""
    need_scalable()
    shown = say(nano_cross(), "-", "text").split("== ")[1:]
    by_type = {}
    for text in shown:
        name, kind, flag = text.split("\n", 1)[0].split(" ")
        code = text.split("\n", 1)[1].replace("multiply_other0 = 1", "multiply_other0 = 3")  # by 1 changes nothing
        by_type.setdefault(kind, []).append((name, flag, code))
    for kind in SCALABLE:
        scalable, names = by_type[kind], {name for name, _, _ in by_type[kind]}
        assert len(scalable) == len(names) and {"add", "multiply", "divide", "fma"} < names, names
        expected = values(need(COMPILER), [row for row in by_type[kind[:3]] if row[0] in names], SHORT)
        assert len(expected) == len(names), expected
        for cpu in (SHORT, LONG):
            found = values(need(COMPILER), scalable, cpu)
            assert found == expected, (kind, cpu, found, expected)
            print(kind, cpu[1], found["multiply"])


assert TARGET in ARCHITECTURES and TARGET != platform.machine(), TARGET
main([it_compiles_without_a_warning, its_kernels_and_emitter_work, counters_are_read_from_their_registers,
      an_event_that_asks_is_read_in_user_mode, code_of_a_compiler_runs_but_times_say_nothing,
      only_cpus_that_have_scalable_vectors_run_them, a_compiler_that_does_not_know_a_type_refuses_its_code_only,
      clang_knows_scalable_vectors, operations_on_scalable_vectors_are_those_on_scalars])
