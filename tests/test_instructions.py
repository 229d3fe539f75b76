"""The instructions of bodies of loops: what the assembler makes of the comment behind each is what the table has."""
import pathlib
import re
import shutil
import subprocess
import tempfile

from harness import ROOT, main, need, options

options()
ROW = re.compile(r"\[HWC_OP_(\w+)\]\s*=\s*\{(.*?)\}\s*,?\s*(?=\[HWC_OP_|\};)", re.S)
COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
CONSTANT = re.compile(r"(?:#define (\w+) |\b([A-Z]\w+) = )([^,;}/\n]+)")


def constants(*texts):
    """Whole numbers that are defined or enumerated, by those before them; and by how much an offset changes a word."""
    known = {}
    for text in texts:
        for defined, enumerated, value in CONSTANT.findall(text):
            try:
                known[defined or enumerated] = eval(value, {}, known)
            except (NameError, SyntaxError):
                pass
    return known | {"AWAY": lambda size, unit: size // unit * known["OFFSET"]}


def rows(architecture):
    text = (ROOT / "native" / architecture / "instructions.c").read_text()
    known = constants((ROOT / "native/instructions.h").read_text(), text)
    table = text[text.index("instructions[HWC_OPS]"):]
    table = table[:table.index("};") + 2]
    for part in re.split(r"(?=\[HWC_OP_)", table)[1:]:
        name = re.match(r"\[HWC_OP_(\w+)\]", part)[1]
        code = COMMENT.sub("", part)
        words = list(eval("[" + re.search(r"\{\{(.*?)\}", code, re.S)[1] + "]", {}, known))
        yield name, words, "; ".join(c.strip().rstrip(";") for c in COMMENT.findall(part))


def assembled(assembler, text):
    with tempfile.TemporaryDirectory() as folder:
        out, raw = pathlib.Path(folder, "a.o"), pathlib.Path(folder, "a.bin")
        subprocess.run([f"{assembler}as", "-o", out, "-"], input=text.replace(";", "\n") + "\n", text=True, check=True)
        subprocess.run([f"{assembler}objcopy", "-O", "binary", "-j", ".text", out, raw], check=True)
        return raw.read_bytes()


def words_of_riscv(words):
    """Compressed instructions have two bytes, as their lowest bits tell; the assembler fills up to four."""
    code = b"".join(w.to_bytes(4 if w & 3 == 3 else 2, "little") for w in words)
    return code + bytes(-len(code) % 4)


def check(architecture, assembler, as_bytes, before=lambda text: ""):
    need(f"{assembler}as")
    found = list(rows(architecture))
    assert len(found) > 20, found
    for name, words, text in found:
        made = assembled(assembler, before(text) + text)
        assert made == as_bytes(words), (name, text, made.hex(" "))


def those_for_x86_64_are_what_they_say():
    machine = subprocess.run(["as", "--version"], capture_output=True, text=True).stdout if shutil.which("as") else ""
    check("x86_64", "" if "x86_64" in machine else "x86_64-linux-gnu-", bytes)


def those_for_aarch64_are_what_they_say():
    check("aarch64", "aarch64-linux-gnu-", lambda words: b"".join(w.to_bytes(4, "little") for w in words))


def those_for_riscv64_are_what_they_say():
    check("riscv64", "riscv64-linux-gnu-", words_of_riscv,
          lambda text: f".option {'rvc' if text.startswith('c.') else 'norvc'};")


main([those_for_x86_64_are_what_they_say, those_for_aarch64_are_what_they_say, those_for_riscv64_are_what_they_say])
