"""What a program comes to, by the documented rules of matching alone (docs, `ncclscript explain`): hosts, streams,
launches, contact, messages without buffers, data. Each rank is a thread that runs until it has to wait; device work
moves only when no host can run. It knows nothing of the simulator and nothing of the diagnosis."""
import threading

import lua
from lua import LuaError, Table

BYTES = {"float32": 4, "float64": 8, "int32": 4, "float16": 2, "bfloat16": 2, "int64": 8}
COMPOSED = ("gather", "scatter", "all_to_all")
REDUCE = {"sum": sum, "max": max, "min": min, "avg": lambda v: sum(v) / len(v)}


class Stop(BaseException):
    pass


class Object:
    def lua_index(self, k):
        method = getattr(self, "m_" + str(k), None)
        if method:
            return lambda _, *args: method(*args)
        return getattr(self, "f_" + str(k), None)


def opt(options, key, default=None):
    v = options.get(key) if isinstance(options, Table) else None
    return default if v is None else v


class Op:
    """Device work: runs once what it depends on is done."""

    def __init__(self, rank, deps, action=None):
        self.rank, self.deps, self.action, self.done = rank, [d for d in deps if d and not d.done], action, False

    def ready(self):
        return all(d.done for d in self.deps)

    def step(self):
        if self.ready():
            if self.action:
                self.action()
            self.done = True
        return self.done


class Part:
    def __init__(self, kind, comm, rank, **args):
        self.kind, self.comm, self.rank, self.done, self.active = kind, comm, rank, False, False
        self.__dict__.update(args)


class Launch(Op):
    """A group's calls of one rank on one communicator: collectives in order, then messages at once."""

    def __init__(self, rank, deps, comm, parts):
        super().__init__(rank, deps)
        self.comm, self.parts = comm, parts

    def step(self):
        if not self.ready():
            return False
        moved = False
        for p in sorted(self.parts, key=lambda p: p.kind in ("send", "recv")):
            if not p.done and not p.active:
                p.active = moved = True
            if not p.done and p.kind not in ("send", "recv"):
                moved |= p.comm.try_meeting(p.seq)
                if not p.done:
                    return moved
            elif not p.done:
                moved |= p.comm.try_message(p)
        self.done = all(p.done for p in self.parts)
        return moved or self.done


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


class Buffer(Object):
    def __init__(self, rank, dtype, count, store=None, first=0):
        self.rank, self.f_dtype, self.f_count, self.first = rank, dtype, count, first
        self.store = store if store is not None else [None] * count
        self.f_bytes = count * BYTES[dtype]

    def __len__(self):
        return self.f_count

    def read(self, count):
        return self.store[self.first:self.first + count]

    def write(self, values):
        self.store[self.first:self.first + len(values)] = values

    def lua_index(self, k):
        return self.store[self.first + k - 1] if isinstance(k, int) else super().lua_index(k)

    def put(self, options, action):
        stream = opt(options, "stream")
        if stream:
            stream.enqueue(action)
        else:
            action()
        return self

    def m_fill(self, value, options=None):
        if isinstance(value, Table):
            values = value.list()
        elif callable(value):
            values = [lua.values(value(i))[0] for i in range(1, self.f_count + 1)]
        else:
            values = [value] * self.f_count
        return self.put(options, lambda: self.write(values))

    def m_copy_from(self, other, options=None):
        return self.put(options, lambda: self.write(other.read(min(self.f_count, other.f_count))))

    def m_add(self, other, options=None):
        return self.put(options, lambda: self.write(
            [None if None in pair else pair[0] + pair[1] for pair in zip(self.read(self.f_count), other.read(self.f_count))]))

    def m_slice(self, first, count=None):
        count = self.f_count - first + 1 if count is None else count
        if first + count - 1 > self.f_count:
            raise LuaError("slice")
        return Buffer(self.rank, self.f_dtype, count, self.store, self.first + first - 1)

    def m_part(self, k, n=None):
        size = self.f_count // (n or self.rank.job.n)
        return self.m_slice(k * size + 1, size)

    def m_get(self):
        return Table(self.read(self.f_count))


class Stream(Object):
    def __init__(self, rank):
        self.rank, self.tail, self.capture = rank, None, None

    def enqueue(self, action):
        self.tail = self.rank.add(Op(self.rank, [self.tail], action))
        self.rank.touch()

    def m_sync(self, *_):
        self.rank.note("sync")
        tail = self.tail
        self.rank.park(lambda: not tail or tail.done)
        return self

    def m_query(self):
        return not self.tail or self.tail.done

    def m_wait(self, event):
        self.rank.note("wait")
        self.tail = self.rank.add(Op(self.rank, [self.tail, event.op]))
        return self

    def m_delay(self, _):
        self.enqueue(None)
        return self


class Event(Object):
    def __init__(self, rank):
        self.rank, self.op = rank, None

    def m_record(self, stream=None):
        self.rank.note("record")
        self.op = (stream or self.rank.stream).tail
        return self

    def m_sync(self):
        op = self.op
        self.rank.park(lambda: not op or op.done)
        return self


class Graph(Object):
    def __init__(self, rank, stream, calls):
        self.rank, self.calls, self.live = rank, calls, True
        for call in calls:
            call[0].graphs[rank.number] = call[0].graphs.get(rank.number, 0) + 1

    def m_launch(self, stream=None):
        stream = stream or self.rank.stream
        for comm, make in self.calls:
            self.rank.launch([(comm, stream, make)])
        return self

    def m_destroy(self):
        for comm, _ in self.calls:
            comm.graphs[self.rank.number] -= 1
        self.calls = []
        return self


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


class Rank:
    def __init__(self, job, number):
        self.job, self.number, self.over, self.ready = job, number, False, None
        self.depth, self.queued, self.capturing, self.trace, self.last = 0, [], None, [], {}
        self.barriers, self.stuck = 0, None
        self.go = threading.Semaphore(0)
        self.stream = Stream(self)
        self.thread = threading.Thread(target=self.body, daemon=True)

    # ---- threads ----

    def body(self):
        self.go.acquire()
        try:
            if self.job.stopping:
                return
            self.interp.run(self.job.names(self))
            mine = [o for o in self.job.ops if o.rank is self]
            if self.depth:
                self.job.open_groups.append(self.number)
            self.park(lambda: all(o.done for o in mine))
        except Stop:
            pass
        except (LuaError, TypeError, AttributeError, KeyError, IndexError, ZeroDivisionError) as e:
            self.job.errors.append((self.number, self.interp.line, repr(e)))
            self.failed = True
        self.over = not hasattr(self, "failed")
        self.ended = True
        self.job.turn.release()

    def park(self, ready):
        self.touch()
        if ready():
            return
        self.ready, self.stuck = ready, self.interp.line
        self.job.turn.release()
        self.go.acquire()
        if self.job.stopping:
            raise Stop()
        self.ready = None

    def touch(self):
        self.job.steps += 1
        if self.job.steps > self.job.limit:
            raise LuaError("too many steps")

    # ---- calls ----

    def note(self, kind, comm=None, **args):
        self.trace.append((kind, comm.f_name if comm else None, args, self.interp.line, comm.f_nranks if comm else 0))

    def add(self, op):
        self.job.ops.append(op)
        return op

    def comm(self, key, members, name):
        group = self.job.groups.setdefault(key, None) or Group(self.job, members)
        self.job.groups[key] = group
        return Comm(self, group, name)

    def queue(self, group, stream, make, contact):
        self.queued.append((group, stream, make, contact))
        if self.depth == 0:
            self.flush()

    def flush(self):
        calls, self.queued = self.queued, []
        waits = []
        for group, _, _, contact in calls:
            for c in contact:
                group.entered.add(c)
                if c[0] == "x":
                    waits.append((group, [("x", m) for m in group.members]))
                else:
                    waits.append((group, [("recv" if c[0] == "send" else "send", c[2], c[1])]))
        self.park(lambda: all(w in group.entered for group, all_of in waits for w in all_of))
        if self.capturing is not None:
            self.capturing.extend((group, make) for group, _, make, _ in calls)
            return
        self.launch([call[:3] for call in calls])

    def launch(self, calls):
        for group in dict.fromkeys(c[0] for c in calls):
            mine = [c for c in calls if c[0] is group]
            parts = [p for c in mine for p in c[2]()]
            streams = list(dict.fromkeys(c[1] for c in mine))
            op = self.add(Launch(self, [s.tail for s in streams] + [self.last.get(group)], group, parts))
            self.last[group] = op
            for s in streams:
                s.tail = op
        self.touch()

    def group_start(self):
        self.depth += 1

    def group_end(self):
        if self.depth == 0:
            raise LuaError("not in a group call")
        self.depth -= 1
        if self.depth == 0:
            self.flush()


class Job:
    def __init__(self, source, n, watched=(), watch=None, limit=60000):
        self.n, self.stopping, self.limit, self.steps = n, False, limit, 0
        self.ops, self.groups, self.errors, self.wrong, self.disagree = [], {}, [], [], False
        self.keys, self.arrived, self.open_groups = {}, {}, []
        self.turn = threading.Semaphore(0)
        self.ranks = [Rank(self, r) for r in range(n)]
        for r in self.ranks:
            r.interp = lua.Interpreter(source, watched, watch and (lambda line, scope, r=r: watch(r.number, line, scope)))

    def run(self):
        for r in self.ranks:
            r.ended = False
            r.thread.start()
        while True:
            moved = False
            for r in self.ranks:
                if not r.ended and (r.ready is None or r.ready()):
                    r.go.release()
                    self.turn.acquire()
                    moved = True
            if moved:
                continue
            self.ops = [o for o in self.ops if not o.done]
            if not any(o.step() for o in self.ops):
                break
        self.waiting = {r.number: r.stuck for r in self.ranks if not r.ended}
        self.stopping = True
        for r in self.ranks:
            if not r.ended:
                r.go.release()
                self.turn.acquire()
        if self.errors:
            return "error"
        if self.waiting:
            return "hang"
        return "wrong" if self.wrong or self.disagree or self.open_groups else "pass"

    def expect(self, rank, got, want, options=None):
        rank.note("expect")
        if isinstance(got, Buffer):
            have = got.read(got.f_count)
            wants = [lua.values(want(i + 1))[0] for i in range(len(have))] if callable(want) else \
                want.list() if isinstance(want, Table) else [want] * len(have)
        else:
            have, wants = [got], [want]
        for h, w in zip(have, wants):
            if h is None or not abs(h - w) <= 1e-6 * max(1, abs(w)):
                self.wrong.append((rank.number, rank.interp.line, h, w))
                return False
        return True

    def names(self, r):
        job = self

        class Store(Object):
            def m_set(self, key, value):
                r.note("set")
                job.keys[key] = value
                r.touch()

            def m_get(self, key, options=None):
                r.note("get")
                r.park(lambda: key in job.keys)
                return job.keys[key]

            def m_add(self, key, n):
                job.keys[key] = job.keys.get(key, 0) + n
                return job.keys[key]

        def barrier(options=None):
            r.note("barrier")
            who = opt(options, "ranks")
            who = tuple(who.list()) if who else tuple(range(job.n))
            time = r.last[who] = r.last.get(who, 0) + 1
            room = job.arrived.setdefault((who, time), set())
            room.add(r.number)
            r.park(lambda: len(room) == len(who))
            return True

        def group(*args):
            r.group_start()
            got = args[-1]()
            r.group_end()
            return got

        def graph(stream, fn, options=None):
            before, r.capturing = r.capturing, []
            fn()
            calls, r.capturing = r.capturing, before
            return Graph(r, stream, calls)

        def remove(t, at=None):
            all = t.list()
            if not all:
                return None
            v = all.pop(len(all) - 1 if at is None else at - 1)
            t.h = {**{k: x for k, x in t.h.items() if not isinstance(k, int)}, **{i + 1: x for i, x in enumerate(all)}}
            return v

        def insert(t, *args):
            all = t.list()
            all.insert(len(all) if len(args) == 1 else args[0] - 1, args[-1])
            t.h.update({i + 1: x for i, x in enumerate(all)})

        def pairs(t):
            whole = [(i + 1, v) for i, v in enumerate(t.list())]
            return whole + sorted(((k, v) for k, v in t.h.items() if not (isinstance(k, int) and 1 <= k <= len(whole))), key=lambda p: str(p[0]))

        def setmetatable(t, mt):
            t.mt = mt
            return t

        def error(text):
            raise LuaError(text)

        def module(**fields):
            t = Table()
            t.h = fields
            return t
        return {
            "rank": r.number, "nranks": job.n, "stream": r.stream, "world": r.comm("world", list(range(job.n)), "world"),
            "store": Store(), "barrier": barrier, "scenario": lambda t: None, "print": lambda *a: None, "error": error,
            "setmetatable": setmetatable, "tostring": lua.number_text, "ipairs": lambda t: [list(enumerate(t.list(), 1))],
            "pairs": lambda t: [pairs(t)], "sleep": lambda s: None,
            "expect": module(equal=lambda *a: job.expect(r, *a)),
            "nccl": module(NOCOLOR=-1, group=group),
            "C": module(ncclGroupStart=r.group_start, ncclGroupEnd=r.group_end),
            "cuda": module(buffer=lambda dtype, count, options=None: Buffer(r, dtype, count),
                           stream=lambda options=None: Stream(r), event=lambda options=None: Event(r), graph=graph),
            "math": module(max=max, min=min, floor=lambda v: int(v // 1)),
            "table": module(insert=insert, remove=remove, concat=lambda t, sep="": sep.join(lua.number_text(v) for v in t.list()),
                            sort=lambda t, less=None: t.h.update(enumerate(sorted(t.list()), 1))),
            "string": module(format=lua.text_format),
        }
