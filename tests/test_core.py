"""Code that the user's compiler makes: compilers that are missing, fail, hang or lie; directories that cannot be written
to or executed from; an end in the middle. Whatever happens, nothing is left behind, and the rest of the run is done."""
import json
import os
import pathlib
import platform
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

from harness import Skip, main, need, options, run

HWCHAR = options().hwchar
TEMPORARY = tempfile.TemporaryDirectory()
WORK = pathlib.Path(TEMPORARY.name)
PROBES = ("frequency", "extensions")
SLEEP = f"sleep {10 ** 6 + os.getpid()}"  # no other run of this test has it

# For the step to an object, which these words begin, another file is compiled with it.
WITH = 'case " $* " in *" -shared "*) set -- "$@" {};; esac\nexec cc "$@"'
OUTPUT = 'out=$(echo "$*" | sed "s/.*-o \\([^ ]*\\).*/\\1/")\n'
COUNTERFEITS = {
    "broken text": (f"{OUTPUT}echo broken > $out", "cannot be loaded"),
    "cut short": (f'cc "$@" || exit 1\n{OUTPUT}case $out in *.so) truncate -s 3000 $out;; esac', "cannot be loaded"),
    "empty": (f": \n{OUTPUT}: > $out", "cannot be loaded"),
    "no output": (":", "wrote no object"),
    "fails": ("echo 'x.c: error: no licence' >&2; exit 3", "failed with status 3: x.c: error: no licence"),
    "killed": ("kill -SEGV $$", "was ended by signal 11"),
    "crashes when loaded": (WITH.format(WORK / "crashes.c"), "to load it ends the process"),
    "ends when loaded": (WITH.format(WORK / "ends.c"), "to load it ends the process"),
    "hangs when loaded": (WITH.format(WORK / "hangs.c"), "to load it ends the process"),
    "hides its functions": (WITH.format(f"-Wl,--version-script={WORK / 'hides'}"), "the object has no function"),
    "for another machine": (f'cc "$@" || exit 1\n{OUTPUT}case $out in *.so) printf "\\001\\001" | '
                            "dd of=$out bs=1 seek=18 conv=notrunc 2>/dev/null;; esac", "for another architecture"),
}
FILES = {"crashes.c": "__attribute__((constructor)) static void f(void) { __builtin_trap(); }",
         "ends.c": "void _exit(int); __attribute__((constructor)) static void f(void) { _exit(0); }",
         "hangs.c": "__attribute__((constructor)) static void f(void) { for (volatile int i = 0;; i++); }",
         "hides": "{ local: *; };"}


def counterfeit(name, script):
    path = WORK / name.replace(" ", "_")
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def environment(**more):
    place = WORK / "tmp"
    place.mkdir(exist_ok=True)
    return dict(os.environ, TMPDIR=str(place), **more)


def nothing_is_left():
    left = [path for path in (WORK / "tmp").iterdir()]
    assert not left, left


def core_of(done):
    assert done.returncode == 0, done
    return json.loads(done.stdout)["core"]


def assert_reason(core, needle):
    assert core["frequency"].get("value") or "rest" in core["frequency"]["reason"], core
    for found in (core["extensions"]["fma"], *core.get("registers", {}).values()):
        assert found["value"] is None and needle in found["reason"], (needle, found)


def a_compiler_that_is_not_there_is_said():
    assert_reason(core_of(run([HWCHAR, "--json", "--cc=/nowhere/cc", *PROBES], env=environment())), "/nowhere/cc")
    path = environment(PATH="/nowhere")
    assert_reason(core_of(run([HWCHAR, "--json", *PROBES], env=path)), "there is no C compiler in PATH")
    done = run([HWCHAR, "--cc=", *PROBES])
    assert done.returncode == 2 and "--cc" in done.stderr, done
    nothing_is_left()


def counterfeit_compilers_give_reasons():
    need("cc")
    for name, text in FILES.items():
        (WORK / name).write_text(text)
    for name, (script, needle) in COUNTERFEITS.items():
        done = run([HWCHAR, "--json", f"--cc={counterfeit(name, script)}", *PROBES, "registers"], env=environment())
        assert {"int", "vector"} <= set(core_of(done)["registers"]), done.stdout
        assert_reason(core_of(done), needle)
        nothing_is_left()


def a_short_report_says_what_is_wrong_with_the_compiler():
    done = run([HWCHAR, "--cc=/nowhere/cc", "extensions"], env=environment())
    text = " ".join(done.stdout.split())
    assert done.returncode == 0 and 'no code was made to be timed: the compiler "/nowhere/cc" cannot be run' in text, done
    assert "--counters may help" not in text, text


def commands_may_have_words_and_names_may_have_blanks():
    need("cc")
    blank = counterfeit("x", 'echo "licence expires soon"; echo "x.c:1: warning: old" >&2; exec cc "$@"')
    named = blank.rename(blank.with_name("a blank"))
    for command in (named, f"env X=1 {counterfeit('y', 'exec cc -DX $@')} -DY"):
        found = core_of(run([HWCHAR, "--json", f"--cc={command}", *PROBES], env=environment()))
        assert found["extensions"]["fma"]["value"] is not None, found
    nothing_is_left()


def running(command):
    return subprocess.run(["pgrep", "-f", command], capture_output=True, text=True).stdout.split()


def a_compiler_that_hangs_is_ended_with_all_that_it_started():
    hangs = counterfeit("hangs", f"{SLEEP} & {SLEEP}; wait")
    begin = time.monotonic()
    done = run([HWCHAR, "--json", f"--cc={hangs}", *PROBES], env=environment())
    assert_reason(core_of(done), "did not end within 8 s")
    assert time.monotonic() - begin < 60
    assert not running(SLEEP)
    nothing_is_left()


def end_by(number, group=False):
    """End it while the compiler works, or all of its group, as a terminal does; its exit status and what it prints."""
    slow = counterfeit("slow", f"echo $$ > $TMPDIR/here; {SLEEP}")
    child = subprocess.Popen([HWCHAR, "--json", f"--cc={slow}", *PROBES], env=environment(), stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(600):
        if list((WORK / "tmp").glob("hwchar-*/here")):
            break
        time.sleep(0.05)
    (os.killpg if group else os.kill)(child.pid, number)
    printed, _ = child.communicate(timeout=60)
    for _ in range(400):
        if not list((WORK / "tmp").iterdir()) and not running(SLEEP):
            break
        time.sleep(0.05)
    assert not running(SLEEP), number
    nothing_is_left()
    return child.returncode, printed


def nothing_is_left_after_an_interrupt_or_a_crash():
    for number, group in ((signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, True)):
        status, printed = end_by(number, group)
        assert status == 130 and "frequency" in json.loads(printed)["core"], (number, status, printed)
    for number, group in ((signal.SIGHUP, True), (signal.SIGKILL, False), (signal.SIGKILL, True)):
        assert end_by(number, group)[0] == -number


def only_this_user_may_enter_the_directory():
    looks = counterfeit("looks", "stat -c %a $TMPDIR >&2; exit 1")
    done = run([HWCHAR, "--json", f"--cc={looks}", *PROBES], env=environment())
    assert_reason(core_of(done), ": 700")


def read_only(place):
    return f"mount --bind {place} {place} && mount -o remount,bind,ro {place}"


def in_namespace(mounts, **environment_more):
    """A run where file systems are mounted like this."""
    need("cc")
    script = f"{mounts} && exec {shlex.join([HWCHAR, '--json', *PROBES])}"
    wrapped = ["unshare", "-m", "sh", "-c", script]
    mount = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    if shutil.which("unshare") is None or run(mount).returncode != 0:
        raise Skip("no file system may be mounted here")
    clean = {key: value for key, value in os.environ.items() if key not in ("TMPDIR", "XDG_RUNTIME_DIR")}
    return run(wrapped, env={**clean, **environment_more}, cwd="/")


def assert_compiled(core):
    assert core["extensions"]["fma"]["value"] is not None, core


def what_may_not_be_executed_from_its_directory_runs_all_the_same():
    assert_compiled(core_of(in_namespace("mount -t tmpfs -o noexec none /mnt", TMPDIR="/mnt")))


def another_directory_serves_where_one_is_read_only():
    assert_compiled(core_of(in_namespace("mount -t tmpfs -o ro none /mnt", TMPDIR="/mnt")))
    assert_compiled(core_of(in_namespace(read_only("/tmp"))))
    everywhere = " && ".join(read_only(place) for place in ("/mnt", "/tmp", "/var/tmp", "/dev/shm"))
    assert_reason(core_of(in_namespace(f"{everywhere} && cd /mnt")), "no directory to compile in")


def a_directory_without_room_is_said():
    for size in ("8k", "64k"):  # none at all; for some of the code
        done = in_namespace(f"mount -t tmpfs -o size={size} none /mnt", TMPDIR="/mnt")
        assert_reason(core_of(done), "there is hardly room in /mnt")
        assert any(" code was made " in note for note in json.loads(done.stdout)["notes"]), done.stdout


def what_exists_is_what_the_system_says():
    need("cc")
    if platform.machine() not in ("x86_64", "aarch64"):
        raise Skip("the system does not say here what exists")
    extensions = core_of(run([HWCHAR, "--json", *PROBES], env=environment()))["extensions"]
    both = {name: found for name, found in extensions.items() if "documented" in found and found["value"] is not None}
    assert "fma" in both, extensions
    for name, found in both.items():
        assert found["value"] == bool(found["documented"]), (name, found)
    nothing_is_left()


main([a_compiler_that_is_not_there_is_said, a_short_report_says_what_is_wrong_with_the_compiler,
      commands_may_have_words_and_names_may_have_blanks, counterfeit_compilers_give_reasons,
      a_compiler_that_hangs_is_ended_with_all_that_it_started, nothing_is_left_after_an_interrupt_or_a_crash,
      only_this_user_may_enter_the_directory, what_may_not_be_executed_from_its_directory_runs_all_the_same,
      another_directory_serves_where_one_is_read_only, a_directory_without_room_is_said,
      what_exists_is_what_the_system_says])
