"""What a machine file says, cell by cell: the truth that findings are held against.

A structure ("L1", "L1i", "DTLB1", "DTLB1-large", "BTB1", "memory", "core") has cells ("size", "latency"). A cell whose
truth is None has nothing there to be found: a value for it is invented. On a machine that plays a recording of noise,
what others leave of a level is a range, and so are times (neighbours.py). So is what a page-table walk takes, where it
asks caches."""
import neighbours


def data_caches(machine):
    """What holds data, level by level."""
    return sorted((c for c in machine["caches"] if c["kind"] != "instruction"), key=lambda c: c["level"])


def undisturbed_size(caches, level):
    """An exclusive level keeps lines beside those of the level above."""
    own = caches[level - 1]
    above = undisturbed_size(caches, level - 1) if own.get("inclusion") == "exclusive" and level > 1 else 0
    return own["size"] + above


def effective_size(machine, caches, level):
    """A range where neighbours take a part."""
    own, whole = caches[level - 1]["size"], undisturbed_size(caches, level)
    least, most = neighbours.left_of(machine, caches, level)
    return whole if least == own else neighbours.Range(whole - own + least, whole - own + most, whole)


def write_allocation(caches, level):
    """A level that is filled by another's victims has what was stored where the other has it."""
    own = caches[level - 1]
    if own.get("inclusion") == "exclusive" and level > 1:
        return write_allocation(caches, level - 1)
    return own.get("write_allocate", True)


def policy(entry):
    """Where a set has one way there is nothing to choose from."""
    if entry["associativity"] == 1:
        return None
    named = entry.get("replacement", "lru")
    return named if isinstance(named, str) else "adaptive"


def copy_bandwidth(read, write):
    """Half of a copy's bytes are read, half are written."""
    return 2 / (1 / read + 1 / write)


def bandwidths(machine, caches, level):
    """In MB/s; `level` is one more than there are where memory serves. Stores go on to a level that keeps what is
    stored. Where not all bandwidths are given, none is there to be found."""
    given = [cache.get("bandwidth") for cache in caches] + [machine.get("memory_bandwidth")]
    if None in given:
        return {"bandwidth": None, "write_bandwidth": None, "copy_bandwidth": None}
    megahertz = machine.get("frequency_mhz", 1000)
    keeping = (i for i, cache in enumerate(caches) if i >= level - 1 and cache.get("write_back", True))
    through = next(keeping, len(caches))
    read, write = given[level - 1] * megahertz, given[through] * megahertz
    return {"bandwidth": read, "write_bandwidth": write, "copy_bandwidth": copy_bandwidth(read, write)}


def shared_by(machine, cache):
    """Nothing is to be seen of it where there is no other CPU."""
    return cache.get("shared_by", 1) if machine.get("cpus", 1) > 1 else None


def data_cache(machine, caches, level):
    cache = caches[level - 1]
    own = neighbours.taken_by(machine, cache["latency"])
    behind = (neighbours.taken_by(machine, caches[level]["latency"]) if level < len(caches)
              else neighbours.taken_by(machine, machine["memory_latency"], is_memory=True))
    return {
        "line_size": cache["line_size"], "size": cache["size"], "associativity": cache["associativity"],
        "effective_size": effective_size(machine, caches, level), "latency": own,
        "miss_penalty": neighbours.difference(behind, own), **bandwidths(machine, caches, level),
        "replacement": policy(cache), "write_allocate": write_allocation(caches, level),
        "write_back": cache.get("write_back", True),
        "unified": cache["kind"] == "unified", "bypassed_by_float": "float" in cache.get("bypass", []),
        "inclusion": cache.get("inclusion", "nine") if level > 1 else None,
        "shared_by": shared_by(machine, cache)}


def instruction_cache(cache):
    return {**{key: cache[key] for key in ("line_size", "size", "associativity", "latency")},
            "replacement": policy(cache)}


def caches_of(machine):
    data = data_caches(machine)
    found = {f"L{level}": data_cache(machine, data, level) for level in range(1, len(data) + 1)}
    code = {c["level"]: c for c in machine["caches"] if c["kind"] == "instruction"}
    if 1 not in code and data[0]["kind"] == "unified":
        code[1] = data[0]
    return found | {f"L{level}i": instruction_cache(code[level]) for level in sorted(code)}


def ordinary_page(machine):
    return machine.get("page_size", 4096)


def large_page(machine):
    """What a large arena is made of: the largest; None where there is none."""
    return max(machine.get("superpages", []), default=None)


def tlb_of(machine, level, kind, page):
    """The TLB that references of this kind to pages of this size ask at the level, as sim/tlb.c chooses it."""
    other = "instruction" if kind == "data" else "data"
    best, fit = None, 0
    for index, tlb in enumerate(machine.get("tlbs", [])):
        covers = tlb.get("page_size", 0)
        several = page == ordinary_page(machine) and covers not in machine.get("superpages", [])
        suits = 3 if covers == page else 2 if covers == 0 else int(several)
        if tlb["level"] == level and tlb["kind"] != other and suits > fit:
            best, fit = {**tlb, "page_size": covers or page, "index": index}, suits
    return best


def shared_by_page_sizes(machine, tlb, kind):
    """A question only where there are pages of two sizes."""
    if large_page(machine) is None:
        return None
    of_large = tlb_of(machine, tlb["level"], kind, large_page(machine))
    return of_large is not None and of_large["index"] == tlb["index"]


def page_walk(machine, page, penalty):
    """What a walk takes: the last TLB's penalty, or more where much of the tables is in use."""
    more = sum(asked["cycles"] for asked in machine.get("page_walk", []) if asked["covers"] >= page)
    return neighbours.Range(penalty, penalty + more, penalty) if more else penalty


def tlb_cells(machine, tlb, kind, ordinary):
    page = ordinary_page(machine) if ordinary else large_page(machine)
    is_last = all(tlb_of(machine, other["level"], kind, page) is None
                  for other in machine["tlbs"] if other["level"] > tlb["level"])
    penalty = tlb["miss_penalty"]
    cells = {**{key: tlb[key] for key in ("page_size", "entries", "associativity")},
             "miss_penalty": page_walk(machine, page, penalty) if is_last else penalty, "replacement": policy(tlb)}
    if ordinary:
        cells["shared_by_page_sizes"] = shared_by_page_sizes(machine, tlb, kind)
    if ordinary and kind == "data":  # of one for both, the data side says so
        cells["unified"] = tlb["kind"] == "unified"
        if tlb["page_size"] > ordinary_page(machine):  # else there is nothing to part
            cells["sub_page_size"] = tlb["page_size"] // tlb.get("sub_pages", 1)
    return cells


def tlbs_of(machine):
    levels = sorted({tlb["level"] for tlb in machine.get("tlbs", [])})
    found = {}
    for kind, name in (("data", "DTLB"), ("instruction", "ITLB")):
        for page, suffix in ((ordinary_page(machine), ""), (large_page(machine), "-large")):
            for level in levels if page is not None else []:
                tlb = tlb_of(machine, level, kind, page)
                if tlb is not None:
                    found[f"{name}{level}{suffix}"] = tlb_cells(machine, tlb, kind, suffix == "")
    return found


def btbs_of(machine):
    return {f"BTB{btb['level']}": {key: btb[key] for key in ("entries", "associativity", "miss_penalty")}
            for btb in machine.get("btb", [])}


def memory_of(machine):
    large = large_page(machine)
    translates = tlb_of(machine, 1, "data", large) if large is not None else None
    return {"page_size": ordinary_page(machine), "huge_page_size": large,
            "effective_page_size": translates["page_size"] if translates is not None else None,
            "latency": neighbours.taken_by(machine, machine["memory_latency"], is_memory=True),
            **bandwidths(machine, data_caches(machine), len(data_caches(machine)) + 1)}


def prefetched_into(machine, caches, kind):
    """The level that such a prefetcher brings lines into; they are for the first level or the second. An exclusive level
    takes none. A level whose misses fill pairs of lines has such a prefetcher in effect."""
    kinds = machine.get("prefetch", "none")
    of_first = kind in ("next-line", "stride") or len(caches) == 1
    levels = {c["level"] for c in caches if kind == "line-pair" and c.get("sector_lines", 1) > 1}
    if kind in (kinds if isinstance(kinds, list) else [kinds]):
        levels.add(1 if of_first else 2)
    levels = [level for level in levels if level == 1 or caches[level - 1].get("inclusion") != "exclusive"]
    return f"L{min(levels)}" if levels else "none"


def core_of(machine):
    caches = data_caches(machine)
    return {"frequency": machine.get("frequency_mhz", 1000),
            **{"prefetch_" + kind.replace("-", "_"): prefetched_into(machine, caches, kind)
               for kind in ("next-line", "line-pair", "stride", "stream")}}


def truths(machine):
    """{structure: {cell: truth}}, in the order of a person's reading."""
    return {**caches_of(machine), **tlbs_of(machine), **btbs_of(machine), "memory": memory_of(machine),
            "core": core_of(machine)}
