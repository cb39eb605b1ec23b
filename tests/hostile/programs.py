#!/usr/bin/env python3
"""Runs programs whose symbols and debug information are spoilt: programs.py PROGRAM CLIENT. What is loaded stays as it is."""
import concurrent.futures
import os
import random
import struct
import sys
import tempfile

from attempt import Attempt
import attempt

NAMES = (".symtab", ".strtab", ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str", ".debug_aranges",
         ".debug_rnglists", ".debug_loclists")
ESCAPES = b"\x1b[2J\x1b]0;x\x07\xe2\x80\xae\xc2\x9b\xff"


class Elf:
    def __init__(self, whole):
        self.whole = whole
        self.at, self.count, names = struct.unpack_from("<Q", whole, 0x28)[0], *struct.unpack_from("<HH", whole, 0x3c)
        heads = [struct.unpack_from("<IIQQQQIIQQ", whole, self.at + 64 * i) for i in range(self.count)]
        texts = heads[names][4]
        self.sections = {whole[texts + h[0]:whole.index(b"\0", texts + h[0])].decode(): (i, h[4], h[5]) for i, h in enumerate(heads)}

    def head(self, name, field, fmt, value):
        """With another field of the section's head; `field` is its place there."""
        b = bytearray(self.whole)
        struct.pack_into(fmt, b, self.at + 64 * self.sections[name][0] + field, value)
        return bytes(b)

    def body(self, name, change):
        """With another text of the section, of the same length."""
        _, at, size = self.sections[name]
        new = change(self.whole[at:at + size])
        assert len(new) == size, name
        return self.whole[:at] + new + self.whole[at + size:]


def by_chance(chance, share):
    def change(old):
        new = bytearray(old)
        for _ in range(max(1, int(len(new) * share))):
            new[chance.randrange(len(new))] = chance.choice((0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)))
        return bytes(new)
    return change


def spoilt(elf):
    chance = random.Random(5)
    for name in NAMES:
        if name not in elf.sections:
            continue
        yield name + ", zeros", elf.body(name, lambda old: bytes(len(old)))
        yield name + ", ones", elf.body(name, lambda old: b"\xff" * len(old))
        yield name + ", turned round", elf.body(name, lambda old: old[::-1])
        yield name + ", some bytes", elf.body(name, by_chance(chance, 0.01))
        yield name + ", many bytes", elf.body(name, by_chance(chance, 0.3))
        yield name + ", moved", elf.body(name, lambda old: old[7:] + old[:7])
        yield name + ", no bytes", elf.head(name, 32, "<Q", 0)
        yield name + ", huge", elf.head(name, 32, "<Q", 2**63)
        yield name + ", beyond the file", elf.head(name, 24, "<Q", len(elf.whole) + 4096)
        yield name + ", wraps", elf.head(name, 24, "<Q", 2**64 - 8)
        yield name + ", compressed, it says", elf.head(name, 8, "<Q", 0x800)
        yield name + ", without bytes, it says", elf.head(name, 4, "<I", 8)
        yield name + ", entries of 0", elf.head(name, 56, "<Q", 0)
        yield name + ", linked to itself", elf.head(name, 40, "<I", elf.sections[name][0])
    yield "names with escapes", elf.whole.replace(b"rank_main\0", ESCAPES[:9] + b"\0").replace(b"hang.c\0", ESCAPES[-6:] + b"\0")
    yield "no names", elf.whole.replace(b"rank_main\0", bytes(10))
    yield "the sections are beyond", elf.whole[:0x28] + struct.pack("<Q", 2**64 - 64) + elf.whole[0x30:]
    yield "65535 sections", elf.whole[:0x3c] + struct.pack("<H", 65535) + elf.whole[0x3e:]
    yield "sections of another size", elf.whole[:0x3a] + struct.pack("<H", 1) + elf.whole[0x3c:]
    yield "names in a section beyond", elf.whole[:0x3e] + struct.pack("<H", 65000) + elf.whole[0x40:]
    yield "no sections", elf.whole[:0x3c] + struct.pack("<HH", 0, 0) + elf.whole[0x40:]
    yield "cut off behind what is loaded", elf.whole[:elf.at]


def one(program, name, code, seconds):
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "brought")
        os.mkdir(folder)
        a = Attempt(name, {"p": code}, 3, command=["exec", "--", "./p"], has="HANG")
        attempt.write(folder, a)
        os.chmod(os.path.join(folder, "p"), 0o700)
        return attempt.run(program, folder, a, seconds)


def main():
    program = os.path.realpath(sys.argv[1])
    seconds = 90 if "sanitize" in os.environ.get("ASAN_OPTIONS", "") or attempt.MEMORY_MOST > 1 << 20 else 10
    elf = Elf(open(sys.argv[2], "rb").read())
    made, failed = list(spoilt(elf)), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, _), (wrong, _, text, _) in zip(made, pool.map(lambda m: one(program, *m, seconds), made)):
            for w in wrong:
                failed += 1
                print("%s: %s\n  | %s" % (name, w, text[:600].decode(errors="replace").replace("\x1b", "<ESC>").replace("\n", "\n  | ")))
    print("%d hostile programs, %d complaints" % (len(made), failed))
    sys.exit(failed > 0 or len(made) < 60)


main()
