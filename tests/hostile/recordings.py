"""Hostile recordings, and files of code beside them."""
import os
import random
import struct
import subprocess
import tempfile

from attempt import Attempt
from dumps import ESC
from recording import *

RAW = b"\x1b[2J\x1b]0;x\x07\xe2\x80\xae\xc2\x9b\xff"


def recorded():
    for where in (b"../secret.py", b"/proc/self/environ", b"/dev/stdin", b"/proc/self/fd/0", RAW, b"A" * 255, b"..", b"/", b"SECRET.py",
                  b"HERE/./../secret.py", b"HERE/link.py", b"HERE/pipe.py", b"HERE/own.py", b"HERE/folder.py"):
        yield "a line in %r" % where[:14], dict(sites=[site(module=where, line=1)])
    yield "a line beyond", dict(sites=[site(module=b"HERE/own.py", line=2**32 - 1)])
    yield "names", dict(sites=[site(module=RAW, name=RAW)], program=RAW, host=RAW)
    yield "names of 88 bytes", dict(sites=[site(module=b"A" * 256, name=b"B" * 88)], program=b"C" * 256, host=b"D" * 64)
    yield "code without a file", dict(sites=[site(module=b"HERE/nowhere", build=b"\1" * 20)])
    yield "another version", dict(version=3)
    yield "another byte order", dict(order=0x04030201)
    yield "huge bytes", dict(bytes=2**63)
    yield "huge areas", dict(areas=lambda a: [struct.pack("<QII", 2**63, 2**32 - 1, s) for s in SIZES])
    yield "areas that wrap", dict(areas=lambda a: [struct.pack("<QII", 2**64 - 64, 2, s) for s in SIZES])
    yield "areas of no entries", dict(areas=lambda a: [struct.pack("<QII", 4096, 0, s) for s in SIZES])
    yield "areas one byte off", dict(areas=lambda a: [struct.pack("<QII", struct.unpack("<QII", x)[0] - 1, *struct.unpack("<QII", x)[1:]) for x in a])
    yield "a ring of three", dict(areas=lambda a: a[:6] + [struct.pack("<QII", struct.unpack("<QII", a[6])[0], 3, 128)])
    yield "all areas one", dict(areas=lambda a: [struct.pack("<QII", 4096, 4, s) for s in SIZES])
    yield "next beyond", dict(next=2**64 - 1, next_lasting=2**64 - 1)
    yield "sites beyond", dict(used_sites=2**32 - 1)
    yield "ranks beyond", dict(rank=2**31 - 1, nranks=2**31 - 1)
    yield "ranks below", dict(rank=-2**31, nranks=-2**31)
    yield "lost ones", dict(comms_lost=2**32 - 1)
    yield "times of the edge", dict(opened=-2**63, calls=[entry(1, ALL_REDUCE, [1, 2, 64, 7, 0, 0x50, 6], begin=2**64 - 1, ticks=0.0, site=1, number=1, ordinal=1)])
    yield "time is no number", dict(calls=[entry(1, ALL_REDUCE, [1, 2, 64, 7, 0, 0x50, 6], ticks=float("nan"), number=1, ordinal=1)])
    for name, more in (("function", dict(fn=65535)), ("thread", dict(thread=65535)), ("site", dict(site=65535)), ("kind", dict(kind=255)),
                       ("list", dict(lists=255)), ("depth", dict(depth=255)), ("number", dict(number=2**32 - 1, ordinal=2**32 - 1)),
                       ("device", dict(device=255)), ("result", dict(rc=-1))):
        yield "a %s beyond" % name, dict(calls=[entry(1, more.pop("fn", ALL_REDUCE), [1, 2, 64, 7, 0, 0x50, 6], **more)])
    yield "arguments beyond", dict(calls=[entry(1, ALL_REDUCE, [2**64 - 1] * 5 + [0x50, 2**64 - 1], number=1, ordinal=1)])
    yield "a type and an operator beyond", dict(calls=[entry(1, ALL_REDUCE, [1, 2, 64, 2**31 - 1, -2**31, 0x50, 6], number=1, ordinal=1)])
    yield "an init of negative ranks", dict(lasting=[entry(1, INIT, [0x50, -1, 7, -1], begin=10)])
    yield "an init of many ranks", dict(lasting=[entry(1, INIT, [0x50, 10000, 7, 9999], begin=10)])
    yield "an init beyond", dict(lasting=[entry(1, INIT, [0x50, 2**31 - 1, 7, 2**31 - 2], begin=10)])
    yield "ends without a start", dict(calls=[entry(i + 1, GROUP_END, [], depth=0) for i in range(64)], entries={RING: 64})
    yield "groups within groups", dict(calls=[entry(i + 1, ALL_REDUCE, [1, 2, 64, 7, 0, 0x50, 6], depth=200, number=i + 1, ordinal=i + 1) for i in range(64)])
    yield "lists without calls", dict(calls=[entry(i + 1, INIT, [2**64 - 1] * 11, begin=5, kind=1, number=i, ordinal=11, lists=11) for i in range(64)])
    yield "20000 calls", dict(calls=[entry(i + 1, ALL_REDUCE, [0x10, 0x20, 64, 7, 0, 0x50, 6], number=i + 1, ordinal=i + 1) for i in range(16384)], entries={RING: 16384})
    yield "2000 communicators", dict(lasting=[entry(i + 1, INIT, [0x50 + i, 2, 7 + i, 0], begin=10 + i) for i in range(2048)], entries={LASTING: 2048})
    yield "functions without an end", dict(names=[("A" * 60, 4), ("ncclAllReduce", 7), ("ncclAllReduce", 255), ("", 0), ("../x", 2**32 - 1)])


def spoilt_code(whole):
    """A file of code, as it is spoilt."""
    def put(at, fmt, *values):
        b = bytearray(whole)
        struct.pack_into(fmt, b, at, *values)
        return bytes(b)
    yield "cut off", whole[:len(whole) // 2]
    yield "a head alone", whole[:64]
    yield "63 bytes", whole[:63]
    yield "sections at an odd place", put(0x28, "<Q", len(whole) - 63)
    yield "sections beyond", put(0x28, "<Q", 2**64 - 8)
    yield "65535 sections", put(0x3c, "<H", 65535)
    yield "segments at an odd place", put(0x20, "<Q", 65)
    yield "segments beyond", put(0x20, "<Q", 2**64 - 1)
    yield "65535 segments", put(0x38, "<H", 65535)
    yield "another class", put(4, "<B", 1)
    yield "big-endian", put(5, "<B", 2)
    chance = random.Random(7)
    for i in range(8):
        b = bytearray(whole)
        for _ in range(200):
            b[chance.randrange(64, len(b))] = chance.randrange(256)
        yield "200 bytes by chance, %d" % i, bytes(b)
    at = struct.unpack_from("<Q", whole, 0x28)[0]
    for i in range(6):
        b = bytearray(whole)
        for s in range(at, len(b) - 64, 64): # the offsets, sizes and links of all sections
            for field, size in ((24, 8), (32, 8), (40, 4)):
                if chance.random() < 0.3:
                    b[s + field:s + field + size] = bytes(chance.choice((0, 1, 7, 255)) for _ in range(size))
        yield "sections by chance, %d" % i, bytes(b)


def code_file():
    with tempfile.TemporaryDirectory() as folder:
        source, code = os.path.join(folder, "p.c"), os.path.join(folder, "p")
        with open(source, "w") as f:
            f.write("int f(int i) { return i * 3; }\nint main(int n, char **v) { return v ? f(n) : 1; }\n")
        compiler = os.environ.get("CC", "cc").split()
        done = subprocess.run(compiler + ["-g", "-O0", "-Wl,--build-id=none", "-o", code, source], stderr=subprocess.DEVNULL)
        with open(code if done.returncode == 0 else "/bin/true", "rb") as f:
            return f.read()


def attempts():
    own = {"own.py": "print('own')\n", "folder.py/x": ""}
    for name, more in recorded():
        yield Attempt("recording, " + name, dict(pair(**more), **own), None, links=[("link.py", "../secret.py")], pipes=["pipe.py"], old=["own.py"])
    sound = pair()["0.ncclrec"]
    for i, cut in enumerate((8, 100, 4095, 4096, len(sound) - 1)):
        yield Attempt("recording, %d bytes" % cut, {"0.ncclrec": sound[:cut]}, None)
    chance = random.Random(11)
    for i in range(10):
        b = bytearray(sound)
        for _ in range(60):
            b[chance.randrange(20, len(b))] = chance.choice((0, 1, 127, 128, 255))
        yield Attempt("recording, by chance, %d" % i, dict(pair(), **{"0.ncclrec": bytes(b)}), None)
    yield Attempt("recording, one rank often", {"%d.ncclrec" % i: sound for i in range(20)}, None)
    yield Attempt("recording, a link", {"0.ncclrec": sound}, None, links=[("1.ncclrec", "/dev/zero")])
    for name, code in spoilt_code(code_file()):
        files = pair(sites=[site(module=b"HERE/code", offset=o, address=o) for o in (0x1130, 0x1139, 0x1000, 2**63)], opened=2 * 10**18)
        yield Attempt("code, " + name, dict(files, code=code), None, old=["code"])
