"""The N-th allocation, thread, descriptor, write, mapping or process fails: the output is the same, or the program ends with 7
(memory, threads, descriptors) or 74 (output) and a text. There is never another verdict, a crash, a half-written file, or another
result without a word.

    sweep.py LIBRARY PROGRAM [--all [--most N]] [--some N] [--only NAME]... [--kind KIND] [--seed N] [-j N]

Without --all, a sample: the first N calls, the last ones, and N drawn between.
"""
import argparse
import concurrent.futures
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KINDS = ("memory", "thread", "descriptor", "write", "map", "process")
REFUSED = 7, 74  # docs: no memory or threads; output that cannot be written

BUG = "scenarios/bugs/order/moved_call.lua"
ONE = BUG + "[ranks=3,odd=0]"
OPEN_MPI = dict(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
# NAME, ARGUMENTS with {out} for a file that the command writes and {in} for inputs, which are made before; and how it differs:
# `input` is typed, `env` has variables, `within` names the program whose processes fail in its place, `varies` says that output
# differs from run to run (numbers of processes), so that only the verdict and the finding are compared.
COMMANDS = (
    ("run", "run scenarios/basics/params.lua scenarios/basics/average.lua", {}),
    ("hang", "run {in}/shrink.lua", {}),
    ("json", "run --format json --no-times " + ONE, {}),
    ("junit", "run --no-times --format junit --report sarif={out} {in}/shrink.lua", {}),
    ("yaml", "run {in}/all.yaml", {}),
    ("suite", "run -j 2 --no-times scenarios/basics", {}),
    ("html", "run --html {out} {in}/shrink.lua", {}),
    ("check", "check scenarios/basics " + BUG, {}),
    ("shrink", "shrink -o {out} {in}/shrink.lua", {}),
    ("convert", "convert {in}/all.yaml -o {out}", {}),
    ("explain", "explain skipped-call", {}),
    ("list", "list scenarios/bugs/order", {}),
    ("dump", "run --dump fr {out} " + ONE, {}),
    ("diagnose", "diagnose {in}/dump", {}),
    ("written", "diagnose --scenario {out} {in}/dump", {}),
    ("recorded", "diagnose {in}/recording", {}),
    ("repl", "repl", dict(input=b"x = 1\nprint(x)\nb = cuda.buffer('float32', 4)\nworld:all_reduce(b)\n@1 stream:sync()\n")),
    ("lesson", "lesson 1", dict(input=b"rank\nnranks\n:hint\n:solution\n")),
    ("bench", "bench all_reduce -b 8 -e 32 -f 2 -g 2 --clock virtual", {}),
    ("exec", "exec -n 4 -- {in}/exec_hang", {}),
    ("client", "exec -n 4 -- {in}/exec_hang", dict(within="exec_hang")),
    ("many", "exec -- {in}/exec_processes right 3", dict(varies=True)),
    ("many_hang", "exec -- {in}/exec_processes skip 3", dict(varies=True)),
    ("process", "exec -- {in}/exec_processes right 3", dict(within="exec_processes", varies=True)),
    ("process_hang", "exec -- {in}/exec_processes skip 3", dict(within="exec_processes", varies=True)),
    ("mpirun", "exec -- mpirun.openmpi -n 2 {in}/exec_processes right 2", dict(env=OPEN_MPI, varies=True)),
    ("record", "record -o {out} -- {in}/record_job join reduce 3 sync destroy",
     dict(within="record_job", env=dict(RANK="0", WORLD_SIZE="1"), varies=True)),
)


def inputs(program, folder):
    """What commands read."""
    with open(os.path.join(folder, "shrink.lua"), "w") as f:
        f.write("scenario { ranks = 4 }\nlocal x = cuda.buffer('float32', 8)\nfor i = 1, 6 do\n  world:all_reduce(x)\n"
                "  if not (rank == 2 and i == 4) then world:broadcast(x, { root = 1 }) end\nend\nstream:sync()\n")
    with open(os.path.join(folder, "all.yaml"), "w") as f, open(os.path.join(TOP, "tests/twins/ring.yaml")) as yaml:
        f.write(yaml.read())
    build = os.path.dirname(program)
    for name in ("exec/exec_hang", "exec/exec_processes", "record/record_job"):
        if os.path.exists(os.path.join(build, "tests", name)):
            os.symlink(os.path.join(build, "tests", name), os.path.join(folder, os.path.basename(name)))
    quiet = dict(cwd=TOP, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([program, "run", "--dump", "fr", os.path.join(folder, "dump"), ONE], **quiet)
    job = os.path.join(folder, "record_job")
    if os.path.exists(job):
        for rank in "0", "1":
            subprocess.run([program, "record", "-o", os.path.join(folder, "recording"), "--", job, "join", "reduce", "3"]
                           + ["1:reduce", "1"] + ["sync"], env=dict(os.environ, RANK=rank, WORLD_SIZE="2"), **quiet)


def alike(text):
    """A report without what differs from run to run: numbers of processes, which process prints first."""
    if not isinstance(text, bytes):
        return None
    text = re.sub(rb"(?m)^  processes .*\n", b"", text)
    text = re.sub(rb"(process(?:es)? |\()\d{2,}", rb"\1N", text)
    return sorted(text.split(b"\n"))


def accusations(text):
    """The verdicts and causes of a report."""
    return set(re.findall(rb"(?m)^(?:(?:HANG|WRONG|ERROR|TIMEOUT|STALLED|MISMATCH)\b|  why ).*", text))


def unquoted(text):
    """A report without quotes of its sources; and whether it says that it lacks some."""
    plain, quotes = re.subn(rb"(?m)^  (code|    )  +([^|\n]*:)?\d+ \| .*\n", b"", text)
    without, excuses = re.subn(rb"(?m)^(  (code|    )  .* is not quoted: |<p>.* is not shown: |ncclscript: lines and names of some places).*\n", b"", plain)
    return without, excuses


SHORT = re.compile(rb"(?i)memory|thread|too many open files|no space left|resource temporarily|cannot (be|open|create)|could not|failed|no room"
                   rb"|not (be )?(written|recorded|read|opened)")


class Sweep:
    def __init__(self, library, program, folder):
        self.library, self.program, self.folder = library, program, folder
        self.runs, self.bad, self.refused, self.excused = 0, [], 0, 0
        self.free = []

    def execute(self, arguments, how, kind=None, nth=0):
        """Status, output, errors, and what was written; the number of calls."""
        own = self.free.pop() if self.free else tempfile.mkdtemp(dir=self.folder)
        out, count = os.path.join(own, "out"), os.path.join(own, "count")
        for name in os.listdir(own):
            path = os.path.join(own, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        env = dict(os.environ, HOME=own, LC_ALL="C.UTF-8", NCCLSCRIPT_QUIET="1", **how.get("env", {}))
        if "mpirun" in arguments:
            env["JOB_FILE"] = os.path.join(own, "id")
        if kind:
            env.update(LD_PRELOAD=self.library, NTH_KIND=kind, NTH=str(nth))
            if nth == 0:
                env["NTH_COUNT"] = count
            if "within" in how:
                env["NTH_PROGRAM"] = how["within"]
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as errors:
            with subprocess.Popen([self.program] + [a.format(out=out, **{"in": self.inputs}) for a in arguments.split()], cwd=TOP,
                                  env=env, stdin=subprocess.PIPE, stdout=said, stderr=errors, start_new_session=True) as p:
                try:
                    p.communicate(how.get("input", b""), timeout=60)
                    status = p.returncode
                except subprocess.TimeoutExpired:
                    status = "no end within 60 s"
                    os.killpg(p.pid, signal.SIGKILL)
            said.seek(0)
            errors.seek(0)
            texts = tuple(t.read().replace(own.encode(), b"OWN") for t in (said, errors))
        calls = 0
        if os.path.exists(count):
            with open(count, "rb") as f:
                calls = int.from_bytes(f.read(8), sys.byteorder)
        got = (status,) + texts + (content(out),), calls
        self.free.append(own)
        return got

    def is_same(self, how, want, got):
        if how.get("varies"):
            return got[0] == want[0] and alike(got[1]) == alike(want[1]) and alike(got[2]) == alike(want[2])
        return got[0] == want[0] and got[1] == want[1] and got[3] == want[3] and (
            got[2] == want[2] or not accusations(want[2]) and not accusations(got[2]))

    def judge(self, name, kind, how, want, got):
        """None if all is well, else what is not."""
        status, said, errors, written = got
        if isinstance(status, str):
            return status
        if status < 0 or status in (134, 135, 136, 139): # exec has its program's status
            return "ends by " + signal.Signals(-status if status < 0 else status - 128).name
        if self.is_same(how, want, got):
            return None
        texts = [t for t in (said, errors, written) if isinstance(t, bytes)]
        new = set().union(*map(accusations, texts)) - set().union(*(accusations(t) for t in want if isinstance(t, bytes)))
        if "within" in how and SHORT.search(said + errors) and not any(b"  why " in line for line in new):
            self.refused += 1 # the program itself fails, and reports
            return None
        no_trial = any(word in text for word in (b"no memory to try", b"no room for", b'"verdict": "memory"') for text in texts)
        if no_trial and status in (want[0],) + REFUSED: # a trial, which then shows nothing
            return None
        if status == 70 and b"ended by signal 9" in said + errors: # of a suite: a run that could not be handed out
            return None
        # The dynamic loader ends the process when a library that was opened late (libdw has such data) gets no memory for a thread.
        ended = status == 127 and errors.rstrip().endswith(b"cannot allocate memory for thread-local data: ABORT") and not new
        if ended or status in REFUSED or (status == 2 and b"cannot be written: No space left" in errors):
            self.refused += 1
            if not errors.strip() and not said.strip() and not (kind == "write" and (how or name == "exec")): # a report of exec is lost
                return "status %d without a word" % status
            part = isinstance(written, list) and all(file in want[3] for file in written) # of a folder: whole files
            whole = name == "html" and written and written.endswith(b"</html>\n") or name == "dump" and b"MEMORY" in said
            if written not in (None, want[3]) and not part and not whole: # what a run left that ended so is a record of it
                return "status %d, and a half-written file is left" % status
            return None
        if status == want[0] and any(b"lines and names of some places are missing" in t for t in texts):
            self.excused += 1
            return None
        plain = [unquoted(t)[0] if isinstance(t, bytes) else t for t in want]
        if status == want[0] and any(unquoted(t)[1] for t in texts) and (
                unquoted(said)[0] == plain[1] and accusations(errors) == accusations(want[2])
                and (name == "html" or written == want[3])):
            self.excused += 1
            return None
        if status != want[0]:
            return "status %d, not %d" % (status, want[0])
        without = " without a word" if not SHORT.search(errors + said * ("input" in how)) else "" # the prompt replies
        if written != want[3] and not how.get("varies"):
            return "writes something else" + without
        return "prints something else" + without if without or (new and not how.get("varies")) else None

    def sweep(self, name, arguments, how, kind, which, pool):
        want, calls = self.execute(arguments, how, kind)
        plain, _ = self.execute(arguments, how)
        if not self.is_same(how, plain, want):
            self.note(name, kind, 0, calls, "the library itself changes the run, or it differs from time to time", want)
            return

        def one(nth):
            got, _ = self.execute(arguments, how, kind, nth)
            return nth, got
        for nth, got in pool.map(one, which(calls)):
            self.runs += 1
            wrong = self.judge(name, kind, how, want, got)
            if wrong:
                self.note(name, kind, nth, calls, wrong, got)

    def note(self, name, kind, nth, calls, wrong, got):
        last = got[2].decode("utf-8", "replace").strip().split("\n")[-1][:160]
        self.bad.append("%s, %s %d of %d: %s%s" % (name, kind, nth, calls, wrong, ": " + last if last else ""))
        print(self.bad[-1], flush=True)


def content(path):
    """All that a file or folder has; None = there is none."""
    if os.path.isdir(path):
        return sorted((f, content(os.path.join(path, f))) for f in os.listdir(path))
    if not os.path.exists(path):
        return None
    with open(path, "rb") as f:
        return f.read()


def sample(draw, some):
    def which(calls):
        ends = set(range(1, min(calls, some) + 1)) | set(range(max(1, calls - some // 2), calls + 1))
        return sorted(ends | {draw.randint(1, calls) for _ in range(some) if calls})
    return which


def main():
    p = argparse.ArgumentParser()
    p.add_argument("library")
    p.add_argument("program")
    p.add_argument("--all", action="store_true")
    p.add_argument("--most", type=int, default=1 << 30, help="with --all: so many of a command and kind, evenly spread")
    p.add_argument("--only", action="append")
    p.add_argument("--kind")
    p.add_argument("--some", type=int, default=6)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("-j", type=int, default=2)
    a = p.parse_args()
    which = (lambda calls: range(1, calls + 1, -(-calls // a.most) or 1)) if a.all else sample(random.Random(a.seed), a.some)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(a.j) as pool:
        s = Sweep(os.path.abspath(a.library), os.path.abspath(a.program), folder)
        s.inputs = os.path.join(folder, "in")
        os.mkdir(s.inputs)
        inputs(s.program, s.inputs)
        for name, arguments, how in COMMANDS:
            kinds = [k for k in KINDS if a.kind in (None, k)]
            if "within" in how: # a program that cannot map or fork ends in its own way
                kinds = [k for k in kinds if k not in ("map", "process")]
            needed = [os.path.join(s.inputs, w[5:]) for w in arguments.split() if w.startswith("{in}/")]
            needed += [shutil.which(w) or "/" + w for w in arguments.split() if w.startswith("mpirun")]
            if a.only and name not in a.only:
                continue
            if not all(map(os.path.exists, needed)):
                print("%s: left out, for there is no %s" % (name, " or no ".join(map(os.path.basename, needed))))
                continue
            begin, runs = time.time(), s.runs
            for kind in kinds:
                s.sweep(name, arguments, how, kind, which, pool)
            if a.all:
                print("%s: %d runs, %d s" % (name, s.runs - runs, time.time() - begin), flush=True)
        print("%d runs with a failure: %d of them refused, %d without quotes and with the reason, %d wrong" % (
            s.runs, s.refused, s.excused, len(s.bad)))
    return 1 if s.bad or not s.runs or (not s.refused and not a.only) else 0


sys.exit(main())
