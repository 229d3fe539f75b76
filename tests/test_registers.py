"""Registers: what hwchar says is the last number of variables that the compiler keeps out of memory, by a
disassembler's word: for ints, doubles and the widest vectors, with GCC and with clang, at -O2 and -O3, and where they
lay out the loop in another order."""
import json
import platform
import shutil
import tempfile

import spilled
from harness import main, need, options, run

HWCHAR = options().hwchar
# Widest first.
VECTORS = (("sve", "f32xN"), ("avx512", "f32x16"), ("avx2", "f32x8"), ("sse2", "f32x4"), ("neon", "f32x4"))


def first_spill_is_right(compiler, level):
    kept = spilled.Kept(compiler, tempfile.mkdtemp())
    done = run([HWCHAR, "--json", f"--cc={kept.command}", f"--cflags={level}", "registers", "extensions"])
    assert done.returncode == 0, done
    core = json.loads(done.stdout)["core"]
    widest = [kind for name, kind in VECTORS if core["extensions"].get(name, {}).get("value")][:1]
    for what, kind in (("int", "i32"), ("double", "f64"), *(("vector", kind) for kind in widest)):
        found = core["registers"][what]["value"]
        assert found, (compiler, level, what, core["registers"][what])
        counts = [kept.spills(kind, found + more) for more in (0, 1)]
        print(f"{compiler} {level} {what}: {found}, spills beyond it: {counts[1]}, by time "
              f"{core['registers_by_time'][what].get('value')}")
        assert counts[0] == 0 < counts[1], (compiler, level, what, found, counts)
    shutil.rmtree(kept.folder)


def registers_of(compiler, *more):
    need("objdump")
    need(compiler)
    for level in ("-O2", "-O3", *more):
        first_spill_is_right(compiler, level)


def registers_of_gcc_are_those_before_the_first_spill():
    registers_of("gcc", "-Os")


def registers_of_clang_are_those_before_the_first_spill():
    registers_of("clang", *(["-O2 -march=native"] if platform.machine() == "x86_64" else []))


main([registers_of_gcc_are_those_before_the_first_spill, registers_of_clang_are_those_before_the_first_spill])
