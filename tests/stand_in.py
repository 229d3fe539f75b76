"""A machine whose kernel interface for counting is the stand-in's (stand_in/stand_in.h)."""
import itertools
import json
import os
import pathlib
import tempfile

from harness import callgrind, run

# Files of a machine that has PMUs, of which none is a core's.
NO_CORE = {f"sys/bus/event_source/devices/{name}/type": number for name, number in
           (("breakpoint", "5"), ("msr", "9"), ("software", "1"))}


class StandIn:
    """Lines of the file `machine`, and files below /sys and /proc; what hwchar says there."""

    def __init__(self, directory, library, lines, files=None):
        self.directory, self.library = directory, library
        directory.mkdir(parents=True)
        (directory / "machine").write_text("".join(line + "\n" for line in lines))
        for line in lines:
            words = line.split()
            if words[0] == "paranoid":
                self.put("proc/sys/kernel/perf_event_paranoid", words[1])
            if words[0] == "pmu":
                self.put(f"sys/bus/event_source/devices/{words[1]}/type", words[2])
                if words[1] != "cpu":  # one kind of core: its PMU has no such file
                    name = "cpumask" if "uncore" in words else "cpus"
                    self.put(f"sys/bus/event_source/devices/{words[1]}/{name}", words[3])
        self.put("proc/cpuinfo", "processor : 0")
        for path, text in (files or {}).items():
            self.put(path, text)

    def put(self, path, text):
        path = self.directory / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")

    def environment(self, **more):
        """The CPU is of no family that has tables, unless the test names one."""
        return {**os.environ, "STAND_IN": str(self.directory), "LD_PRELOAD": str(self.library),
                "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0", "LIBPFM_FORCE_PMU": "none", **more}

    def run(self, command, before=(), **more):
        return run([*before, *command], env=self.environment(**more), timeout=900)

    def profile(self, command, before=(), **more):
        done = self.run([*command, "--json"], before, **more)
        assert done.returncode == 0, done
        return json.loads(done.stdout)

    def under_callgrind(self, first, last):
        """Before a command: the stand-in's events count what callgrind's model does (harness.callgrind)."""
        return callgrind(first, last, f"--callgrind-out-file={self.directory}/callgrind")

    def done(self):
        """How often the program opened, read, ... events."""
        done = {}
        for line in (self.directory / "log").read_text().splitlines():
            name, count = line.split()
            done[name] = done.get(name, 0) + int(count)
        return done


def maker(library):
    """A function that makes machines: of lines of the file `machine`, and files."""
    directory, numbers = tempfile.TemporaryDirectory(), itertools.count(1)

    def machine(*lines, files=None):
        return StandIn(pathlib.Path(directory.name) / str(next(numbers)), library, lines, files)
    return machine
