"""Other tools that measure memory hierarchies: how each is called, and what it says.

What a tool says is {parameter: value}, sizes in bytes, times in nanoseconds. Parameters are "L1 size", "L1 line",
"L1 latency", ... by level, "DTLB1 entries", ... and "memory latency"."""
import collections
import json
import re
import subprocess
import time

Said = collections.namedtuple("Said", "values seconds")
UNITS = {"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
LONGEST_SECONDS = 120


def timed(command, longest=LONGEST_SECONDS):
    """(what it printed, seconds); tools print on either stream. One that does not end is stopped: lmbench's cache may
    wait for ever for readings that agree."""
    begin = time.monotonic()
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=longest)
        text = done.stdout + done.stderr
    except subprocess.TimeoutExpired as stopped:
        text = "".join((part or b"").decode(errors="replace") for part in (stopped.stdout, stopped.stderr))
    return text, time.monotonic() - begin


def read_lmbench_cache(text):
    """L1 cache: 32768 bytes 1.05 nanoseconds 64 linesize 4.12 parallelism"""
    values = {}
    for level, size, latency, line in re.findall(
            r"^L(\d+) cache: (\d+) bytes ([\d.]+) nanoseconds (-?\d+) linesize", text, re.MULTILINE):
        values |= {f"L{level} size": int(size), f"L{level} latency": float(latency)}
        if int(line) > 0:
            values[f"L{level} line"] = int(line)
    memory = re.search(r"^Memory latency: ([\d.]+) nanoseconds", text, re.MULTILINE)
    return values | ({"memory latency": float(memory[1])} if memory else {})


def read_lmbench_line(text):
    found = re.search(r"^(?:cache line size: )?(\d+)(?: bytes)?\s*$", text, re.MULTILINE)
    return {"L1 line": int(found[1])} if found else {}


def read_lmbench_tlb(text):
    """tlb: 72 pages"""
    found = re.search(r"^tlb: (\d+) pages", text, re.MULTILINE)
    return {"DTLB1 entries": int(found[1])} if found else {}


def read_calibrator(text):
    """Its tables of caches and TLBs; what a miss takes is more than a hit of the next level, so latencies are left out."""
    values = {}
    caches, _, tlbs = text.partition("TLBs:")
    for level, size, unit, line in re.findall(r"^\s*(\d+)\s+(\d+) ([KMG]B)\s+(\d+) bytes", caches, re.MULTILINE):
        values |= {f"L{level} size": int(size) * UNITS[unit], f"L{level} line": int(line)}
    for level, entries in re.findall(r"^\s*(\d+)\s+(\d+)\s+\d+ [KMG]B", tlbs, re.MULTILINE):
        values[f"DTLB{level} entries"] = int(entries)
    return values


def lmbench(directory, _):
    """Its three programs, each by itself: {name: Said}"""
    readers = {"cache": read_lmbench_cache, "line": read_lmbench_line, "tlb": read_lmbench_tlb}
    said = {}
    for program, reader in readers.items():
        if (directory / program).exists():
            text, seconds = timed([directory / program])
            said[f"lmbench {program}"] = Said(reader(text), seconds)
    return said


def calibrator(binary, megahertz):
    """It needs the frequency, the memory to use, and a name for its files."""
    text, seconds = timed([binary, round(megahertz), "64M", "/tmp/calibrator"])
    return {"calibrator": Said(read_calibrator(text), seconds)}


PEERS = {"lmbench": lmbench, "calibrator": calibrator}
# What finds what other tools look for.
PROBES = ("data_cache", "capacity", "latency", "tlb", "tlb_capacity")


def found(finding):
    """The value of a finding, or its bounds, or None."""
    if finding.get("value") is not None:
        return finding["value"]
    return (finding["low"], finding["high"]) if "low" in finding else None


def read_profile(profile):
    """({parameter: Said}, {parameter: documented}) of a profile of ours: of each, what was said and the seconds that its
    own measurement took."""
    said, documented = {}, {}

    def take(name, finding, value):
        if value is not None:
            said[name] = Said({name: value}, finding.get("seconds", 0))
        if "documented" in finding:
            documented[name] = finding["documented"]

    for cache in profile["caches"]:
        if cache["kind"] != "data":
            continue
        level = f"L{cache['level']}"
        size, effective = cache.get("size", {}), cache.get("effective_size", {})
        take(f"{level} size", effective, found(effective))
        take(f"{level} size", size, found(size))
        take(f"{level} line", cache.get("line_size", {}), found(cache.get("line_size", {})))
        take(f"{level} latency", cache.get("latency", {}), cache.get("latency", {}).get("nanoseconds"))
    for tlb in profile["tlbs"]:
        if tlb["kind"] == "data" and not tlb.get("large_pages"):
            take(f"DTLB{tlb['level']} entries", tlb.get("entries", {}), found(tlb.get("entries", {})))
    latency = profile["memory"].get("latency", {})
    take("memory latency", latency, latency.get("nanoseconds"))
    return said, documented


def ours(hwchar):
    """({parameter: Said}, {parameter: documented}, megahertz)"""
    text, seconds = timed([hwchar, "--json", *PROBES])
    profile = json.loads(text[text.index("{"):text.rindex("}") + 1])
    said, documented = read_profile(profile)
    print(f"hwchar: {len(said) or 'no'} values in {seconds:.1f} s")
    clock = re.search(r"core at (\d+) MHz", " ".join(profile["notes"]))
    return said, documented, float(clock[1]) if clock else 0


def verdict(value, documented):
    """"right", "interval" (bounds that hold it), "less" (bounds of less: a part of the level is others'), "wrong", or ""
    where nothing is documented."""
    if value is None or documented is None:
        return ""
    if isinstance(value, tuple):
        return "less" if value[1] < documented else "interval" if value[0] <= documented else "wrong"
    return "right" if value == documented else "wrong"


def shown(name, value):
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return " to ".join(shown(name, end) for end in value)
    if name.endswith("size"):
        return f"{value / (1 << 20):.4g} MiB" if value >= 1 << 20 else f"{value / 1024:.4g} KiB"
    return f"{value:.4g} ns" if name.endswith("latency") else f"{value:g}"


def cell(name, value, seconds, documented):
    mark = {"wrong": " (wrong)", "interval": " (holds)", "less": " (less)"}.get(verdict(value, documented), "")
    return "-" if value is None else f"{shown(name, value)}{mark}, {seconds:.1f} s"


def first_to_say(said, name):
    """(value, seconds) of the first program that says it."""
    return next(((one.values[name], one.seconds) for one in said.values() if name in one.values), (None, 0))


def rows(own, peers, documented):
    """A row for each parameter: its name, what is documented, and what each tool says, in which time."""
    names = {name: None for said in (own, *peers.values()) for one in said.values() for name in one.values}
    for name in sorted(names, key=lambda name: (not name.startswith("L"), name)):
        figures = [first_to_say(said, name) for said in (own, *peers.values())]
        yield name, documented.get(name), figures


def complaints(table):
    """Where ours is wrong, or a peer is right and ours says nothing, or takes longer for it."""
    for name, figure, ((value, seconds), *others) in table:
        if verdict(value, figure) == "wrong":
            yield f"{name}: hwchar says {shown(name, value)}, documented is {shown(name, figure)}"
        right = [theirs for said, theirs in others if verdict(said, figure) == "right"]
        if right and value is None:
            yield f"{name}: a peer finds it, hwchar does not"
        if right and value is not None and seconds > min(right):
            yield f"{name}: hwchar takes {seconds:.1f} s, a peer {min(right):.1f} s"


def print_table(table, peers):
    lines = [["", "documented", "hwchar", *peers]]
    for name, figure, figures in table:
        lines.append([name, shown(name, figure), *(cell(name, *said, figure) for said in figures)])
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
