"""Runs that were made before. A simulated run hangs on the binary's code, the
machine file, the witness, the seed and the arguments, and on nothing else: what
one script has run, another need not run again. They lie in build/runs/, a
folder for each of the last binaries."""
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import machine_file

MOST_BINARIES = 3


def code_of(hwchar):
    """The binary without symbols and lines of the source, which a comment changes; as it is where it is none."""
    with tempfile.TemporaryDirectory() as folder:
        bare = pathlib.Path(folder) / "bare"
        try:
            subprocess.run(["objcopy", "--strip-all", "--remove-section=.note.gnu.build-id", hwchar, bare],
                           capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            bare = pathlib.Path(hwchar)
        return bare.read_bytes()


def changed_at(path):
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another script has just removed it
        return 0


class KeptRuns:
    def __init__(self, root, hwchar):
        self.hwchar = pathlib.Path(hwchar)
        self.built = changed_at(self.hwchar)
        self.folder = root / hashlib.sha256(code_of(hwchar)).hexdigest()[:16]
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.touch()
        for old in sorted(root.iterdir(), key=changed_at)[:-MOST_BINARIES]:
            shutil.rmtree(old, ignore_errors=True)

    def path_of(self, work):
        machine = hashlib.sha256(machine_file.contents(work.path)).hexdigest()[:16]
        arguments = hashlib.sha256(repr(work.arguments).encode()).hexdigest()[:8]
        return self.folder / f"{work.path.stem}.{machine}.{work.witness}.{work.seed}.{arguments}.json.gz"

    def get(self, work):
        """(profile, seconds), or None."""
        try:
            return json.loads(gzip.decompress(self.path_of(work).read_bytes()))
        except (OSError, EOFError, ValueError):
            return None

    def put(self, work, profile, seconds):
        if changed_at(self.hwchar) != self.built:
            return  # it was built anew meanwhile: whose run this was is not known
        path = self.path_of(work)
        half = path.with_suffix(f".{os.getpid()}")
        half.write_bytes(gzip.compress(json.dumps([profile, seconds]).encode(), 1))
        half.rename(path)
