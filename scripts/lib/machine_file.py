"""Machine files: a file may name another as its "base", and then has all that the other has, but for the keys that it
gives itself (sim/description.c reads them alike). What it names is relative to itself; a base names no other files."""
import json


def named_by(path):
    """The files that the machine file names: its base and a recording of noise."""
    own = json.loads(path.read_text())
    names = [own.get("base"), own.get("noise", {}).get("recording")]
    return [path.parent / name for name in names if name]


def read(path):
    """The machine as it is simulated. The recording of its noise is named from here, not from its file."""
    own = json.loads(path.read_text())
    if "recording" in own.get("noise", {}):
        own["noise"]["recording"] = str(path.parent / own["noise"]["recording"])
    if "base" not in own:
        return own
    base = json.loads((path.parent / own.pop("base")).read_text())
    return base | own


def contents(path):
    """All that the simulated machine hangs on."""
    return b"".join(one.read_bytes() for one in [path, *named_by(path)])
