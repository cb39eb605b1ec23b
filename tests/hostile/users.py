#!/usr/bin/env python3
"""What another user of the host tries: users.py PROGRAM CLIENT. As `users.py --beside CLIENT` it is the program of a job of exec."""
import array
import ctypes
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

import wire

NOBODY = 65534
HELLO = 4 + 4 + 8 + 4 + 4 + 4096 + 16384 + 1 + 4096 # and a little more or less: nothing of it is read
LIBC = ctypes.CDLL(None, use_errno=True)


def denied(name, attempt):
    """The system refuses the attempt; it is the machine that must not have opened the door."""
    try:
        got = attempt()
    except OSError:
        return print("ok", name, flush=True)
    print("complaint", name, "is possible: %r" % (got,), flush=True)


def call(name, *arguments):
    if getattr(LIBC, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def alone(main, *arguments):
    """As another user; does not return."""
    try:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        main(*arguments)
    except BaseException:
        print("complaint", main.__name__, "fails:", traceback.format_exc().replace("\n", " | "), flush=True)
    os._exit(0)


# ---- beside a job of exec ----

def machine():
    """The process with the machine is the other child of exec."""
    return [int(p) for p in open("/proc/%d/task/%d/children" % (os.getppid(), os.getppid())).read().split() if int(p) != os.getpid()][0]


def greets(name, messages=(), files=(), times=1, shut=False):
    """Connects, says this, and must be closed without a word or a descriptor."""
    answers, held = [], []
    for _ in range(times):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(30)
        s.connect(NAME)
        held.append(s)
        try:
            for m in messages:
                s.sendmsg([m], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else [])
            if shut:
                s.shutdown(socket.SHUT_WR)
        except OSError: # it is closed already, or the message is longer than the system allows
            pass
    for s in held:
        try:
            data, beside, _, _ = s.recvmsg(1 << 16, 4096)
            answers += [data] if data or beside else []
        except ConnectionResetError:
            pass
        except TimeoutError:
            answers.append("it stays open")
        s.close()
    print("complaint" if answers else "ok", "greets,", name, answers[:1] if answers else "", flush=True)


def as_nobody(pid):
    memory, pipe = os.memfd_create("hostile", os.MFD_ALLOW_SEALING), os.pipe()
    os.ftruncate(memory, 16 << 20)
    greets("nothing", times=50)
    greets("hangs up", times=50, shut=True)
    greets("a byte", [b"x"])
    greets("a whole greeting", [b"\2" + bytes(HELLO)])
    greets("a greeting with memory", [b"\2" + bytes(HELLO)], [memory])
    greets("a greeting with a pipe", [b"\2" + bytes(HELLO)], [pipe[0]])
    greets("a greeting with two", [b"\2" + bytes(HELLO)], [memory, memory])
    greets("253 descriptors", [b"x"], [pipe[0]] * 253, times=20)
    greets("a long message", [bytes(150000)])
    greets("many messages", [b"x" * 100] * 100)
    greets("zero bytes", [b""] * 10)
    for name in "environ", "mem", "maps", "fd", "root/tmp", "cwd/", "map_files", "exe":
        path = "/proc/%d/%s" % (pid, name)
        denied(name, lambda: os.listdir(path) if name in ("fd", "map_files", "cwd/") else open(path).read(1))
    for number in range(10):
        denied("descriptor %d" % number, lambda: open("/proc/%d/fd/%d" % (pid, number)))
    denied("a signal", lambda: os.kill(pid, signal.SIGTERM))
    denied("a stop", lambda: os.kill(pid, signal.SIGSTOP))
    denied("ptrace", lambda: call("ptrace", 16, pid, 0, 0))
    denied("a limit", lambda: resource.prlimit(pid, 7, (0, 0)))
    found = [f for f in os.listdir("/dev/shm") if "ncclscript" in f]
    print("complaint" if found else "ok", "shared memory", found, flush=True)
    names = [l.split()[-1] for l in open("/proc/net/unix") if "@ncclscript-" in l]
    print("ok" if all(re.search("-[0-9a-f]{16}$", n) for n in names) and names else "complaint", "names", names, flush=True)


def beside(client):
    pid = machine()
    before = len(os.listdir("/proc/%d/fd" % pid))
    child = os.fork()
    if child == 0:
        alone(as_nobody, pid)
    os.waitpid(child, 0)
    after = len(os.listdir("/proc/%d/fd" % pid))
    print("ok" if after <= before + 2 else "complaint", "descriptors of the machine", before, after, flush=True)
    os.execv(client[0], client)


# ---- beside processes that meet ----

def start(program, folder, number, *more, **variables):
    """One of two processes of a job on this host."""
    job = dict(os.environ, RANK=str(number), WORLD_SIZE="2", LOCAL_RANK=str(number), LOCAL_WORLD_SIZE="2", MASTER_ADDR="127.0.0.1",
               MASTER_PORT="29500", TORCHELASTIC_RUN_ID="beside", NCCLSCRIPT_QUIET="1", **variables)
    return subprocess.Popen([program, "run", *more, "right.lua"], cwd=folder, env=job, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def in_own_files(program, folder, prepare, variable):
    """Both processes of a job where `prepare` has changed the files; None = the system does not allow that."""
    # The program and the scenario may lie in what is covered by then.
    script = ("exec 9<'%s'; mount -t tmpfs none /tmp || exit 77; %s; export XDG_RUNTIME_DIR=%s RANK=0 WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 "
              "LOCAL_RANK=0 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 TORCHELASTIC_RUN_ID=1 NCCLSCRIPT_QUIET=1; /proc/self/fd/9 run right.lua & "
              "RANK=1 LOCAL_RANK=1 /proc/self/fd/9 run right.lua; one=$?; wait $!; echo statuses $? $one; ls -A /tmp/run 2>/dev/null" %
              (program, prepare, variable))
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=100)
    return None if done.returncode == 77 else done.stdout


def folders(program, folder):
    """The folder of the meeting is another user's, or open to others. Each in a /tmp of its own."""
    take = "mkdir /tmp/ncclscript-0; chown 65534 /tmp/ncclscript-0"
    for name, prepare, variable, refused in (
            ("another user's", take, "", True),
            ("another user's, closed", take + "; chmod 700 /tmp/ncclscript-0", "", True),
            ("open to others", "mkdir -m 777 /tmp/ncclscript-0", "", True),
            ("open to a group", "mkdir -m 770 /tmp/ncclscript-0", "", True),
            ("a link", "mkdir -m 700 /tmp/own; ln -s own /tmp/ncclscript-0; chown -h 65534 /tmp/ncclscript-0", "", True),
            ("a link of its own", "mkdir -m 700 /tmp/own; ln -s own /tmp/ncclscript-0", "", True),
            ("a file", "touch /tmp/ncclscript-0", "", True),
            ("a pipe", "mkfifo /tmp/ncclscript-0", "", True),
            ("a link to nowhere", "ln -s nowhere /tmp/ncclscript-0", "", True),
            ("a run-time folder of another user", "mkdir -m 700 /tmp/run; chown 65534 /tmp/run", "/tmp/run", False),
            ("a run-time folder that is a link", "mkdir -m 700 /tmp/own; ln -s own /tmp/run", "/tmp/run", False),
            ("a run-time folder that is open", "mkdir -m 777 /tmp/run", "/tmp/run", False),
            ("a run-time folder that is a file", "touch /tmp/run", "/tmp/run", False)):
        text = in_own_files(program, folder, prepare, variable or "/nowhere")
        if text is None:
            return print("left out: no /tmp of its own")
        right = "statuses 2 2" in text and ("this user's alone" in text or "cannot be made" in text)
        right = right if refused else "statuses 0 0" in text and "team" not in text
        print("ok" if right else "complaint", "folder,", name, "" if right else text, flush=True)


def no_library(program, folder):
    """Without libcrypto nobody can prove anything: the job does not begin, and says why."""
    hide = "for f in $(ldconfig -p | sed -n 's/.*libcrypto[.]so.* => //p'); do mount --bind /dev/null $f; done"
    text = in_own_files(program, folder, hide, "/nowhere")
    if text is not None:
        right = "statuses 2 2" in text and text.count("by libcrypto, which this host does not have") == 2
        print("ok" if right else "complaint", "no libcrypto", "" if right else text, flush=True)


def ports_of(pid):
    """Where the process listens, as everybody can see."""
    own = {os.readlink("/proc/%d/fd/%s" % (pid, f)) for f in os.listdir("/proc/%d/fd" % pid)}
    rows = [line.split() for line in open("/proc/net/tcp").readlines()[1:]]
    return [int(r[1].split(":")[1], 16) for r in rows if r[3] == "0A" and "socket:[%s]" % r[9] in own]


def at_the_port(port, folder, version):
    """Another user at the leader, without its token; it stays until its output is read."""
    held = []
    denied("the file of the meeting", lambda: [open(os.path.join(folder, f)).read() for f in os.listdir(folder)])
    for name, key in ("no token", b""), ("a token of zeros", bytes(16)), ("the name of the job", b"beside.127.0.0.1.29500"):
        s = wire.connect(port)
        h = wire.hello(version, processes=2)
        wire.say(s, h)
        asked = wire.hear(s)
        wire.say(s, bytes(32) + wire.prove(key, wire.FOR_MEMBER, h, asked[1], bytes(32)))
        answer = wire.hear(s)
        print("ok" if answer and answer[0] == wire.NO else "complaint", "at the port,", name, flush=True)
        held.append(s)
    held += [wire.connect(port) for _ in range(200)]
    print("ok holds 200 connections", flush=True)
    time.sleep(1000)


def meeting(program, folder):
    run = os.path.join(folder, "run")
    os.mkdir(run, 0o700)
    os.chmod(folder, 0o755)
    version = subprocess.check_output([program, "--version"]).split()[1]
    lead = start(program, folder, 0, XDG_RUNTIME_DIR=run)
    while lead.poll() is None and not os.listdir(run):
        time.sleep(0.01)
    ports = ports_of(lead.pid)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        alone(at_the_port, ports[0], run, version)
    os.close(write)
    with open(read) as lines:
        for line in lines:
            print(line, end="", flush=True)
            if "holds" in line:
                break
        one = start(program, folder, 1, XDG_RUNTIME_DIR=run)
        text = lead.communicate(timeout=60)[0] + one.communicate(timeout=60)[0]
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print("ok" if (lead.returncode, one.returncode) == (0, 0) else "complaint", "the job passes", text, flush=True)


def port_taken(program, folder):
    """Another user listens at the port of --rendezvous: process 0 says so, and no member comes to it."""
    with socket.create_server(("127.0.0.1", 0)) as s:
        at = "localhost:%d" % s.getsockname()[1]
        run = os.path.join(folder, "run")
        lead = start(program, folder, 0, "--rendezvous", at, XDG_RUNTIME_DIR=run)
        one = start(program, folder, 1, "--rendezvous", at, XDG_RUNTIME_DIR=run)
        text = lead.communicate(timeout=60)[0]
        s.settimeout(0.5)
        denied("a member comes to another user's port", s.accept)
        print("ok" if lead.returncode == 2 and "cannot listen" in text else "complaint", "the port is taken", text, flush=True)
        one.kill()
        one.communicate()


def main():
    program, client = map(os.path.realpath, sys.argv[1:3])
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    job = subprocess.Popen([program, "exec", "--processes", "many", "--", sys.executable, os.path.realpath(__file__), "--beside", client,
                            "right", "3"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "right.lua"), "w") as f:
            f.write("stream:sync()\n")
        for part in meeting, port_taken, folders, no_library:
            part(program, folder)
    text = job.communicate(timeout=100)[0]
    print(text, end="")
    print("ok" if job.returncode == 0 and "rank 2 of 3: ok" in text else "complaint", "the job of exec:", job.returncode, flush=True)


def counted():
    """Runs the attempts, and counts them."""
    done = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--counted"], stdout=subprocess.PIPE, text=True, timeout=600)
    lines = done.stdout.splitlines()
    made, wrong = sum(l.startswith(("ok ", "complaint ")) for l in lines), [l for l in lines if l.startswith("complaint ")]
    if wrong or done.returncode or made < 45:
        print(done.stdout)
    print("%d attempts of another user, %d complaints" % (made, len(wrong)))
    sys.exit(bool(wrong) or done.returncode != 0 or made < 45)


if __name__ == "__main__":
    if sys.argv[1] == "--beside":
        NAME = b"\0" + os.environ["NCCLSCRIPT_JOB"].split("@")[0].encode()
        beside(sys.argv[2:])
    elif sys.argv[-1] == "--counted":
        main()
    else:
        counted()
