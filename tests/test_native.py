"""This machine by the clock: the first level equals what sysfs documents, lower levels do or are null."""
import json

from harness import Skip, main, options, run

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


main([first_level_is_as_documented_and_lower_ones_are_not_wrong])
