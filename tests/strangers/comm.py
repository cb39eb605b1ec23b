"""Communicators: who meets whom in collectives, messages and jobs of several ranks."""
from device import BYTES, Launch, Object, Part, opt
from values import LuaError, Table

COMPOSED = ("gather", "scatter", "all_to_all")
REDUCE = {"sum": sum, "max": max, "min": min, "avg": lambda v: sum(v) / len(v)}


class Group:
    """What a communicator is to all of its ranks: members, meetings, messages, contact."""

    def __init__(self, job, members):
        self.job, self.members, self.n = job, members, len(members)
        self.entered, self.meetings, self.messages, self.met = set(), {}, {}, {}
        self.let_go, self.graphs, self.count, self.times = set(), {}, {}, {}

    def try_meeting(self, seq):
        parts = self.meetings.get(seq, [])
        if len(parts) < self.n or not all(p.active for p in parts):
            return False
        first = parts[0]
        if any((p.kind, p.bytes, p.root) != (first.kind, first.bytes, first.root) for p in parts):
            return False
        if len({p.op for p in parts}) > 1:
            self.job.disagree = True
        parts.sort(key=lambda p: self.members.index(p.rank.number))
        rows = [p.send.read(p.need) if p.send else None for p in parts]
        mixed = len({p.dtype for p in parts}) > 1
        for i, p in enumerate(parts):
            self.finish(i, p, rows, mixed)
            p.done = True
        return True

    def finish(self, i, p, rows, mixed):
        c = p.count
        if p.kind in ("all_reduce", "reduce", "reduce_scatter"):
            total = [float("nan") if mixed or None in column else REDUCE[p.op](column) for column in zip(*rows)]
            if p.kind == "all_reduce" or p.kind == "reduce" and p.root == i:
                p.recv.write(total)
            elif p.kind == "reduce_scatter":
                p.recv.write(total[i * c:(i + 1) * c])
        elif p.kind == "broadcast":
            p.recv.write(rows[p.root])
        elif p.kind == "all_gather":
            p.recv.write([v for row in rows for v in row])

    def try_message(self, p):
        key = (p.rank.number, p.peer) if p.kind == "send" else (p.peer, p.rank.number)
        other = self.messages.get(("recv" if p.kind == "send" else "send",) + key, {}).get(p.seq)
        if not other or not other.active:
            return False
        s, r = (p, other) if p.kind == "send" else (other, p)
        if s.bytes < r.bytes or r.done:
            return False
        r.data.write((s.data.read(s.count) + [None] * r.count)[:r.count])
        r.done, s.done = True, s.bytes == r.bytes
        return True


class Comm(Object):
    def __init__(self, rank, group, name):
        self.owner, self.group, self.f_name, self.own_stream, self.ended = rank, group, name, None, False
        self.f_rank, self.f_nranks = group.members.index(rank.number), group.n

    def lua_index(self, k):
        if k == "stream":
            return self.own_stream or self.owner.stream
        return super().lua_index(k)

    def lua_set(self, k, v):
        self.own_stream = v

    def collective(self, kind, send, recv, options):
        if isinstance(recv, Table):
            send, recv, options = send, None, recv
        if self.ended:
            raise LuaError("used after destroy")
        rank, n, alone = self.owner, self.f_nranks, recv is None
        root = opt(options, "root", 0) if kind in ("broadcast", "reduce", "gather", "scatter") else None
        if root is not None and not 0 <= root < n:
            raise LuaError("invalid root")
        some = send or recv
        if send and recv and send.f_dtype != recv.f_dtype:
            raise LuaError("buffers of two types")
        dtype = some.f_dtype
        sizes = [b.f_count for b in (send, recv) if b]
        if kind == "all_to_all" or kind in ("all_gather", "reduce_scatter") and alone:
            count = min(sizes) // n
        else:
            count = min(sizes)
        count = opt(options, "count", count)
        need = count * n if kind in ("reduce_scatter", "all_to_all") or kind == "scatter" and self.f_rank == root else count
        if alone and kind in ("all_gather", "reduce_scatter"):
            mine = some.m_slice(self.f_rank * count + 1, count)
            send, recv = (mine, some) if kind == "all_gather" else (some, mine)
        elif alone and kind not in ("gather", "scatter"):
            recv = send
        for b, k in ((send, need), (recv, count)):
            if b and kind != "broadcast" and b.f_count < k:
                raise LuaError("count is larger than the buffer")
        rank.note(kind, self, count=count, dtype=dtype, op=opt(options, "op", "sum"), root=root)
        if count == 0:
            return "ncclSuccess"
        group, me = self.group, rank.number

        def make():
            if kind in COMPOSED:
                return self.messages_of(kind, send, recv, count, root)
            seq = group.count[me] = group.count.get(me, 0) + 1
            part = Part(kind, group, rank, seq=seq, bytes=count * BYTES[dtype], count=count, dtype=dtype, root=root,
                        op=opt(options, "op", "sum"), send=send, recv=recv, need=need)
            group.meetings.setdefault(seq, []).append(part)
            return [part]
        contact = [("x", me)] if kind not in COMPOSED else [(d, me, p) for d, p in self.pairs(kind, root)]
        rank.queue(group, opt(options, "stream") or self.lua_index("stream"), make, contact)
        return "ncclSuccess"

    def pairs(self, kind, root):
        at, me, all = self.group.members[root or 0], self.owner.number, self.group.members
        if kind == "all_to_all":
            return [(d, p) for p in all for d in ("send", "recv")]
        up, down = ("send", "recv") if kind == "gather" else ("recv", "send")
        return [(up, at)] + ([(down, p) for p in all] if me == at else [])

    def messages_of(self, kind, send, recv, count, root):
        parts, members = [], self.group.members
        for way, peer in self.pairs(kind, root):
            whole = send if way == "send" else recv
            at = members.index(peer) * count
            wide = kind == "all_to_all" or (kind == "gather") == (way == "recv")
            parts.append(self.message(way, whole.m_slice(at + 1, count) if wide else whole.m_slice(1, count), peer, count))
        return parts

    def message(self, way, data, peer, count):
        group, me = self.group, self.owner.number
        pair = (way, me, peer) if way == "send" else (way, peer, me)
        queue = group.messages.setdefault(pair, {})
        part = Part(way, group, self.owner, peer=peer, seq=len(queue), data=data, count=count, bytes=count * BYTES[data.f_dtype])
        queue[part.seq] = part
        return part

    def point(self, way, data, peer, options):
        if self.ended:
            raise LuaError("used after destroy")
        if not 0 <= peer < self.f_nranks:
            raise LuaError("invalid peer")
        count = opt(options, "count", data.f_count)
        if count > data.f_count:
            raise LuaError("count is larger than the buffer")
        self.owner.note(way, self, count=count, dtype=data.f_dtype, peer=peer)
        peer = self.group.members[peer]
        if peer == self.owner.number:
            raise LuaError("a message to oneself")
        self.owner.queue(self.group, opt(options, "stream") or self.lua_index("stream"),
                         lambda: [self.message(way, data, peer, count)], [(way, self.owner.number, peer)])
        return "ncclSuccess"

    def m_send(self, data, peer, options=None):
        return self.point("send", data, peer, options)

    def m_recv(self, data, peer, options=None):
        return self.point("recv", data, peer, options)

    def meet(self, what, members, claim):
        """A job of several ranks: waits for the same job of the others. Gives what each of them claims."""
        me, group = self.owner.number, self.group
        time = group.times[me, what] = group.times.get((me, what), 0) + 1
        room = group.met.setdefault((what, time), {})
        room[me] = claim
        self.owner.touch()
        self.owner.park(lambda: all(m in room for m in members))
        return (what, time), room

    def m_split(self, options):
        color, key = opt(options, "color"), opt(options, "key", 0)
        self.owner.note("split", self)
        what, room = self.meet("split", self.group.members, (color, key))
        if color < 0:
            return None
        all = sorted((m for m in self.group.members if room[m][0] == color), key=lambda m: (room[m][1], self.group.members.index(m)))
        return self.owner.comm(("split", id(self.group), what, color), all, opt(options, "name", "comm"))

    def m_shrink(self, out, options=None):
        left = [m for i, m in enumerate(self.group.members) if i not in out.list()]
        self.owner.note("shrink", self)
        what, _ = self.meet(("shrink", tuple(left)), left, True)
        return self.owner.comm(("shrink", id(self.group), what), left, opt(options, "name", "shrunk"))

    def join(self, key, n, me, name):  # by an id, which is a name here
        self.owner.note("init", self)
        room = self.group.met.setdefault(("id", key), {})
        room[me] = (self.owner.number, n)
        self.owner.park(lambda: len(room) == n)
        if any(size != n for _, size in room.values()):
            self.owner.park(lambda: False)
        return self.owner.comm(("id", key), [room[r][0] for r in range(n)], name)

    def m_destroy(self):
        rank, group = self.owner, self.group
        rank.note("destroy", self)
        self.ended = True
        mine = [o for o in rank.job.ops if isinstance(o, Launch) and o.rank is rank and o.comm is group]
        rank.park(lambda: all(o.done for o in mine) and not group.graphs.get(rank.number))
        group.let_go.add(rank.number)
        rank.touch()
        host = [m for m in group.members if m // 8 == rank.number // 8]
        rank.park(lambda: all(m in group.let_go or rank.job.ranks[m].over for m in host))
        rank.park(lambda: all(o.done for o in rank.job.ops if o.rank is rank))
        return "ncclSuccess"


for _kind in ("all_reduce", "broadcast", "reduce", "all_gather", "reduce_scatter") + COMPOSED:
    setattr(Comm, "m_" + _kind, lambda self, send=None, recv=None, options=None, kind=_kind: self.collective(kind, send, recv, options))
