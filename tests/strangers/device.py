"""Device work: operations in streams, launches with their parts, buffers, events, graphs."""
from values import LuaError, Table, values

BYTES = {"float32": 4, "float64": 8, "int32": 4, "float16": 2, "bfloat16": 2, "int64": 8}


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
            new = value.list()
        elif callable(value):
            new = [values(value(i))[0] for i in range(1, self.f_count + 1)]
        else:
            new = [value] * self.f_count
        return self.put(options, lambda: self.write(new))

    def same_type(self, other):
        if other.f_dtype != self.f_dtype:
            raise LuaError("buffers of two types")

    def m_copy_from(self, other, options=None):
        self.same_type(other)
        return self.put(options, lambda: self.write(other.read(min(self.f_count, other.f_count))))

    def m_add(self, other, options=None):
        self.same_type(other)
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
