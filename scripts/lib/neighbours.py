"""What others leave to the program on a machine that plays a recording (sim/recorded_noise.c plays it; docs/noise.md).
It differs from round to round, and nobody knows which of them a measurement met: a truth is a range."""
import functools
import json
import math
import pathlib
import statistics
import typing

MIDDLE = (0.25, 0.75)  # of the rounds: what a measurement over several of them is among
STAYS, GONE, STEADY, STEADY_SHARE = 0.5, 0.05, 0.25, 0.75  # as the player has them
FAR_LARGER = 4  # times the level: footprints are as large at most when what it holds is told
FAR = 3  # times the width of the middle half of a round's passes: an outlier
LATEST = 8  # of a round's references, those that are in no group
QUIET, USUAL = 0.05, 0.5  # so large a share of the rounds is quieter than what a machine file has, or than most are


class Range(typing.NamedTuple):
    low: float
    high: float
    undisturbed: float  # without neighbours; as good an answer, where their part was told apart

    def __str__(self):
        return f"{self.low:g} to {self.high:g}, {self.undisturbed:g} undisturbed"


@functools.cache
def read(path):
    return json.loads(pathlib.Path(path).read_text())


def recording_of(machine):
    """None where it plays none."""
    path = machine.get("noise", {}).get("recording")
    return read(path) if path else None


def middle(values):
    ordered = sorted(values)
    return [ordered[int(share * (len(ordered) - 1))] for share in MIDDLE]


def losers(recording):
    """The footprints of which lost lines were recorded: all but the first and the last."""
    return range(1, len(recording["footprints"]) - 1)


def lost(recording, footprint, one_round, wait):
    return one_round["lost"][(footprint - 1) * len(recording["waited"]) + wait]


def stays(recording, footprint):
    """Most of it was still there when it had been brought in."""
    at_once = [lost(recording, footprint, one, 0) for one in recording["rounds"]]
    return statistics.median(at_once) < STAYS * recording["probed"]


def loss(recording, footprint, one_round):
    """The share of lines that goes in a nanosecond."""
    left = [recording["probed"] - lost(recording, footprint, one_round, wait) for wait in range(3)]
    wait = 2 if left[2] >= GONE * left[0] else 1
    waited_ns = 1e3 * (recording["waited"][wait] - recording["waited"][0])
    return max(0, math.log(max(left[0], 1) / max(left[wait], 1)) / waited_ns)


def losses(recording, size):
    """Round by round, of a level of so many bytes."""
    room_for = [i for i in losers(recording)[1:] if stays(recording, i) and recording["footprints"][i]["bytes"] <= size]
    return [loss(recording, (room_for or [1])[-1], one) for one in recording["rounds"]]


def kept_of(footprint, size, line_size, rate, behind_ns):
    """A line that comes back after T is still there with the chance 1 / (1 + rate * T), and in a footprint of so many
    bytes T is what it takes to bring in all of its lines."""
    lines = footprint / line_size
    return min(size, footprint / (1 + rate * lines * behind_ns))


def kept(size, line_size, losses_per_ns, behind_ns):
    """What a level keeps, the more the larger the footprint is: the most of any that is far larger than the level, and of
    any at all."""
    low, high = middle(losses_per_ns)
    return (kept_of(FAR_LARGER * size, size, line_size, high, behind_ns),
            min(size, line_size / (low * behind_ns)) if low > 0 else size)


def lines_brought(machine, cache):
    """By a miss: what its neighbours' misses bring back comes back as much sooner."""
    kinds = machine.get("prefetch", "none")
    is_pair = any(kind in ("next-line", "line-pair") for kind in (kinds if isinstance(kinds, list) else [kinds]))
    return cache.get("sector_lines", 1) * (2 if is_pair else 1)


def left_of(machine, caches, level):
    """What others leave of the level itself; (size, size) where there are no others."""
    recording, own = recording_of(machine), caches[level - 1]
    if recording is None or level == 1:  # the first level loses lines only while the program does not run
        return own["size"], own["size"]
    behind = caches[level]["latency"] if level < len(caches) else machine["memory_latency"]
    below = [c for c in caches[level:] if c.get("inclusion") == "inclusive"]  # their lost lines take those above along
    rates = [sum(each) for each in zip(*(losses(recording, c["size"]) for c in [own, *below]))]
    return kept(own["size"], own["line_size"] * lines_brought(machine, own), rates,
                1e3 * behind / machine.get("frequency_mhz", 1000))


def is_steady(recording, footprint):
    """Its passes tell what references take: most are nearly as fast as the fastest."""
    look = recording["footprints"][footprint]
    passes = [one for of_round in look["passes"] for one in of_round]
    return sum(one <= STEADY * look["cycles"] * look["pass"] for one in passes) >= STEADY_SHARE * len(passes)


def usual_of_passes(recording, look, one_round):
    """Cycles more than at best that a reference took in this round, without outliers."""
    passes = sorted(look["passes"][one_round])
    count = len(passes)
    far = passes[count // 2] + FAR * (passes[count * 3 // 4] - passes[count // 4] + recording["clock_step"])
    return statistics.fmean(one for one in passes if one <= far) / look["pass"]


def usual_of_references(look, one_round, latest):
    groups = look["references"][one_round][:-latest]
    return statistics.fmean([one for one in groups if one <= look["lost_from"]] or [0])


def slowdown(path, latency, is_memory):
    """By how much longer references that a level of this latency serves take in a usual round than in a quiet one, as a
    share. They take what those of the footprint did that was served as fast."""
    recording = read(path)
    footprints = recording["footprints"]
    ends = (0, len(footprints) - 1)
    candidates = [i for i in range(ends[1]) if i == 0 or stays(recording, i)]
    found = ends[1] if is_memory else min(candidates, key=lambda i: abs(math.log(latency / footprints[i]["cycles"])))
    look, rounds = footprints[found], range(len(recording["rounds"]))
    if found in ends or is_steady(recording, found):
        usual = sorted(usual_of_passes(recording, look, one) for one in rounds)
    else:
        usual = sorted(usual_of_references(look, one, LATEST) for one in rounds)
    return (usual[int(USUAL * len(usual))] - usual[int(QUIET * len(usual))]) / look["cycles"]


def taken_by(machine, latency, is_memory=False):
    """What a load takes: the machine file's latency in a quiet round, more in a usual one."""
    path = machine.get("noise", {}).get("recording")
    return Range(latency, latency * (1 + slowdown(path, latency, is_memory)), latency) if path else latency


def least_and_most(times):
    """Of a time that may be a range."""
    return times[:2] if isinstance(times, Range) else (times, times)


def difference(behind, own):
    """Of two times, of which each may be a range."""
    (behind_low, behind_high), (own_low, own_high) = least_and_most(behind), least_and_most(own)
    low, high = behind_low - own_high, behind_high - own_low
    return low if low == high else Range(low, high, behind_low - own_low)
