"""The page that --html writes, looked at in Chromium without a screen: from 1280 to 400 pixels, light and dark, no text lies over another, is cut, faint or small, all drawings are there, and nothing complains."""
import functools
import html
import json
import math
import pathlib
import re
import tempfile

from harness import MACHINE, ROOT, main, need, options, run, write_json

HWCHAR = options().hwchar
WRITE_PAGE = pathlib.Path(HWCHAR).parent / "tests" / "write_page"
DIRECTORY = pathlib.Path(tempfile.mkdtemp())
WIDTHS = (1280, 720, 400)  # a screen, paper, a telephone
HOSTILE = "<script>alert('1')</script> & \"</style><svg onload=x>"
DARK = "@media screen and (prefers-color-scheme:dark)"


def page_of(profile, name):
    done = run([WRITE_PAGE, write_json(DIRECTORY / f"{name}.json", profile)])
    assert done.returncode == 0, done.stderr
    return done.stdout


def golden():
    return json.loads((ROOT / "tests/golden/server.json").read_text())


def series(name, unit, values, **more):
    return {"name": name, "unit": unit, **more, "points": [[4096 * 2 ** (i / 2), v] for i, v in enumerate(values)]}


def curve(name, *of, x="array size", unit="bytes", kind="int", read_off=()):
    return {"name": name, "type": kind, "x": {"name": x, "unit": unit}, "series": list(of), "read_off": list(read_off)}


def step(low, high, at):
    return [low + (high - low) / (1 + math.exp(2 * (at - i))) for i in range(30)]


def full_profile():
    """What there may be much of: curves in several units and with many series, long reasons, text from outside."""
    profile = golden()
    long_reason = "only 21 lines share a set, 24 are needed, and of those that do every other was put out by others " * 6
    for place in profile["caches"] + profile["tlbs"] + [profile["memory"]]:
        for finding in place.values():
            if isinstance(finding, dict) and finding.get("value", 0) is None:
                finding["reason"] = long_reason[:700]
    profile["host"]["cpu_model"] = HOSTILE
    profile["notes"] = [HOSTILE, "a word without an end " + "x" * 200, long_reason[:700]]
    misses = [series(f"L{level} misses", "misses", step(0, 4e6 / level, 6 * level), witness="counter",
                     how="PERF_COUNT_HW_CACHE_MISSES:u, a substitute for PAPI_L1_DCM") for level in (1, 2, 3)]
    read_off = [{"name": f"L{level} size", "unit": "bytes", "value": 32768 * 16 ** level, "at": 32768 * 16 ** level,
                 "series": f"L{level} misses"} for level in (0, 1)]
    read_off.append({"name": "L3 size", "unit": "bytes", "value": None, "reason": long_reason[:250]})
    time = series("time of a load", "cycles", step(4, 300, 15), witness="clock")
    profile["curves"] = [
        curve("papi_cacheSize", *misses, time, read_off=read_off),
        curve("capacity", time, series("its standard error", "cycles", step(.1, 30, 20)), kind="random", x="footprint"),
        curve("saavedra", *(series(f"{2 ** i} KiB", "ns", step(1, 10 + i, 12)) for i in range(14)), x="stride"),
        curve("flat", series("share", "share", [0] * 12), x="pages", unit="pages"),
        curve("negative", series("difference", "cycles", [-3, 5, -1, 2]), x="lines of a set of the level above", unit="lines"),
        curve("one point", series("bandwidth", "MB/s", [23456.7])),
        curve("fira", {"name": "expected misses", "unit": "", "points": [[1, 512], [2, 32256.25]]},
              {"name": "misses", "unit": "", "witness": "counter", "how": "L1 skx::MEM_LOAD_RETIRED:L1_MISS, L2 x " * 4,
               "points": [[1, 511], [2, 32250], [3, 1e7]]}, x="level", unit=""),
        curve("none", series("time of a load", "cycles", []))]
    return profile


def names_of_curves(page):
    return re.findall(r"<figcaption><b>(.*?)</b>", page)


def drawings_of(profile):
    """Few points over what has no unit are a table."""
    return 1 + sum(any(s["points"] for s in c["series"]) and c["x"]["unit"] != "" for c in profile["curves"])


def everything_is_in_the_page():
    """Each finding that was asked for, each reason, each curve, each note: by the profile, not by the code."""
    profile = full_profile()
    page = page_of(profile, "all")
    assert names_of_curves(page) == [c["name"] for c in profile["curves"]], names_of_curves(page)
    reasons = [f["reason"] for c in profile["caches"] for f in c.values() if isinstance(f, dict) and "reason" in f]
    assert reasons
    for text in reasons + profile["notes"] + [r["reason"] for c in profile["curves"] for r in c["read_off"]
                                              if "reason" in r]:
        assert html.escape(text, quote=True).replace("&#x27;", "&#39;") in page, text


def the_page_needs_nothing_else():
    page = page_of(full_profile(), "alone")
    assert "<script" not in page and "</style><svg" not in page
    for needle in ("http:", "https:", "src=", "url(", "@import", "<link", "javascript:"):
        assert needle not in page, needle
    assert "@media print" in page and DARK in page


def control_characters_break_nothing():
    """A machine file's text may be anything that JSON may hold."""
    profile = golden()
    profile["host"]["cpu_model"] = "\x01\x7f \u00e9\U0001f600"
    page = page_of(profile, "odd")
    assert "<h1>\ufffd\ufffd \u00e9\U0001f600</h1>" in page, re.search("<h1>.*", page)


def a_run_writes_a_page():
    machine, out = write_json(DIRECTORY / "machine.json", MACHINE), DIRECTORY / "run.html"
    done = run([HWCHAR, f"--machine={machine}", f"--html={out}", "data_cache", "capacity"])
    assert done.returncode == 0 and "L1d" in done.stdout, done
    page = out.read_text()
    assert page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")
    assert "capacity" in names_of_curves(page) and "512 KiB" in page
    assert not list(DIRECTORY.glob("run.html.*"))


@functools.cache
def lying():
    """A validation in which nearly everything differs: events that miscount, and documents that are wrong."""
    machine = {**MACHINE, "events": {"l1d_load_miss": {"factor": 1.4}, "l2_load_miss": {"factor": 0}, "l2_miss": "absent"},
               "documented": {"caches": [{"level": 1, "kind": "data", "size": 65536},
                                         {"level": 3, "kind": "unified", "size": 532676608, "associativity": 16}]}}
    file, out = write_json(DIRECTORY / "lying.json", machine), DIRECTORY / "validated.json"
    done = run([HWCHAR, "--validate", "--quick", f"--machine={file}", f"--json={out}", "data_cache", "latency", "capacity"])
    assert done.returncode == 1, done
    return json.loads(out.read_text())


def the_validation_is_in_the_page():
    profile = lying()
    page = page_of(profile, "lying")
    for difference in profile["validation"]["differences"]:
        assert html.escape(difference["why"], quote=True).replace("&#x27;", "&#39;") in page, difference
    assert "0 % of 16 lines missed, 0 % of 17" in page and "0 % of 8 lines missed, 100 % of 9" in page, page


def events_alone_have_a_page():
    machine, out = write_json(DIRECTORY / "machine.json", MACHINE), DIRECTORY / "events.html"
    done = run([HWCHAR, f"--machine={machine}", "--events", f"--html={out}"])
    assert done.returncode == 0, done
    page = out.read_text()
    assert "l1d_miss" in page and "trusted" in page and "<h2>Findings</h2>" not in page


def looked_at(pages):
    """What the browser says of each page at each width."""
    chromium = need("chromium", "chromium-browser", "google-chrome")
    wrapped = json.dumps(pages).replace("</", "<\\/")
    place = DIRECTORY / "look.html"
    place.write_text(f"<!DOCTYPE html><meta charset=\"utf-8\"><body><script>{(ROOT / 'tests/page_look.js').read_text()}"
                     f"lookAtAll({wrapped});</script>")
    done = run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
                f"--user-data-dir={DIRECTORY / 'browser'}", "--window-size=1300,2000", "--dump-dom", place.as_uri()], timeout=110)
    assert done.returncode == 0, done.stderr
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert not complaints, complaints
    return json.loads(html.unescape(re.search(r"<body>(.*)</body>", done.stdout, re.DOTALL)[1]))


def nothing_overlaps_or_is_cut():
    profiles = {"full": full_profile(), "server": golden(), "validated": lying()}
    pages = []
    for name, profile in profiles.items():
        page = page_of(profile, name)
        for width in WIDTHS:
            for dark in (False, True):
                text = page.replace(DARK, "@media all" if dark else "@media not all")
                pages.append({"name": f"{name}, {width} pixels, {'dark' if dark else 'light'}", "width": width,
                              "html": text, "drawings": drawings_of(profile)})
    seen = looked_at(pages)
    wrong = [f"{page['name']}: {fault}" for page in seen for fault in page["wrong"]]
    assert not wrong, f"{len(wrong)} faults:\n" + "\n".join(wrong[:40])
    for page in seen:
        assert page["texts"] > 100 and page["dark"] == page["name"].endswith("dark"), page


def faults_are_seen():
    """What looks at pages sees what is wrong with one that was spoiled."""
    page = page_of(golden(), "spoiled")
    body = '<body><p style="position:absolute;top:0;left:0">over</p><p style="color:#888;white-space:nowrap">' + \
        "faint and cut " * 40 + '</p><p style="font-size:7px">small</p>'
    spoiled = page.replace("<body>", body)
    (seen,) = looked_at([{"name": "spoiled", "width": 400, "html": spoiled, "drawings": drawings_of(golden()) + 1}])
    for fault in ("overlap", "is cut", "is faint", "is small", "drawings are shown"):
        assert any(fault in wrong for wrong in seen["wrong"]), (fault, seen)


main([everything_is_in_the_page, the_validation_is_in_the_page, the_page_needs_nothing_else, control_characters_break_nothing, a_run_writes_a_page,
      events_alone_have_a_page, nothing_overlaps_or_is_cut, faults_are_seen])
