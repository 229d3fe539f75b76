"""Spills in the code that hwchar has made of X-Ray's sequence (3.5), by a disassembler's word: what it says of
registers is held against them."""
import json
import pathlib
import re

from harness import run

# Notes what is compiled, and with which flags, on the way to the compiler.
WRAPPER = """#!/usr/bin/env python3
import json, os, pathlib, sys
words = {flags!r} + sys.argv[1:]
source = pathlib.Path(words[-1])
if source.suffix == ".c":
    kept = pathlib.Path({folder!r}, source.stem + ".json")
    kept.write_text(json.dumps({{"flags": words[:-4], "text": source.read_text()}}))
os.execvp({compiler!r}, [{compiler!r}, *words])
"""
ST = re.compile(r"%st\(\d\)")  # a register
# Memory; integers that are put aside in registers of another kind, on x86-64, aarch64 and riscv64.
SPILL = re.compile(r"\(|(?<![bhsdq])\[|^kmov|%[xyz]mm.*%[re]\w\w|%[re]\w\w.*%[xyz]mm|"
                   r"\bfmov\s+([xw]\d+, [ds]|[ds]\d+, [xw])|\bfmv\.([xw]\.[sdwx]|[sdwx]\.[xw])\s")


def loop_of(shown):
    """Instructions between two labels, in the order of execution."""
    code, places = {}, {}
    for line in shown.splitlines():
        label, words = re.match(r"([0-9a-f]+) <(begins|ends)>:", line), line.split("\t", 1)
        if label is not None:
            places[label[2]] = int(label[1], 16)
        elif len(words) == 2:
            code[int(words[0].strip(" :"), 16)] = words[1].strip()
    rows, loop = sorted(code), []
    at, end = rows.index(places["begins"]), rows.index(places["ends"])
    while at != end:
        jump = re.match(r"(?:jmp|b|j)\s+([0-9a-f]+)\b", code[rows[at]])
        if jump is None:
            loop.append(code[rows[at]])
        at = at + 1 if jump is None else rows.index(int(jump[1], 16))
        assert len(loop) < len(rows), shown
    return loop


class Kept:
    """A compiler, called with these flags, whose work is kept in a folder; `command` is hwchar's to call."""

    def __init__(self, compiler, folder, objdump="objdump", *flags):
        self.compiler, self.folder, self.objdump = compiler, pathlib.Path(folder), objdump
        self.folder.mkdir(exist_ok=True)
        self.command = self.folder / "compiler"
        self.command.write_text(WRAPPER.format(compiler=compiler, folder=str(folder), flags=list(flags)))
        self.command.chmod(0o755)

    def _find(self, kind, variables):
        """What was noted of the file, and the function that has the sequence on so many variables of a type: its text,
        without the other functions of that file, which shall make no difference."""
        for path in sorted(self.folder.glob("*.json")):
            kept = json.loads(path.read_text())
            head, *functions = re.split(r"(?<=which;\n)|(?<=^}\n)", kept["text"], flags=re.MULTILINE)
            for text in functions:
                if (len(re.findall(rf"^    {kind} p0_\d+ = ", text, re.MULTILINE)) == variables
                        and re.search(rf"case 1: p0_0 = (p0_0 \+|\w+\(\w+\(\), p0_0,) p0_{variables - 1}\)?;", text)):
                    return kept["flags"], head + text
        raise AssertionError(f"{variables} variables of {kind} were not compiled")

    def spills(self, kind, variables):
        """How many there are in the loop. The marks of its ends become labels that a disassembler shows."""
        flags, text = self._find(kind, variables)
        source, made = self.folder / "alone.c", self.folder / "alone.o"
        source.write_text(re.sub(r"/\* \w+ (begins|ends) \*/", r".globl \1; \1:", text))
        done = run([self.compiler, *flags, "-c", "-o", made, source])
        assert done.returncode == 0, done.stderr
        shown = run([self.objdump, "-d", "--no-show-raw-insn", made]).stdout
        loop = loop_of(shown)
        assert len(loop) >= 64, shown
        return sum(SPILL.search(ST.sub("", code)) is not None and not code.startswith(("lea", "nop"))
                   for code in loop)
