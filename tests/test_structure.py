"""How the source is laid out: who may include whom, how long files and functions are, how many numbers have names, and
that inference is pure. Each rule is also held against a copy of a part of the tree in which it is broken."""
import pathlib
import re
import shutil
import statistics
import tempfile

from harness import ROOT, main, options

options()
MOST_LINES, MOST_NUMBERS = 450, 150
MEDIAN_FUNCTION, LONG_FUNCTION = 12, 30  # lines: the median, and what nine in ten do not exceed

# The headers that each room sees, as CMakeLists.txt has it.
BASE = {"src/base"}
MODEL = BASE | {"src/model"}
INFER = MODEL | {"src/infer"}
MEASURE = INFER | {"src/measure"}
RESULT = MEASURE | {"src/result"}
PROBES = RESULT | {"probes"}
COUNTERS = MODEL | {"counters"}
SEES = {"src/base": BASE, "src/model": MODEL, "src/infer": INFER, "src/measure": MEASURE, "src/result": RESULT,
        "probes": PROBES, "sim": MODEL | {"sim"}, "counters": COUNTERS, "nano": MODEL | {"nano"}, "native": COUNTERS | {"nano", "native"},
        "src/session": PROBES | {"src/session", "counters", "nano", "native", "sim"},
        "src/cli": PROBES | {"src/session", "src/cli"}}

# What a pure function needs of the C library: no files, no clock, no system.
PURE = {"assert.h", "ctype.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdarg.h", "stdbool.h",
        "stddef.h", "stdint.h", "stdlib.h", "string.h"}
CLOCKS = {"seconds.h", "interrupt.h"}  # of src/base

NUMBER = r"(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)[uUlLfF]*"
TYPE = r"\((?:u?int\d*_t|size_t|double|unsigned)\)"
NUMERIC = re.compile(rf"^\s*#\s*define\s+(\w+)\s+(?=.*\b\d)((?:{NUMBER}|[A-Z_0-9]+|{TYPE}"
                     r"|<<|>>|[-+*/%~|&()\s])+)$")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
WITNESS = re.compile(r"\b(?:noisy|HWC_COUNTER|HWC_CLOCK)\b")


def sources(root, *folders):
    return sorted(path for folder in folders for path in (root / folder).rglob("*")
                  if path.suffix in (".c", ".h", ".def"))


def everything(root):
    return sources(root, "src", "probes", "nano", "native", "sim", "counters")


def room_of(root, path):
    name = path.relative_to(root).as_posix()
    return next((room for room in SEES if name.startswith(room + "/")), None)


def rooms_by_name(root):
    rooms = {}
    for path in everything(root):
        rooms.setdefault(path.name, set()).add(room_of(root, path))
    return rooms


def arrows_upwards(root):
    """Each file that includes a header of a room that its own does not see, or that is in no room."""
    rooms = rooms_by_name(root)
    for path in everything(root):
        name, room = path.relative_to(root), room_of(root, path)
        if room is None:
            yield f"{name} is in no room"
            continue
        for header, _ in INCLUDE.findall(path.read_text()):
            owners = rooms.get(pathlib.PurePath(header).name, set())
            if owners and not owners & SEES[room]:
                yield f"{name} includes {header} of {', '.join(sorted(str(owner) for owner in owners))}"


def two_of_a_name(root):
    """Each header that a file includes, and of which it sees two, in different rooms: which one depends on the order."""
    rooms = rooms_by_name(root)
    for path in everything(root):
        for header, _ in INCLUDE.findall(path.read_text()):
            seen = rooms.get(pathlib.PurePath(header).name, set()) & SEES.get(room_of(root, path), set())
            if len(seen) > 1:
                yield f"{path.relative_to(root)} includes {header}, which is in {' and '.join(sorted(seen))}"


def long_files(root):
    for path in everything(root):
        lines = len(path.read_text().splitlines())
        if lines > MOST_LINES:
            yield f"{path.relative_to(root)} has {lines} lines"


def functions(path):
    """Lines of each function, its head included: a body begins and ends with a brace in the first column."""
    lines = path.read_text().splitlines()
    head = 0
    for number, line in enumerate(lines):
        if line == "{":
            begins = head
        elif line == "}":
            yield number - begins + 1
        if not line or line[0] in "#}/* " and not line.startswith("    ") or line.endswith(("*/", ";")):
            head = number + 1


def long_functions(root):
    lengths = sorted(length for path in everything(root) for length in functions(path))
    median, nine_in_ten = statistics.median(lengths), lengths[len(lengths) * 9 // 10]
    print(f"{len(lengths)} functions: median {median:g} lines, 90% at most {nine_in_ten}, the longest {lengths[-1]}")
    if median > MEDIAN_FUNCTION:
        yield f"the median function has {median:g} lines"
    if nine_in_ten > LONG_FUNCTION:
        yield f"one function in ten has over {nine_in_ten - 1} lines"


def numbers(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL).replace("\\\n", "")
    text = re.sub(r"\bU?INT\d+_C\((\w+)\)", r"\1", text)
    return [match[1] for match in map(NUMERIC.match, text.splitlines()) if match]


def many_numbers(root):
    found = {path.relative_to(root): numbers(path) for path in everything(root)}
    total = sum(map(len, found.values()))
    print(f"{total} numbers have names")
    if total > MOST_NUMBERS:
        most = sorted(found, key=lambda path: -len(found[path]))[:8]
        yield f"{total} numeric macros; most in " + ", ".join(f"{path} ({len(found[path])})" for path in most)


def witnesses_named(root):
    """A probe never knows who answers, and inference has not even one to ask."""
    for path in sources(root, "probes", "src/infer"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if WITNESS.search(line):
                yield f"{path.relative_to(root)}:{number}: {line.strip()}"


def impure(root):
    ours = {path.name for path in sources(root, *INFER)} - CLOCKS
    for path in sources(root, "src/infer"):
        for header, system in INCLUDE.findall(path.read_text()):
            if header and pathlib.PurePath(header).name not in ours or system and system not in PURE:
                yield f"{path.relative_to(root)} includes {header or system}"


RULES = (arrows_upwards, two_of_a_name, long_files, long_functions, many_numbers, witnesses_named, impure)


def holds(rule):
    def test():
        broken = list(rule(ROOT))
        assert not broken, "\n" + "\n".join(broken)
    test.__name__ = f"no_{rule.__name__}" if rule is not impure else "inference_is_pure"
    return test


def insert(line):
    return lambda text: text.replace("#include", line + "\n#include", 1)


def append(more):
    return lambda text: text + more


def each_rule_can_be_broken():
    """One file at a time of a part of the tree is spoiled; what the rule says more than before must name it."""
    long_ones = "\nvoid f(void)\n{\n" + "    ;\n" * LONG_FUNCTION + "}\n"
    faults = (
        (arrows_upwards, "src/base/random.c", insert('#include "walk.h"')),
        (arrows_upwards, "src/model/walk.c", insert('#include "vote.h"')),
        (arrows_upwards, "src/infer/fit.c", insert('#  include "lab.h"')),
        (arrows_upwards, "src/measure/lab.c", insert('#include "finding.h"')),
        (arrows_upwards, "sim/cache.c", insert('#include "backend.h"')),
        (long_files, "src/base/random.c", append("\n" * MOST_LINES)),
        (long_functions, "src/base/random.c", append(long_ones * 2000)),
        (many_numbers, "src/base/random.h", append("#define A (1u << 4)\n" * (MOST_NUMBERS + 1))),
        (witnesses_named, "src/infer/fit.c", append("/* noisy */\n")),
        (impure, "src/infer/fit.c", insert("#include <stdio.h>")),
        (impure, "src/infer/fit.c", insert('#include "seconds.h"')),
        (impure, "src/infer/fit.c", insert('#include "sampler.h"')),
    )
    for rule, name, spoil in faults:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            for part in ("src/base", "src/model", "src/infer", "src/measure", "src/result", "sim", "counters"):
                shutil.copytree(ROOT / part, copy / part)
            before, place = set(rule(copy)), copy / name
            text = place.read_text()
            place.write_text(spoil(text))
            assert place.read_text() != text, name
            said = set(rule(copy)) - before
            named = rule is long_functions or all(name in complaint for complaint in said)
            assert said and named, (rule.__name__, name, said)


def a_header_of_the_same_name_is_found():
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for part in ("src/infer", "src/measure"):
            shutil.copytree(ROOT / part, copy / part)
        (copy / "src/infer/lab.h").write_text("/* another */\n")
        said = list(two_of_a_name(copy))
        assert any("src/measure/lab.c includes lab.h" in complaint for complaint in said), said


def numbers_are_recognised():
    """Names of numbers, and what is none: words, calls, functions, other names."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.h"
        path.write_text("#define A 1\n#define B (UINT64_C(2) << 20) /* why */\n#define C 1e9\n#define D 0x1fu\n"
                        "#define E ((size_t)A * 3)\n#  define F -1.5\n#define G 3 \\\n    + 4\n"
                        '#define H A\n#define I "1"\n#define J(x) 1\n#define K\n#define L f(1)\n#define M {1, 2}\n')
        assert numbers(path) == list("ABCDEFG"), numbers(path)


main([*map(holds, RULES), each_rule_can_be_broken, a_header_of_the_same_name_is_found,
      numbers_are_recognised])
