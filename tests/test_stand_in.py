"""perf_event's interface as real kernels and PMUs have it, by the stand-in for it: what hwchar makes of each of them."""
import os
import pathlib
import tempfile

from harness import Skip, main, options
from stand_in import StandIn

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
LIBRARY = OPTIONS.rest[0]
TEMPORARY = tempfile.TemporaryDirectory()
DIRECTORY = pathlib.Path(TEMPORARY.name)
PAGE = os.sysconf("SC_PAGESIZE")
machines = 0


def machine(*lines, files=None):
    global machines
    machines += 1
    return StandIn(DIRECTORY / str(machines), LIBRARY, lines, files)


def page_size(stand_in, native, *arguments, **more):
    """Pages are counted by a native counter that counts page faults there: the one event that needs no PMU."""
    profile = stand_in.profile([HWCHAR, "--counters=perf", "--event", f"page_fault={native}", *arguments, "page_size"], **more)
    return profile["memory"]["page_size"]


def is_counted(stand_in, native, *arguments, **more):
    finding = page_size(stand_in, native, *arguments, **more)
    assert finding["value"] == PAGE and finding["counter"] == native, finding


def a_raw_event_counts():
    stand_in = machine("pmu cpu 4 0-1023 4", "event cpu 8d1 faults")
    is_counted(stand_in, "r08d1")
    done = stand_in.done()
    assert done["read"] > 100 and done["read_by_pmc"] == 0, done


def an_event_is_read_without_the_kernel_where_that_is_allowed():
    if os.uname().machine != "x86_64":
        raise Skip("the stand-in answers to x86-64's instruction")
    stand_in = machine("pmu cpu 4 0-1023 4 rdpmc", "event cpu 8d1 faults")
    is_counted(stand_in, "r08d1")
    done = stand_in.done()
    assert done["read_by_pmc"] > 100 > done["read"], done


main([a_raw_event_counts, an_event_is_read_without_the_kernel_where_that_is_allowed])
