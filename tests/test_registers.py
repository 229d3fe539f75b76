"""Registers: what hwchar says is the last number of variables that the compiler keeps out of memory, by a disassembler's
word: for ints, doubles and the widest vectors, with each compiler at hand, at -O2 and -O3."""
import json
import pathlib
import re
import shutil
import tempfile

from harness import Skip, main, options, run

HWCHAR = options().hwchar
KINDS = {"int": ("int", ""), "double": ("double", "")}
VECTORS = {"avx512": ("typedef float t __attribute__((vector_size(64)));", "avx512f"),
           "avx2": ("typedef float t __attribute__((vector_size(32)));", "avx2"),
           "sse2": ("typedef float t __attribute__((vector_size(16)));", ""),
           "neon": ("typedef float t __attribute__((vector_size(16)));", "")}


def source(declaration, target, variables):
    """X-Ray's sequence (3.5), written anew."""
    name = "t" if "typedef" in declaration else declaration
    labels = 64 + (-64 % variables)
    lines = [declaration if "typedef" in declaration else "", "volatile int w;", f"volatile {name} in;"]
    lines.append(f'__attribute__((target("{target}")))' if target else "")
    lines.append("void f(unsigned long n) {")
    lines += [f"{name} p{k} = in;" for k in range(variables)]
    lines.append("switch (w) { case 0: again: __asm__ volatile(\"nop; nop; nop\");")
    lines += [f"case {i + 1}: p{i % variables} = p{i % variables} + p{(i - 1) % variables};" for i in range(labels)]
    lines.append("__asm__ volatile(\"nop; nop; nop\"); if (--n > 0) goto again; }")
    lines += [f"in = p{k};" for k in range(variables)] + ["}"]
    return "\n".join(lines)


def spills(compiler, level, declaration, target, variables, work):
    file = work / "f.c"
    file.write_text(source(declaration, target, variables))
    done = run([compiler, level, "-fPIC", "-fwrapv", "-w", "-c", file, "-o", work / "f.o"])
    assert done.returncode == 0, done.stderr
    text = run(["objdump", "-d", "--no-show-raw-insn", work / "f.o"]).stdout
    loop = re.split(r"(?:.*\tnop *\n){3}", text)[1]
    return sum("(" in line or "[" in line or ("xmm" in line and re.search(r"%[re]\w\w", line) is not None)
               for line in loop.splitlines())


def first_spill_is_right(compiler, level):
    done = run([HWCHAR, "--json", f"--cc={compiler}", f"--cflags={level}", "registers", "extensions"])
    assert done.returncode == 0, done
    core = json.loads(done.stdout)["core"]
    kinds = dict(KINDS)
    widest = next((name for name in VECTORS if core["extensions"].get(name, {}).get("value")), None)
    if widest:
        kinds["vector"] = VECTORS[widest]
    for kind, (declaration, target) in kinds.items():
        found = core["registers"][kind]["value"]
        with tempfile.TemporaryDirectory() as work:
            counts = [spills(compiler, level, declaration, target, found + more, pathlib.Path(work)) for more in (0, 1)]
        assert counts[0] == 0 < counts[1], (compiler, level, kind, found, counts)
        print(compiler, level, kind, found, core["registers_by_time"][kind].get("value"))


def registers_are_those_before_the_first_spill():
    if shutil.which("objdump") is None:
        raise Skip("objdump is not installed")
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    if not compilers:
        raise Skip("neither GCC nor Clang is installed")
    for compiler in compilers:
        for level in ("-O2", "-O3"):
            first_spill_is_right(compiler, level)


main([registers_are_those_before_the_first_spill])
