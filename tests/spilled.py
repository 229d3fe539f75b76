"""Spills in the code that hwchar has made of X-Ray's sequence (3.5), by a disassembler's word: what it says of
registers is held against them."""
import json
import pathlib
import re

from harness import run

# Notes what is compiled, and with which flags, on the way to the compiler.
WRAPPER = """#!/usr/bin/env python3
import json, os, pathlib, sys
words = sys.argv[1:]
source = pathlib.Path(words[-1])
if source.suffix == ".c":
    kept = pathlib.Path({folder!r}, source.stem + ".json")
    kept.write_text(json.dumps({{"flags": words[:-4], "text": source.read_text()}}))
os.execvp({compiler!r}, [{compiler!r}, *words])
"""
NOPS = {"begins": "nop; nop; nop", "ends": "nop; nop; nop; nop"}
ST = re.compile(r"%st\(\d\)")  # a register
# Memory; integers that are put aside in registers of another kind, on x86-64, aarch64 and riscv64.
SPILL = re.compile(r"[(\[]|^kmov|%[xyz]mm.*%[re]\w\w|%[re]\w\w.*%[xyz]mm|"
                   r"\bfmov\s+([xw]\d+, [ds]|[ds]\d+, [xw])|\bfmv\.([xw]\.[sdwx]|[sdwx]\.[xw])\s")


def loop_of(shown):
    """Instructions from three nops to four, in the order of execution."""
    rows = [line.split("\t", 1) for line in shown.splitlines() if "\t" in line]
    code = {int(place.strip(" :"), 16): words.strip() for place, words in rows}
    places = sorted(code)
    nops = "".join("n" if code[place] == "nop" else "." for place in places)
    at, end = re.search(r"(?<!n)nnn(?!n)", nops).end(), re.search(r"(?<!n)nnnn(?!n)", nops).start()
    loop = []
    while at != end:
        jump = re.match(r"(?:jmp|b|j)\s+([0-9a-f]+)\b", code[places[at]])
        if jump is None:
            loop.append(code[places[at]])
        at = at + 1 if jump is None else places.index(int(jump[1], 16))
        assert len(loop) < len(places), shown
    return loop


class Kept:
    """A compiler whose work is kept in a folder; `command` is hwchar's to call."""

    def __init__(self, compiler, folder, objdump="objdump"):
        self.compiler, self.folder, self.objdump = compiler, pathlib.Path(folder), objdump
        self.command = self.folder / "compiler"
        self.command.write_text(WRAPPER.format(compiler=compiler, folder=str(folder)))
        self.command.chmod(0o755)

    def _find(self, kind, variables):
        """What was noted of the file, and the function that has the sequence on so many variables of a type: its text,
        without the other functions of that file, which shall make no difference, and its name."""
        for path in sorted(self.folder.glob("*.json")):
            kept = json.loads(path.read_text())
            head, *functions = re.split(r"(?<=which;\n)|(?<=^}\n)", kept["text"], flags=re.MULTILINE)
            for text in functions:
                if (len(re.findall(rf"^    {kind} p0_\d+ = ", text, re.MULTILINE)) == variables
                        and f"case 1: p0_0 = p0_0 + p0_{variables - 1};" in text):
                    return kept["flags"], head + text, re.search(r"^void (\w+)", text, re.MULTILINE)[1]
        raise AssertionError(f"{variables} variables of {kind} were not compiled")

    def spills(self, kind, variables):
        """How many there are in the loop. The marks of its ends become instructions that a disassembler shows."""
        flags, text, symbol = self._find(kind, variables)
        source, made = self.folder / "alone.c", self.folder / "alone.o"
        for mark, nops in NOPS.items():
            text = re.sub(rf'/\* \w+ {mark} \*/', nops, text)
        source.write_text(text)
        done = run([self.compiler, *flags, "-c", "-o", made, source])
        assert done.returncode == 0, done.stderr
        shown = run([self.objdump, "-d", "--no-show-raw-insn", f"--disassemble={symbol}", made]).stdout
        loop = loop_of(shown)
        assert len(loop) >= 64, shown
        return sum(SPILL.search(ST.sub("", code)) is not None and not code.startswith("lea") for code in loop)
