"""A memory-limited control group with swap on a zram device of its own: a cache of pages that the kernel keeps.

It is made and removed by a process of its own, which waits until the test lets it go, or has died: nothing is left
behind either way. A zram device that exists is never touched."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

from harness import Skip, need

CONTROL = pathlib.Path("/sys/class/zram-control")
FIRST, SECOND = pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup")
MIB = 1 << 20


class Unavailable(Exception):
    pass


def must(command, why):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unavailable(f"{why}: {done.stderr.strip() or done.stdout.strip()}")


def insist(action, *arguments, seconds=10):
    """The kernel may be busy with it for a while."""
    end = time.monotonic() + seconds
    while True:
        try:
            return action(*arguments)
        except OSError as error:
            if time.monotonic() > end:
                print(f"left behind: {error}", flush=True)
                return None
            time.sleep(0.05)


def swap_on(device):
    return any(line.split()[0] == device for line in pathlib.Path("/proc/swaps").read_text().splitlines()[1:])


class Swap:
    """Before all other swap, so that the group's pages go here."""

    def __init__(self, mebibytes):
        self.number = (CONTROL / "hot_add").read_text().strip()
        self.device, self.block = f"/dev/zram{self.number}", pathlib.Path(f"/sys/block/zram{self.number}")
        try:
            (self.block / "disksize").write_text(f"{mebibytes}M")
            must(["mkswap", self.device], "no swap can be made on zram")
            must(["swapon", "--priority", "32767", self.device], "no swap can be had")
        except BaseException:
            self.remove()
            raise

    def remove(self):
        if swap_on(self.device):
            must(["swapoff", self.device], "swap stays on")
        insist((self.block / "reset").write_text, "1")
        insist((CONTROL / "hot_remove").write_text, self.number)


class Group:
    def __init__(self, mebibytes):
        first = (FIRST / "memory.limit_in_bytes").exists()
        if not first and "memory" not in (SECOND / "cgroup.subtree_control").read_text().split():
            raise Unavailable("no memory controller for control groups")
        self.path = (FIRST if first else SECOND) / f"hwchar-test-{os.getpid()}"
        self.path.mkdir()
        try:
            if first:
                (self.path / "memory.swappiness").write_text("100")
            (self.path / ("memory.limit_in_bytes" if first else "memory.max")).write_text(str(mebibytes * MIB))
        except BaseException:
            self.remove()
            raise

    def end_all(self):
        for pid in (self.path / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)

    def remove(self):
        insist(self.end_all)
        insist(self.path.rmdir)


def keep(limit, swap):
    """Make both, say where the group is, and remove them when nobody listens any more."""
    with contextlib.ExitStack() as made:
        made.callback(Swap(swap).remove)
        group = Group(limit)
        made.callback(group.remove)
        print(group.path, flush=True)
        sys.stdin.read()


def keeper():
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    if os.fork() > 0:
        os._exit(0)  # nobody's child: whoever ends the test's children does not end this one
    os.chdir("/")
    try:
        keep(int(sys.argv[1]), int(sys.argv[2]))
    except (OSError, Unavailable) as error:
        print(f"skip {error}", flush=True)


@contextlib.contextmanager
def limited_memory(limit, swap):
    """Yield the folder of a group that may take so many MiB of memory, and of swap; Skip without the rights."""
    if os.geteuid() != 0:
        raise Skip("only root may limit memory and add swap")
    if not CONTROL.exists():
        raise Skip("the kernel has no zram, or its module is not loaded")
    need("mkswap")
    need("swapon")
    process = subprocess.Popen([sys.executable, __file__, str(limit), str(swap)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        line = process.stdout.readline().strip()
        if not line or line.startswith("skip "):
            raise Skip(line.removeprefix("skip ") or "no control group with swap could be made")
        yield pathlib.Path(line)
    finally:
        process.stdin.close()
        left = process.stdout.read()
        process.wait()
        assert not left, left


def join(group):
    """For a new process, before it runs its program."""
    (group / "cgroup.procs").write_text(str(os.getpid()))


if __name__ == "__main__":
    keeper()
