"""Replacement policies of TLBs, on simulated machines that differ in nothing else.

The right name where a book has one."""
import json

import made_machine
from harness import ROOT, main, options

OPTIONS = options()
HWCHAR = OPTIONS.hwchar
BASE = json.loads((ROOT / "machines/amp-pii-233.json").read_text())
DATA, CODE = "DTLB1.replacement", "ITLB1.replacement"


def verdicts_on(policy):
    """On the data TLB (by the clock: AMP's machine counts no misses of it) and on the instruction TLB."""
    machine = {**BASE, "name": policy, "tlbs": [{**tlb, "replacement": policy} for tlb in BASE["tlbs"]]}
    found = made_machine.verdicts_on(HWCHAR, machine, "counters", "tlb_replacement")
    return found[DATA], found[CODE]


def policies_that_books_name_are_named():
    policies = ("tree-plru", "random", "lru", "fifo", "bit-plru", "nru")
    for policy in policies if "all" in OPTIONS.rest else policies[:3]:
        data, code = verdicts_on(policy)
        assert code in ("right", "class"), (policy, code)
        # In the steady state of FIFO and of chance not most references miss: the clock does not show the geometry.
        open_to_the_clock = policy in ("fifo", "random") and data.startswith("null:")
        assert data in ("right", "class") or open_to_the_clock, (policy, data)


def others_are_not_taken_for_them():
    policies = ("QLRU_H11_M1_R0_U0", "QLRU_H00_M1_R2_U1", "QLRU_H21_M2_R0_U0_UMO")
    for policy in policies if "all" in OPTIONS.rest else policies[:1]:
        for verdict in verdicts_on(policy):
            assert verdict.startswith("null:"), (policy, verdict)


main([policies_that_books_name_are_named, others_are_not_taken_for_them])
