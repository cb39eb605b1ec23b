"""Recordings of ncclscript record, sound ones and spoilt ones (src/api/recording.h)."""
import struct

FUNCTIONS, THREADS, COMMS, PAIRS, SITES, LASTING, RING = range(7)
SIZES = [64, 160, 24, 16, 384, 128, 128]
NAMES = [("ncclCommInitRank", 4), ("ncclAllReduce", 7), ("ncclGroupEnd", 0), ("ncclCommDestroy", 1), ("ncclSend", 6)]
INIT, ALL_REDUCE, GROUP_END, DESTROY, SEND = range(5)
REAL = 1700000000 * 10**9


def entry(seq, fn, args, begin=None, ticks=1.0, thread=0, site=0, rc=0, number=0, ordinal=0, kind=0, depth=0, lists=0, device=0):
    args = [a & (2**64 - 1) for a in args] + [0] * (11 - len(args))
    return struct.pack("<QQfHHHhIIBBBB11Q", seq, begin if begin is not None else 1000 + 10 * seq, ticks, fn, thread, site, rc,
                       number, ordinal, kind, depth, lists, device, *args)


def site(address=0x1000, offset=0x1000, build=b"", line=0, module=b"", name=b""):
    return struct.pack("<QQ20sI256s88s", address, offset, build, line, module, name)


class Recording:
    """Rank 0 of 2 waits in an all-reduce, whose place is the first of `sites`."""

    def __init__(self, rank=0, nranks=2, sites=(), calls=None, lasting=None, entries=None, program=b"train", host=b"node",
                 names=NAMES, pid=1, **head):
        self.entries = dict(zip(range(7), [len(names), 2, 2, 2, max(len(sites), 1), 64, 64]))
        self.entries.update(entries or {})
        self.rank, self.nranks, self.sites, self.program, self.host, self.pid = rank, nranks, list(sites), program, host, pid
        self.names, self.head = names, head
        self.lasting = lasting if lasting is not None else [entry(1, INIT, [0x50, nranks, 7, rank], begin=10)]
        self.calls = calls if calls is not None else [
            entry(1, ALL_REDUCE, [0x10, 0x20, 64, 7, 0, 0x50, 0x60], ticks=0.0, site=1, number=1, ordinal=1)]

    def bytes(self):
        at, areas, body = 4096, [], b""
        parts = [b"".join(struct.pack("<60sI", n.encode(), count) for n, count in self.names),
                 struct.pack("<IIQQQ", 1, 1, 0, 0, 0) + b"\0" * 128, struct.pack("<QIIII", 0x50, 1, 1, 0, 0), b"",
                 b"".join(self.sites), b"".join(self.lasting), b"".join(self.calls)]
        for i in range(7):
            part = parts[i].ljust(min(self.entries[i], 1 << 16) * SIZES[i], b"\0")
            areas.append(struct.pack("<QII", at, self.entries[i], SIZES[i]))
            body += part
            at += len(part)
        get = self.head.get
        if "areas" in self.head:
            areas = get("areas")(areas)
        head = b"NCSREC1\n" + struct.pack("<IIQ", get("version", 2), get("order", 0x01020304), get("bytes", at)) + b"".join(areas)
        head += struct.pack("<iiii", self.pid, self.rank, self.nranks, get("nccl", 23007)) + struct.pack("<Qq", 0, get("opened", REAL))
        head += struct.pack("<32s64s256s512s", b"RANK", self.host, self.program, b"")
        head += struct.pack("<QqQqQ", 1000, REAL + 1000, 1000, REAL + 1000, 1) + struct.pack(
            "<QQ", get("next_lasting", len(self.lasting)), get("next", len(self.calls)))
        head += struct.pack("<IIIII", 1, get("used_sites", len(self.sites)), get("comms_lost", 0), get("ended", 0), get("threads_lost", 0))
        return head.ljust(4096, b"\0") + body


def pair(**of_first):
    """A job of two ranks: rank 1 has ended without the call."""
    return {"0.ncclrec": Recording(**of_first).bytes(), "1.ncclrec": Recording(rank=1, calls=[], ended=1).bytes()}
