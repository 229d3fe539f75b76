"""This machine by the clock: the first level equals what sysfs documents, lower levels do or are null; the core is what
is publicly known of its model, or unknown."""
import json
import pathlib
import sys

from harness import ROOT, Skip, finding_at, main, options, run

sys.path.insert(0, str(ROOT / "scripts/lib"))
import documented_cpus  # noqa: E402

HWCHAR = options().hwchar


def first_level_is_as_documented_and_lower_ones_are_not_wrong():
    done = run([HWCHAR, "--json"], timeout=120)
    assert done.returncode == 0, done
    profile = json.loads(done.stdout)
    first = profile["caches"][0]
    if "documented" not in first["size"]:
        raise Skip("this machine documents no caches")
    for key in ("line_size", "size", "associativity"):
        assert first[key]["value"] == first[key]["documented"], (key, first[key])
    for key in ("line_size", "size"):
        finding = profile["caches"][1][key]
        assert finding["value"] in (None, finding["documented"]), (key, finding)


# AMD's optimization guides for families 1Ah and 19h. Pairs are bounds. A vector load's bounds hold the figure; a
# micro-op cache has more entries than its lines hold of one kind.
KNOWN = {
    "Zen 5": {"fetch_width": 8, "rename_width": 8, "full_rate_code": (4096, 6144), "move_elimination.int": True,
              "move_elimination.vector": True, "load_to_use.int": 4, "load_to_use.vector": 7,
              "store_forwarding.int": (7, 8), "memory_renaming": True},
    "Zen 4": {"rename_width": 6, "full_rate_code": (4096, 6912), "move_elimination.int": True,
              "move_elimination.vector": True, "load_to_use.int": 4, "load_to_use.vector": 7, "memory_renaming": True}}


def known_of_this_core():
    documented = documented_cpus.of(documented_cpus.this_cpu(pathlib.Path("/proc/cpuinfo").read_text()))
    if documented is None or documented.name not in KNOWN:
        raise Skip("nothing is known here of this model")
    return KNOWN[documented.name]


def is_true_of(finding, fact):
    """By 3 %. Nothing is said by what is unknown."""
    if finding["value"] is None and "low" not in finding:
        return True
    low, high = (finding["low"], finding["high"]) if finding["value"] is None else [finding["value"]] * 2
    least, most = fact if isinstance(fact, tuple) else (fact, fact)
    return low <= most * 1.03 and high >= least * 0.97


def the_core_is_as_known_or_unknown():
    facts = known_of_this_core()
    done = run([HWCHAR, "--json", "front_end", "full_rate", "load_latency", "gather"], timeout=60)
    assert done.returncode == 0, done
    for key, fact in facts.items():
        finding = finding_at(json.loads(done.stdout)["core"], key)
        assert is_true_of(finding, fact), (key, fact, finding)


main([first_level_is_as_documented_and_lower_ones_are_not_wrong, the_core_is_as_known_or_unknown])
