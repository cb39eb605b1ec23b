#!/usr/bin/env python3
"""Makes hostile attempts at the rendezvous of jobs: peers.py PROGRAM."""
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import traceback

import wire

SECRET, OTHER = "a secret of this test", "a secret of others, as long"
SANITIZERS = ("AddressSanitizer", "runtime error:")
PROGRAM = os.path.realpath(sys.argv[1])
VERSION = subprocess.check_output([PROGRAM, "--version"]).split()[1]
complaints, made = [], 0
lock = threading.Lock()


def note(name, ok, what=""):
    global made
    with lock:
        made += 1
        if not ok:
            complaints.append("%s: %s" % (name, what))


def free_port(used=set()):
    """Below the ports that the system gives to connections, and each once."""
    while True:
        port = random.randrange(10000, 20000)
        with lock, socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
            if port not in used:
                used.add(port)
                return port


class Job:
    """Processes of one job that meet at a port by the secret."""

    def __init__(self, folder, name, processes, port, file="right.lua"):
        self.folder, self.name, self.processes, self.port, self.file, self.began = folder, name, processes, port, file, []
        self.token = wire.token_of(SECRET, "%s.127.0.0.1.%d" % (name, port))

    def start(self, number, port=None, secret=SECRET):
        variables = dict(os.environ, RANK=str(number), WORLD_SIZE=str(self.processes), TORCHELASTIC_RUN_ID=self.name,
                         MASTER_ADDR="127.0.0.1", MASTER_PORT=str(self.port), NCCLSCRIPT_TOKEN=secret, NCCLSCRIPT_QUIET="1")
        p = subprocess.Popen([PROGRAM, "run", "--rendezvous", "127.0.0.1:%d" % (port or self.port), self.file], cwd=self.folder,
                             env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.began.append(p)
        return p

    def connect(self):
        while True:
            try:
                return wire.connect(self.port)
            except ConnectionRefusedError:
                if self.began[0].poll() is not None:
                    raise


def ends(name, p, status, text=""):
    """The process ends so, and prints the text."""
    try:
        out = p.communicate(timeout=60)[0]
    except subprocess.TimeoutExpired:
        p.kill()
        out = "(killed) " + p.communicate()[0]
    wanted = status if isinstance(status, tuple) else (status,)
    note(name, p.returncode in wanted and text in out and not any(s in out for s in SANITIZERS),
         "exit status %s, expected %s and %r: %s" % (p.returncode, status, text, out[:500]))


# ---- strangers at the leader ----

def greetings():
    """What is said first; none is asked for a proof, or none can give it."""
    yield "nothing", b""
    yield "a browser", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    yield "TLS", bytes.fromhex("16030100a5010000a10303") + bytes(160)
    yield "zeros", bytes(4096)
    yield "bytes by chance", os.urandom(4096)
    yield "half a greeting", wire.greeting(VERSION)[:40]
    yield "half a hello", wire.hello(VERSION)[:200]
    yield "a message", wire.frame(0, wire.YES, bytes(32))
    yield "an end", wire.frame(0, wire.END, struct.pack("<i", 0))
    yield "the old protocol", wire.hello(VERSION, protocol=2)
    yield "a protocol of 65535", wire.hello(VERSION, protocol=65535)
    yield "another version", wire.hello(b"0.0.1")
    yield "a version without an end", wire.hello(b"9" * 64)
    yield "a version with escapes", wire.hello(b"\x1b[2J\x9b\xe2\x80\xae")
    yield "another order", wire.hello(VERSION, order=0x04030201)
    yield "other words", wire.hello(VERSION, of_long=4, of_pointer=4)
    yield "another magic", wire.hello(VERSION, magic=b"ncsteam\0")


def hellos():
    """Fields of a hello that has no proof behind it."""
    yield "number 0", dict(number=0)
    yield "a number below", dict(number=-2**31)
    yield "a number beyond", dict(number=2**31 - 1)
    yield "many processes", dict(processes=2**31 - 1)
    yield "no processes", dict(processes=0)
    yield "a long text", dict(count=2**32 - 1)
    yield "a text of 256 KiB", dict(count=256 << 10)
    yield "a host with escapes", dict(host=b"\x1b]0;x\x07" * 36)
    yield "a host without an end", dict(host=b"h" * 256)
    yield "locals beyond", dict(local=2**31 - 1, locals_=-2**31)
    yield "a process of -1", dict(pid=-1)
    yield "a nonce of zeros", dict(nonce=bytes(16))


def proofs(job, seen):
    """Proofs by those who do not know the token; (own, member) of the hello and the challenge."""
    def by(key, purpose=wire.FOR_MEMBER):
        return lambda h, c: (bytes(32), wire.prove(key, purpose, h, c, bytes(32)))
    yield "zeros", lambda h, c: (bytes(32), bytes(32))
    yield "ones", lambda h, c: (b"\xff" * 32, b"\xff" * 32)
    yield "no key", by(b"")
    yield "a key of zeros", by(bytes(16))
    yield "another secret", by(wire.token_of(OTHER, job.name))
    yield "the secret of another job", by(wire.token_of(SECRET, "another job"))
    yield "the secret itself", by(SECRET.encode())
    yield "no secret", by(wire.token_of("", "%s.127.0.0.1.%d" % (job.name, job.port)))
    yield "the name of the job", by(job.name.encode())
    yield "the challenge", lambda h, c: (c * 2, c * 2)
    yield "the nonces", lambda h, c: (h[80:96] * 2, c + h[80:96])
    yield "another member's", lambda h, c: seen
    yield "another member's own part", lambda h, c: (seen[0], bytes(32))
    # Those that know the token, but say it for another purpose, connection or text.
    yield "a proof of the leader", by(job.token, wire.FOR_LEADER)
    yield "a proof of a refusal", by(job.token, wire.FOR_NO)
    yield "a key as a proof", by(job.token, wire.FOR_UP)
    yield "another challenge", lambda h, c: (bytes(32), wire.prove(job.token, wire.FOR_MEMBER, h, bytes(16), bytes(32)))
    yield "another hello", lambda h, c: (bytes(32), wire.prove(job.token, wire.FOR_MEMBER, h[:-8] + b"\1" * 8, c, bytes(32)))
    yield "another text", lambda h, c: (b"\1" * 32, wire.prove(job.token, wire.FOR_MEMBER, h, c, bytes(32)))
    yield "one bit", lambda h, c: (bytes(32), (lambda p: p[:31] + bytes([p[31] ^ 1]))(wire.prove(job.token, wire.FOR_MEMBER, h, c, bytes(32))))


def unproved(answer):
    """Not taken in, and nothing shown that only the leader can make."""
    return answer is None or answer[0] == wire.ASK or (answer[0] == wire.NO and answer[1][-32:] == bytes(32))


def try_greetings(job):
    held = []
    for name, said in greetings():
        s = job.connect()
        wire.say(s, said, last=True)
        answer = wire.hear(s)
        note("greeting, " + name, unproved(answer), "answered with %r" % (answer,))
        held.append(s)
    for name, more in hellos():
        s = job.connect()
        wire.say(s, wire.hello(VERSION, **more) + bytes(4096)) # a proof of zeros, and a text
        answer, after = wire.hear(s), wire.hear(s)
        note("hello, " + name, answer and answer[0] == wire.ASK and unproved(after), "answered with %r, %r" % (answer, after))
        held.append(s)
    return held


def seen_proof(job):
    """The proof of a member that knows the token, and is not taken in: its number is another one's."""
    s = job.connect()
    h = wire.hello(VERSION, number=9)
    wire.say(s, h)
    challenge = wire.hear(s)[1]
    own = wire.prove(job.token, wire.FOR_OWN, h, challenge)
    member = wire.prove(job.token, wire.FOR_MEMBER, h, challenge, own)
    wire.say(s, own + member)
    line, body = wire.hear(s)
    note("a refusal is proved", line == wire.NO and body[-32:] == wire.prove(job.token, wire.FOR_NO, h, challenge, body[:-32]), body)
    return own, member


def try_proofs(job):
    challenges = set()
    for name, made_by in proofs(job, seen_proof(job)):
        s = job.connect()
        h = wire.hello(VERSION)
        wire.say(s, h)
        line, challenge = wire.hear(s)
        challenges.add(challenge)
        wire.say(s, b"".join(made_by(h, challenge)))
        answer = wire.hear(s)
        note("proof, " + name, answer is not None and answer[0] == wire.NO and unproved(answer) and b"secret" in answer[1],
             "answered with %r" % (answer,))
    note("each connection has a challenge of its own", len(challenges) > 15, str(len(challenges)))


def leader(folder):
    job = Job(folder, "leader", 3, free_port())
    lead = job.start(0)
    held = try_greetings(job)
    try_proofs(job)
    held += [job.connect() for _ in range(300)] # they stay until the job has ended
    one, two = job.start(1), job.start(2)
    ends("the job of strangers, process 0", lead, 0, "PASS")
    ends("the job of strangers, process 1", one, 0)
    ends("the job of strangers, process 2", two, 0)
    for s in held:
        s.close()


# ---- false leaders at a member ----

def false_answers():
    """What a false leader answers to the hello, and to the proof that follows a challenge."""
    refusal = struct.pack("<I252s", 0, b"go away")
    for name, proof in (("no", bytes(32)), ("a proof of ones", b"\xff" * 32)):
        yield "a refusal with " + name, lambda h, p, proof=proof: wire.frame(0, wire.NO, refusal + proof)
    yield "yes at once", lambda h, p: wire.frame(0, wire.YES, bytes(32))
    yield "complete at once", lambda h, p: wire.frame(0, wire.COMPLETE, bytes(288))
    yield "an end at once", lambda h, p: wire.frame(0, wire.END, struct.pack("<i", 0))
    yield "failed at once", lambda h, p: wire.frame(0, wire.FAILED, b"\x1b[2Jfailed")
    yield "a short challenge", lambda h, p: wire.frame(0, wire.ASK, bytes(8))
    yield "a long challenge", lambda h, p: wire.frame(0, wire.ASK, bytes(4096))
    yield "a huge message", lambda h, p: wire.frame(0, wire.ASK, bytes(64), count=2**32 - 1)
    yield "another kind", lambda h, p: wire.frame(1, wire.ASK, bytes(16))
    yield "no message", lambda h, p: b"HTTP/1.1 200 OK\r\n\r\n"
    yield "its hello", lambda h, p: h
    asked = lambda answer: lambda h, p: wire.frame(0, wire.ASK, bytes(16)) if p is None else answer(h, p)
    yield "asked, yes", asked(lambda h, p: wire.frame(0, wire.YES, bytes(32)))
    yield "asked, its own proof", asked(lambda h, p: wire.frame(0, wire.YES, p[32:64]))
    yield "asked, its own text's", asked(lambda h, p: wire.frame(0, wire.YES, p[:32]))
    yield "asked, yes of 16 bytes", asked(lambda h, p: wire.frame(0, wire.YES, bytes(16)))
    yield "asked, no bytes of yes", asked(lambda h, p: wire.frame(0, wire.YES))
    yield "asked again", asked(lambda h, p: wire.frame(0, wire.ASK, bytes(16)))
    yield "asked, refused", asked(lambda h, p: wire.frame(0, wire.NO, refusal + p[32:64]))
    yield "asked, the end", asked(lambda h, p: wire.frame(0, wire.YES, p[32:64]) + wire.frame(0, wire.END, struct.pack("<i", 0)))
    yield "asked, another secret's", asked(
        lambda h, p: wire.frame(0, wire.YES, wire.prove(wire.token_of(OTHER, "member"), wire.FOR_LEADER, h, bytes(16))))


def member(folder):
    port = free_port()
    job = Job(folder, "member", 2, port)
    listener = socket.create_server(("127.0.0.1", port))
    one = job.start(1)
    came = set()
    for name, answer in false_answers():
        s = listener.accept()[0]
        s.settimeout(30)
        h = wire.take(s, 384)
        said = answer(h, None)
        wire.say(s, said)
        if said[:16] == wire.frame(0, wire.ASK, bytes(16))[:16]:
            p = wire.take(s, 64)
            wire.say(s, answer(h, p))
            came.add(p)
        came.add(h)
        # Only one that belongs to the job is served: this one is left.
        rest = wire.take(s, 1 << 20)
        note("false leader, " + name, one.poll() is None and len(h) == 384 and len(rest) < 1 << 16, "the member ended, or went on")
        s.close()
    note("each hello and proof differs", len(came) == 21 + 9, str(len(came)))
    listener.close()
    lead = job.start(0)
    ends("the job of false leaders, process 0", lead, 0, "PASS")
    ends("the job of false leaders, process 1", one, 0)


# ---- in the middle ----

def changes():
    """What becomes of the messages of the leader behind its yes: (complete, the rest) as bytes; the status of the member."""
    end = wire.frame(0, wire.END, struct.pack("<i", 0))
    yield "as it is", lambda c, e: (c, e), 3
    yield "a bit of the first", lambda c, e: (c[:20] + bytes([c[20] ^ 1]) + c[21:], e), 2
    yield "a bit of the seal", lambda c, e: (c[:-1] + bytes([c[-1] ^ 1]), e), 2
    yield "a bit of the kind", lambda c, e: (c[:4] + b"\1" + c[5:], e), 2
    yield "without the first", lambda c, e: (b"", e), 2
    yield "in another order", lambda c, e: (e, c), 2
    yield "the first twice", lambda c, e: (c + c, e), 70
    yield "no end", lambda c, e: (c, b""), 70
    yield "half an end", lambda c, e: (c, e[:20]), 70
    yield "another status", lambda c, e: (c, e[:16] + struct.pack("<i", 0) + e[20:]), 70
    yield "an end without a seal", lambda c, e: (c + end, e), 70
    yield "an end with zeros", lambda c, e: (c + end + bytes(16), e), 70
    yield "an end with the seal of another", lambda c, e: (c + end + c[-16:], e), 70
    yield "an end twice", lambda c, e: (c, e + e), 3
    yield "a call without a seal", lambda c, e: (c + wire.frame(1, 1, bytes(64)), e), 70
    yield "a huge message", lambda c, e: (c + wire.frame(1, 1, count=2**32 - 1), e), 70


def pass_on(from_, to, count):
    piece = wire.take(from_, count)
    to.sendall(piece)
    return piece


def between(folder, port, name, change, status, old):
    """A job of two, with a process between them that changes what the leader sends. `old` gets what was heard, to be sent again."""
    job = Job(folder, "between", 2, port, "hangs.lua")
    listener = socket.create_server(("127.0.0.1", 0))
    lead, one = job.start(0), job.start(1, listener.getsockname()[1])
    m = listener.accept()[0]
    m.settimeout(30)
    up = job.connect()
    said = pass_on(m, up, 384)
    asked = pass_on(up, m, 32)
    said += pass_on(m, up, 64 + struct.unpack("<I", said[376:380])[0])
    yes = pass_on(up, m, 48)
    head = wire.take(up, 16)
    complete = head + wire.take(up, (struct.unpack("<I", head[12:])[0] + 15) // 16 * 16 + 16)
    rest = wire.take(up, 48)
    first, second = change(complete, rest)
    wire.say(m, first + second, last=True)
    old.append((said, yes, complete, rest))
    ends("between, %s, process 1" % name, one, status)
    for s in (m, up, listener):
        s.close()
    ends("between, %s, process 0" % name, lead, 3)


def replay(folder, port, old):
    """A job of the same name and secret, at which the member of an earlier one seems to come again, and the leader at the member."""
    said, yes, complete, rest = old[0]
    job = Job(folder, "between", 2, port, "hangs.lua")
    lead = job.start(0)
    s = job.connect()
    wire.say(s, said)
    answer, after = wire.hear(s), wire.hear(s)
    note("replay of a member", answer[0] == wire.ASK and unproved(after), "answered with %r" % (after,))
    listener = socket.create_server(("127.0.0.1", 0))
    one = job.start(1, listener.getsockname()[1])
    m = listener.accept()[0]
    m.settimeout(30)
    wire.take(m, 384)
    wire.say(m, wire.frame(0, wire.ASK, bytes(16)) + yes + complete + rest)
    wire.take(m, 1 << 20)
    note("replay of a leader", one.poll() is None, "the member ended")
    m, up = listener.accept()[0], job.connect() # and now to its leader
    threads = [threading.Thread(target=lambda a=a, b=b: [b.sendall(x) for x in iter(lambda: a.recv(4096), b"")]) for a, b in ((m, up), (up, m))]
    for t in threads:
        t.daemon = True
        t.start()
    ends("after the replay, process 0", lead, 3)
    ends("after the replay, process 1", one, 3)
    s.close()


def middle(folder):
    old, port = [], free_port()
    for name, change, status in changes():
        between(folder, port, name, change, status, old)
    replay(folder, port, old)


# ---- members that know the secret ----

def joined(job, number):
    """A member by hand that has been taken in; its keys are (to the leader, from the leader)."""
    s = job.connect()
    h = wire.hello(VERSION, number=number, processes=job.processes)
    wire.say(s, h)
    challenge = wire.hear(s)[1]
    own = wire.prove(job.token, wire.FOR_OWN, h, challenge)
    wire.say(s, own + wire.prove(job.token, wire.FOR_MEMBER, h, challenge, own))
    line, body = wire.hear(s)
    proof = wire.prove(job.token, wire.FOR_LEADER, h, challenge)
    note("the leader proves who it is", line == wire.YES and body == proof, "%r" % ((line, body),))
    return s, wire.prove(job.token, wire.FOR_UP, h, challenge), wire.prove(job.token, wire.FOR_DOWN, h, challenge)


def traitor(folder):
    """One that leaves before all have joined ends the job, with its name; one that stays to the end hears it, sealed."""
    job = Job(folder, "leaves", 3, free_port())
    lead = job.start(0)
    joined(job, 2)[0].close()
    ends("a member leaves", lead, 2, "process 2 (host h) has ended before all processes had joined")
    job = Job(folder, "stays", 2, free_port(), "hangs.lua")
    lead = job.start(0)
    s, up, down = joined(job, 1)
    head = wire.take(s, 16)
    rest = wire.take(s, (struct.unpack("<I", head[12:])[0] + 15) // 16 * 16 + 16)
    note("the first message is sealed", wire.sealed(down, 0, head + rest[:-16]) == head + rest, "another seal")
    end = wire.take(s, 48)
    note("the end is sealed", wire.sealed(down, 2**64 - 1, end[:32]) == end and end[16:20] == struct.pack("<i", 3), "%r" % end)
    s.close()
    ends("a member stays", lead, 3)


def whole(part, folder):
    try:
        part(folder)
    except Exception:
        note(part.__name__, False, traceback.format_exc())


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        for name, who in ("right", "true"), ("hangs", "rank == 0"):
            with open(os.path.join(folder, name + ".lua"), "w") as f:
                f.write('local x = cuda.buffer("float32", 4):fill(1)\nif %s then world:all_reduce(x) end\nstream:sync()\n' % who)
        parts = [threading.Thread(target=whole, args=(part, folder)) for part in (leader, member, middle, traitor)]
        for t in parts:
            t.start()
        for t in parts:
            t.join()
    print("\n".join(complaints))
    print("%d hostile peers, %d complaints" % (made, len(complaints)))
    sys.exit(bool(complaints) or made < 120)


main()
