"""Many calls under a fixed budget of memory, limits of the system, a clock that jumps, and signals.

    soak.py PROGRAM FACTOR

With FACTOR 1 what fits into a test; with 50, a million calls of each kind and 100 000 communicators (about half an hour).
Memory and verdicts are judged, never time.
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MIB = 1 << 20
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE
SHORT = 7, 74  # no memory, threads or descriptors; output that cannot be written


class Soak:
    def __init__(self, program, factor, folder):
        self.program, self.factor, self.folder = os.path.abspath(program), factor, folder
        self.build = os.path.dirname(self.program)
        self.client = os.path.join(self.build, "tests/exec/exec_soak")
        self.failures, self.runs = [], 0

    def fail(self, name, what, output=b""):
        self.failures.append(name)
        print("FAIL %s: %s\n%s" % (name, what, output.decode("utf-8", "replace")[-600:]), flush=True)

    def run(self, arguments, limits=(), env=None, name_of_file=None):
        """Status, output, and the most memory of a process of it, bytes."""
        def limit():
            for kind, value in limits:
                resource.setrlimit(kind, (value, value))
        self.runs += 1
        with tempfile.TemporaryFile() as out:
            p = subprocess.Popen(arguments, cwd=TOP, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=limit,
                                 env=dict(os.environ, NCCLSCRIPT_QUIET="1", HOME=self.folder, **(env or {})))
            _, how, used = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(how)
            out.seek(0)
            return p.returncode, out.read(), used.ru_maxrss * 1024

    def scenario(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    # ---- many calls ----

    def many(self, name, arguments, budget, env=None):
        status, output, used = self.run(arguments, env=env)
        if status != 0:
            self.fail(name, "status %d" % status, output)
        elif used > budget:
            self.fail(name, "%d MiB, more than %d MiB" % (used // MIB, budget // MIB))
        else:
            print("%s: %d MiB of %d MiB" % (name, used // MIB, budget // MIB), flush=True)

    def all_many(self):
        calls, comms = 20000 * self.factor, 2000 * self.factor
        loop = self.scenario("calls.lua", "scenario { ranks = 2 }\nlocal x = cuda.buffer('float32', 8):fill(1)\n"
                             "for i = 1, %d do\n  world:all_reduce(x)\n  x:fill(1)\n  if i %% 100 == 0 then stream:sync() end\n"
                             "end\nstream:sync()\n" % (calls // 2))
        parts = self.scenario("comms.lua", "scenario { ranks = 2 }\nfor i = 1, %d do\n  local c = world:split { color = 0 }\n"
                              "  c:destroy()\nend\n" % (comms // 2))
        budget = 400 * MIB
        unlimited = ["--timeout", "24h", "--memory", "384M"]
        self.many("run, %d calls" % calls, [self.program, "run"] + unlimited + [loop], budget)
        self.many("run, %d communicators" % comms, [self.program, "run"] + unlimited + [parts], budget)
        if not os.path.exists(self.client):
            return
        counts = [str(calls // 2), "0"], ["0", str(comms // 2)]
        for count, what in zip(counts, ("%d calls" % calls, "%d communicators" % comms)):
            self.many("exec, " + what, [self.program, "exec", "--", self.client, "2"] + count, budget)
            self.many("exec of processes, " + what, [self.program, "exec", "--", self.client, "2"] + count + ["fork"], budget)
            record = [self.program, "record", "-o", os.path.join(self.folder, "rec"), "--", self.client, "2"] + count
            libraries = os.path.join(self.build, "lib/ncclscript")
            self.many("record, " + what, record, budget, env=dict(LD_LIBRARY_PATH=libraries))
            shutil.rmtree(os.path.join(self.folder, "rec"), ignore_errors=True)

    # ---- limits ----

    def all_limits(self):
        hang = self.scenario("hang.lua", "scenario { ranks = 3 }\nlocal x = cuda.buffer('float32', 8)\nif rank ~= 1 then "
                             "world:all_reduce(x) end\nstream:sync()\n")
        commands = [("run", [self.program, "run", hang], 3), ("suite", [self.program, "run", "-j", "2", "scenarios/basics"], 0),
                    ("html", [self.program, "run", "--html", os.path.join(self.folder, "page.html"), hang], 3),
                    ("shrink", [self.program, "shrink", "--force", "-o", os.path.join(self.folder, "small.lua"), hang], 0)]
        if os.path.exists(self.client):
            commands += [("exec", [self.program, "exec", "--", self.client, "2", "10", "1"], 0),
                         ("exec of processes", [self.program, "exec", "--", self.client, "2", "10", "1", "fork"], 0)]
        steps = 3 if self.factor == 1 else 40
        limits = ((resource.RLIMIT_AS, "AS", [(20 + 400 * i // steps) * MIB for i in range(steps)]),
                  (resource.RLIMIT_NOFILE, "NOFILE", [4 + 60 * i // steps for i in range(steps)]),
                  (resource.RLIMIT_FSIZE, "FSIZE", [4096 * (i + 1) for i in range(min(steps, 8))]))
        for name, arguments, right in commands:
            for kind, word, values in limits:
                for value in values:
                    status, output, _ = self.run(arguments, limits=[(kind, value)])
                    # exec has its program's status: 9 = a call failed, 7 = it has no memory or thread itself. 127 and a loader's
                    # text: the system cannot start the program.
                    own = (9, 127) if name.startswith("exec") else (127,)
                    if status == right or (status in SHORT + own and output.strip()):
                        continue
                    if status == 2 and b"cannot be written" in output: # a file is longer than FSIZE
                        continue
                    self.fail("%s, RLIMIT_%s %d" % (name, word, value), "status %d, not %d" % (status, right), output)

    # ---- the clock ----

    def all_clock(self):
        library = os.path.join(self.folder, "clock.so")
        source = os.path.join(TOP, "tests/soak/clock.c")
        if subprocess.call([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"]) != 0:
            return self.fail("clock", "clock.c does not compile")
        page = os.path.join(self.folder, "clock")
        for name, arguments in (("run", ["run", "--no-times", "-v", "scenarios/basics/average.lua"]),
                                ("suite", ["run", "--no-times", "-j", "2", "scenarios/basics"]),
                                ("json", ["run", "--no-times", "--format", "json", "scenarios/basics"])):
            want = self.run([self.program] + arguments)[:2]
            for jump in ("-86400", "86400", "31536000"):
                got = self.run([self.program] + arguments, env=dict(LD_PRELOAD=library, CLOCK_JUMP=jump))[:2]
                if sorted(got[1].split(b"\n")) != sorted(want[1].split(b"\n")) or got[0] != want[0]:
                    self.fail("clock of %s, %s s" % (name, jump), "status %d, another output" % got[0], got[1])
        del page

    # ---- signals ----

    def all_signals(self):
        source = self.scenario("long.lua", "scenario { ranks = 4 }\nlocal x = cuda.buffer('float32', 8)\nfor i = 1, 60 do\n"
                               "  world:all_reduce(x)\n  if not (rank == 2 and i == 40) then world:broadcast(x, { root = 1 }) end\n"
                               "end\nstream:sync()\n")
        out = os.path.join(self.folder, "shrunk.lua")
        for i in range(6 * self.factor if self.factor < 20 else 200):
            if os.path.exists(out):
                os.unlink(out)
            self.runs += 1
            p = subprocess.Popen([self.program, "shrink", "-o", out, source], cwd=TOP, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
            timer = threading.Timer(0.002 * (i % 97), p.send_signal, [SIGNALS[i % 4]])
            timer.start()
            output, _ = p.communicate()
            timer.cancel()
            if p.returncode not in (0, 130, -SIGNALS[i % 4]):
                self.fail("signal %d over shrink" % i, "status %d" % p.returncode, output)
            elif os.path.exists(out) and self.run([self.program, "run", out])[0] != 0:
                self.fail("signal %d over shrink" % i, "the scenario is not whole")
        progress = dict(os.environ, HOME=self.folder, XDG_STATE_HOME=os.path.join(self.folder, "state"))
        for i in range(8 * self.factor if self.factor < 20 else 200):
            self.runs += 1
            typed = [self.program] + (["repl"], ["lesson", "--again", "1"])[i // 4 % 2]
            p = subprocess.Popen(typed, cwd=TOP, env=progress, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE)
            timer = threading.Timer(0.002 * (i % 53), p.send_signal, [SIGNALS[i % 4]])
            timer.start()
            try:
                _, errors = p.communicate(b"rank\nx = cuda.buffer('float32', 4):fill(rank + 1)\n")
            except BrokenPipeError:
                errors = p.stderr.read()
            timer.cancel()
            p.wait()
            listed = subprocess.run([self.program, "lesson"], env=progress, capture_output=True)
            if listed.returncode != 0 or listed.stderr or p.returncode not in (0, 130, -SIGNALS[i % 4]):
                self.fail("signal %d over a prompt or lesson" % i, "status %d, or its progress cannot be read" % p.returncode,
                          listed.stderr + errors)


def main():
    with tempfile.TemporaryDirectory() as folder:
        s = Soak(sys.argv[1], int(sys.argv[2]), folder)
        s.all_many()
        s.all_limits()
        s.all_clock()
        s.all_signals()
    print("%d runs, %d failures" % (s.runs, len(s.failures)))
    return 1 if s.failures else 0


sys.exit(main())
