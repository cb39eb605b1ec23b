"""The N-th allocation, thread, descriptor, write, mapping or process fails: the output is the same, or the program ends with 7
(memory, threads, descriptors) or 74 (output) and a text. There is never another verdict, a crash, a half-written file, or another
result without a word.

    sweep.py LIBRARY PROGRAM [--all] [--some N] [--only NAME] [--kind KIND] [--seed N]

Without --all, a sample: the first N calls, the last ones, and N drawn between.
"""
import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KINDS = ("memory", "thread", "descriptor", "write", "map", "process")
REFUSED = 7, 74  # docs: no memory or threads; output that cannot be written

BUG = "scenarios/bugs/order/moved_call.lua"
ONE = BUG + "[ranks=3,odd=0]"
# NAME, ARGUMENTS with {out} for a file that the command writes and {in} for inputs, which are made before.
COMMANDS = (
    ("run", "run scenarios/basics/params.lua scenarios/basics/average.lua"),
    ("hang", "run " + ONE),
    ("json", "run --format json --no-times " + ONE),
    ("yaml", "run scenarios/basics/all_reduce.yaml"),
    ("suite", "run -j 2 --no-times scenarios/basics"),
    ("html", "run --html {out} " + ONE),
    ("check", "check scenarios/basics " + BUG),
    ("shrink", "shrink -o {out} {in}/shrink.lua"),
    ("convert", "convert {in}/all.yaml -o {out}"),
    ("explain", "explain skipped-call"),
    ("dump", "run --dump {out} " + ONE),
    ("diagnose", "diagnose {in}/dump"),
    ("written", "diagnose --scenario {out} {in}/dump"),
    ("repl", "repl"),
    ("exec", "exec -n 3 -- {in}/client"),
)


def inputs(program, folder):
    """What commands read."""
    with open(os.path.join(folder, "shrink.lua"), "w") as f:
        f.write("scenario { ranks = 4 }\nlocal x = cuda.buffer('float32', 8)\nfor i = 1, 6 do\n  world:all_reduce(x)\n"
                "  if not (rank == 2 and i == 4) then world:broadcast(x, { root = 1 }) end\nend\nstream:sync()\n")
    subprocess.run([program, "run", "--dump", os.path.join(folder, "dump"), BUG], cwd=TOP, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def without_source(text):
    """A report without the lines of source that it quotes."""
    return re.sub(rb"(?m)^  (code|    )  +([^|\n]*:)?\d+ \| .*\n", b"", text)


class Sweep:
    def __init__(self, library, program, folder):
        self.library, self.program, self.folder = library, program, folder
        self.runs, self.bad, self.refused, self.unquoted = 0, [], 0, 0

    def execute(self, arguments, kind=None, nth=0):
        """Status, output, errors, and what was written; the number of calls."""
        out = os.path.join(self.folder, "out")
        if os.path.isdir(out):
            shutil.rmtree(out)
        elif os.path.exists(out):
            os.unlink(out)
        count = os.path.join(self.folder, "count")
        env = dict(os.environ, HOME=self.folder, LC_ALL="C.UTF-8")
        if kind:
            env.update(LD_PRELOAD=self.library, NTH_KIND=kind, NTH=str(nth), NTH_COUNT=count)
        with open(os.path.join(self.folder, "stdout"), "w+b") as said, open(os.path.join(self.folder, "stderr"), "w+b") as errors:
            try:
                status = subprocess.run([self.program] + [a.format(out=out, **{"in": self.inputs}) for a in arguments.split()],
                                        cwd=TOP, env=env, input=b"x = 1\nprint(x)\n", stdout=said, stderr=errors,
                                        timeout=60).returncode
            except subprocess.TimeoutExpired:
                status = "no end within 60 s"
            said.seek(0)
            errors.seek(0)
            texts = said.read(), errors.read()
        calls = 0
        if kind and nth == 0 and os.path.exists(count):
            with open(count) as f:
                calls = int(f.read().split()[1])
        return (status,) + texts + (content(out),), calls

    def judge(self, name, kind, want, got):
        """None if all is well, else what is not."""
        status, said, errors, written = got
        if isinstance(status, str):
            return status
        if status < 0:
            return "ends by " + signal.Signals(-status).name
        same = status == want[0] and said == want[1] and written == want[3]
        if same:
            return None
        no_trial = any(word in text for word in (b"no memory to try", b"no room for")
                       for text in (said, errors, written) if isinstance(text, bytes))
        if no_trial and status in (want[0], REFUSED[0]): # a trial, which then shows nothing
            return None
        if status == 70 and b"ended by signal 9" in said + errors: # of a suite: a run that could not be handed out
            return None
        if status in REFUSED or (status == 2 and b"cannot be written: No space left" in errors):
            self.refused += 1
            if not errors.strip() and not said.strip():
                return "status %d without a word" % status
            if written not in (None, want[3]) and not (name == "html" and written.endswith(b"</html>\n")):
                return "status %d, and a half-written file is left" % status
            return None
        # Not mended yet: a report that cannot open a source again does not say so, it only lacks what it would quote.
        quotes = without_source(said) == without_source(want[1]) and (written == want[3] or name == "html")
        if kind == "descriptor" and status == want[0] and quotes:
            self.unquoted += 1
            return None
        if status != want[0]:
            return "status %d, not %d" % (status, want[0])
        if written != want[3]:
            return "writes something else" + (" without a word" if errors == want[2] else "")
        return "prints something else" + (" without a word" if errors == want[2] else "")

    def sweep(self, name, arguments, kind, which):
        want, calls = self.execute(arguments, kind)
        plain, _ = self.execute(arguments)
        if (plain[0], plain[1], plain[3]) != (want[0], want[1], want[3]):
            self.bad.append((name, kind, 0, "the library itself changes the run, or it differs from time to time"))
            return
        for nth in which(calls):
            self.runs += 1
            got, _ = self.execute(arguments, kind, nth)
            wrong = self.judge(name, kind, want, got)
            if wrong:
                last = got[2].decode("utf-8", "replace").strip().split("\n")[-1][:160]
                self.bad.append((name, kind, nth, wrong + (": " + last if last else "")))
                print("%s, %s %d of %d: %s" % (name, kind, nth, calls, self.bad[-1][3]), flush=True)


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
    p.add_argument("--only")
    p.add_argument("--kind")
    p.add_argument("--some", type=int, default=6)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    which = (lambda calls: range(1, calls + 1)) if a.all else sample(random.Random(a.seed), a.some)
    with tempfile.TemporaryDirectory() as folder:
        s = Sweep(os.path.abspath(a.library), os.path.abspath(a.program), folder)
        s.inputs = os.path.join(folder, "in")
        os.mkdir(s.inputs)
        inputs(s.program, s.inputs)
        client = os.path.join(os.path.dirname(s.program), "tests/exec/exec_hang")
        if os.path.exists(client):
            os.symlink(client, os.path.join(s.inputs, "client"))
        for name, arguments in COMMANDS:
            for kind in KINDS:
                if a.only in (None, name) and a.kind in (None, kind):
                    s.sweep(name, arguments, kind, which)
        print("%d runs with a failure, %d of them refused, %d without quotes of a source, %d wrong" % (
            s.runs, s.refused, s.unquoted, len(s.bad)))
        for bad in s.bad:
            if bad[2] == 0:
                print("%s, %s: %s" % (bad[0], bad[1], bad[3]))
    return 1 if s.bad or not s.runs or not s.refused else 0


sys.exit(main())
