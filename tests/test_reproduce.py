"""The papers' tables, cell by cell, on their machines."""
from harness import ROOT, main, options, run

HWCHAR = options().hwchar


def reproduce(paper):
    done = run([ROOT / "scripts/reproduce", paper, f"--hwchar={HWCHAR}"], timeout=800)
    assert done.returncode == 0, done.stdout + done.stderr


def amp_table_1():
    reproduce("amp")


def itanium2_figures():
    reproduce("itanium2")


main([amp_table_1, itanium2_figures])
