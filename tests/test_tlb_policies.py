"""Replacement policies of TLBs, on simulated machines that differ in nothing else: the right name where a book has one."""
import json
import pathlib
import tempfile

from harness import ROOT, main, options, run

HWCHAR = options().hwchar
BASE = json.loads((ROOT / "machines/amp-pii-233.json").read_text())


def replacement_of(policy, directory):
    """What is said of the data TLB (by the clock: AMP's machine counts no misses of it) and of the instruction TLB."""
    machine = {**BASE, "name": policy, "tlbs": [{**tlb, "replacement": policy} for tlb in BASE["tlbs"]]}
    path = pathlib.Path(directory) / f"{policy}.json"
    path.write_text(json.dumps(machine))
    done = run([HWCHAR, f"--machine={path}", "--counters", "--json", "tlb_replacement"], timeout=200)
    assert done.returncode == 0, done.stderr
    return {tlb["kind"]: tlb["replacement"] for tlb in json.loads(done.stdout)["tlbs"]}


def names(finding):
    return str(finding["value"]).split("|") + finding.get("alternatives", [])


def policies_that_books_name_are_named():
    with tempfile.TemporaryDirectory() as directory:
        for policy in ("lru", "fifo", "tree-plru", "bit-plru", "nru", "random"):
            found = replacement_of(policy, directory)
            assert policy in names(found["instruction"]), (policy, found["instruction"])
            # In the steady state of FIFO and of chance not most references miss: the clock does not show the geometry.
            assert found["data"]["value"] is None or policy in names(found["data"]), (policy, found["data"])
            if policy not in ("fifo", "random"):
                assert found["data"]["value"] is not None, (policy, found["data"])


def others_are_not_taken_for_them():
    with tempfile.TemporaryDirectory() as directory:
        for policy in ("QLRU_H11_M1_R0_U0", "QLRU_H00_M1_R2_U1", "QLRU_H21_M2_R0_U0_UMO"):
            for finding in replacement_of(policy, directory).values():
                assert finding["value"] is None and finding["reason"], (policy, finding)


main([policies_that_books_name_are_named, others_are_not_taken_for_them])
