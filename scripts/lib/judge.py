"""Findings held against a machine file: one verdict for each cell, in both directions.

right           the truth, or as near as a measured time can be
class           a policy: the truth is among the names that the finding says nothing tells apart
interval        no value, but bounds that hold the truth; where that is a range, bounds that meet it, or hold what is
                there without neighbours, and are no further apart than WIDEST
null:KIND       no value, for this kind of reason (KINDS)
not-asked       the structure is in the profile, and no probe asked for this cell
absent          the structure is not in the profile
unjudged        a finding of something that machine files do not have
wrong           a value that is not the truth, bounds that miss it, or a value where nothing is"""
import math
import re
import typing

from neighbours import Range, least_and_most
from truth import truths

# Kinds of reasons, for findings that do not name their kind themselves. The first pattern that matches names it.
KINDS = (
    ("undecided",  # the votes disagree
     r"the votes disagree|votes? alike|of \d+ votes within"),
    ("unavailable",  # it cannot be asked here: no counter, no clock, no contiguous memory, no time
     r"neither a counter nor a clock|(there is|has) no clock|nothing counts|^no counter |cannot be counted|no memory|"
     r"too little memory|one CPU|than the memory that may be used|more memory than|more than the simulated machine's|"
     r"physical order of pages|pages of .* in random order|--budget=|takes too long|are not looked at|is too small|"
     r"are too short|covers as much and hides it|would be in the way|stopped counting|beyond what could be|"
     r"the clock does not tell|the second cache does not hold the code"),
    ("depends",  # on another value, which is not known
     r"(is|are) not known|not known well enough|how many of the .* hold is not known|not known to hold"),
    ("nothing",  # there is nothing of the kind to be seen
     r"no larger page was to be had|a direct-mapped level has none|no further level was seen|time shows no step|"
     r"code is kept by level|backed by small ones|large pages of code did not show|no cache to be seen|"
     r"no level of its own is seen|served by this level alone|leaves the first level"),
    ("inconclusive",  # it was asked, and the evidence is too weak or contradicts itself
     r"does not show|do not show|not to be seen|but not a set of them|no policy that is known|repetitions differ|"
     r"decides too much of what it does|\bcompetes?\b|\bcompeting\b|\bconflicts?\b|\bfit\b|\bparts?\b|\bshares?\b|"
     r"speaks? for|\btakes?\b|\btook\b|\bmiss(es)?\b|\bput\b|\bputs\b|foreseen|looked at again|others |another thread|"
     r"no stride up to|no distance up to|time (rises|steps up)|levels above may hold|cannot be told|"
     r"a line is no longer than|are needed|looks? of|written back|no page fault was counted|may be one more or less|"
     r"whatever comes after|too few lines|were slow|second hits"),
)


def kind_of(finding):
    """Of a finding without a value."""
    if "kind" in finding:
        return finding["kind"]
    reason = finding.get("reason", "")
    return next((kind for kind, pattern in KINDS if re.search(pattern, reason)), "other")


def same(truth, value):
    return isinstance(value, bool) == isinstance(truth, bool) and value == truth


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def near(truth, value):
    """Times and rates are measured: within a tenth, or half a cycle."""
    least, most = least_and_most(truth)
    return is_number(value) and least - max(0.1 * least, 0.5) <= value <= most + max(0.1 * most, 0.5)


def left(truth, value):
    """What others leave, at some time, or all that is there."""
    if not isinstance(truth, Range):
        return same(truth, value)
    return is_number(value) and (truth.low <= value <= truth.high or value == truth.undisturbed)


def judge_value(agrees):
    return lambda truth, finding: "right" if agrees(truth, finding["value"]) else "wrong"


def judge_policy(truth, finding):
    if finding["value"] == truth:
        return "right"
    return "class" if truth in [*str(finding["value"]).split("|"), *finding.get("alternatives", [])] else "wrong"


# Every cell there is, in the order in which a structure's are read.
CELLS = {
    "page_size": judge_value(same), "huge_page_size": judge_value(same), "effective_page_size": judge_value(same),
    "line_size": judge_value(same), "size": judge_value(same), "entries": judge_value(same),
    "associativity": judge_value(same), "effective_size": judge_value(left), "sub_page_size": judge_value(same),
    "latency": judge_value(near), "miss_penalty": judge_value(near), "frequency": judge_value(near),
    "bandwidth": judge_value(near), "write_bandwidth": judge_value(near), "copy_bandwidth": judge_value(near),
    "replacement": judge_policy, "write_allocate": judge_value(same), "write_back": judge_value(same),
    "unified": judge_value(same), "bypassed_by_float": judge_value(same), "inclusion": judge_value(same),
    "shared_by": judge_value(same),
    "shared_by_page_sizes": judge_value(same), "prefetch_next_line": judge_value(same),
    "prefetch_line_pair": judge_value(same), "prefetch_stride": judge_value(same), "prefetch_stream": judge_value(same)}


WIDEST = 4  # times the lower bound of what is a range: else too much would meet it


def judge_range(truth, low, high):
    if not (low <= truth.high and truth.low <= high or low <= truth.undisturbed <= high):
        return "wrong"
    return "interval" if high <= WIDEST * low else "null:inconclusive"


def judge_interval(truth, finding):
    """An end that is missing is open. What is not there, or is no number, is between no bounds."""
    low, high = (finding.get(end) if finding.get(end) is not None else default
                 for end, default in (("low", -math.inf), ("high", math.inf)))
    if isinstance(truth, Range):
        return judge_range(truth, low, high)
    return "interval" if is_number(truth) and low <= truth <= high else "wrong"


def has_interval(finding):
    return finding.get("low") is not None or finding.get("high") is not None


def judge(cell, truth, finding):
    """The verdict on one finding."""
    if finding.get("value") is None:
        return judge_interval(truth, finding) if has_interval(finding) else f"null:{kind_of(finding)}"
    if cell not in CELLS:
        return "unjudged"
    return "wrong" if truth is None else CELLS[cell](truth, finding)


class Cell(typing.NamedTuple):
    structure: str
    name: str
    verdict: str
    truth: object
    finding: dict

    @property
    def path(self):
        return f"{self.structure}.{self.name}"


def is_finding(item):
    return isinstance(item, dict) and "value" in item


def findings_of(structure):
    return {key: item for key, item in structure.items() if is_finding(item)}


def add(found, name, structure):
    """A second one of a name is one too many: no truth has that name."""
    while name in found:
        name += "-again"
    found[name] = findings_of(structure)


def findings(profile):
    """{structure: {cell: finding}}, named as truths() names them."""
    found, firsts = {}, {"data": 0, "instruction": 0}
    for cache in profile["caches"]:
        add(found, f"L{cache['level']}" + "i" * (cache["kind"] == "instruction"), cache)
    for tlb in profile["tlbs"]:
        firsts[tlb["kind"]] += tlb["level"] == 1
        large = firsts[tlb["kind"]] > 1  # those of ordinary pages come first, from level 1 on
        add(found, ("DTLB" if tlb["kind"] == "data" else "ITLB") + str(tlb["level"]) + "-large" * large, tlb)
    for btb in profile["core"].get("btb", []):
        add(found, f"BTB{btb['level']}", btb)
    add(found, "memory", profile["memory"])
    add(found, "core", profile["core"])
    return found


def cells_of(structure, truth, found):
    """Of one structure; `truth` or `found` is None where the file or the profile does not have it."""
    names = dict.fromkeys([*CELLS, *(found or {})])
    for name in names:
        if name in (found or {}):
            finding = found[name]
            verdict = judge(name, (truth or {}).get(name), finding)
        elif name in (truth or {}):
            finding = {}
            verdict = "absent" if found is None else "not-asked"
        else:
            continue
        yield Cell(structure, name, verdict, (truth or {}).get(name), finding)


def cells(machine, profile):
    """The verdicts on all that the file has and all that was found."""
    truth, found = truths(machine), findings(profile)
    return [cell for structure in dict.fromkeys([*truth, *found])
            for cell in cells_of(structure, truth.get(structure), found.get(structure))]
