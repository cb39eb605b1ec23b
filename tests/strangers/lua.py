"""A small Lua: enough of the language to run the programs of this folder, one interpreter for each rank.

The text is parsed into Python closures. `Interpreter.line` is the line that runs, and `watch` is called with each
statement of a marked line, so that whoever plants a bug knows who comes there with which variables."""
import re

from values import Function, LuaError, Scope, Table, arithmetic, index, truth, values

TOKEN = re.compile(r"""\s+|--[^\n]*|(?P<name>[A-Za-z_]\w*)|(?P<number>0x[0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?)"""
                   r"""|(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<op>\.\.\.|\.\.|==|~=|<=|>=|//|::|[-+*/%^#<>=(){}\[\];:,.])""")
WORDS = set("and break do else elseif end false for function goto if in local nil not or repeat return then true until while".split())
LEVEL = {"or": 1, "and": 2, "<": 3, ">": 3, "<=": 3, ">=": 3, "==": 3, "~=": 3, "..": 4, "+": 5, "-": 5,
         "*": 6, "/": 6, "//": 6, "%": 6}


class Interpreter:
    def __init__(self, source, watched=(), watch=None):
        self.line, self.stack, self.watched, self.watch = 0, [], set(watched), watch
        self.tokens, at, line = [], 0, 1
        while at < len(source):
            m = TOKEN.match(source, at)
            if not m:
                raise LuaError(f"line {line}: {source[at:at + 20]!r}")
            kind = m.lastgroup
            if kind:
                word = m.group()
                self.tokens.append(("op" if kind == "name" and word in WORDS else kind, word, line))
            line += m.group().count("\n")
            at = m.end()
        self.tokens.append(("end", "end of file", line))
        self.at = 0
        self.chunk = self.block()
        if self.peek() != "end of file":
            raise LuaError(f"line {self.tokens[self.at][2]}: {self.peek()}")

    def run(self, names):
        scope = Scope(None)
        scope.v.update(names)
        self.chunk(scope)

    # ---- reading ----

    def peek(self):
        return self.tokens[self.at][1]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1][1]

    def take(self, word):
        if self.tokens[self.at][0] == "op" and self.peek() == word:
            self.at += 1
            return True
        return False

    def need(self, word):
        if not self.take(word):
            raise LuaError(f"line {self.tokens[self.at][2]}: {word} expected near {self.peek()}")

    def block(self):
        body = []
        while self.tokens[self.at][0] == "end" or self.peek() not in ("end", "else", "elseif", "until", "end of file"):
            if self.tokens[self.at][0] == "end":
                break
            line = self.tokens[self.at][2]
            made = self.statement()
            if made:
                body.append((line, made))

        def run(scope):
            for line, statement in body:
                self.line = line
                if line in self.watched and self.watch:
                    self.watch(line, scope)
                done = statement(scope)
                if done:
                    return done
        return run

    def statement(self):
        if self.take(";"):
            return None
        if self.take("::"):
            self.next()
            self.need("::")
            return None
        if self.take("goto"):
            self.next()
            return lambda scope: ("continue",)
        if self.take("break"):
            return lambda scope: ("break",)
        if self.take("return"):
            return self.returns()
        if self.take("do"):
            body = self.block()
            self.need("end")
            return lambda scope: body(Scope(scope))
        for word in ("if", "while", "repeat", "for", "function", "local"):
            if self.take(word):
                return getattr(self, "read_" + word)()
        return self.assignment()

    def returns(self):
        if self.peek() in ("end", "else", "elseif", "until", "end of file", ";"):
            return lambda scope: ("return", [])
        all = self.list()
        return lambda scope: ("return", all(scope))

    def read_if(self):
        arms, other = [], None
        cond = self.expression()
        self.need("then")
        arms.append((cond, self.block()))
        while self.take("elseif"):
            cond = self.expression()
            self.need("then")
            arms.append((cond, self.block()))
        if self.take("else"):
            other = self.block()
        self.need("end")

        def run(scope):
            for cond, body in arms:
                if truth(cond(scope)):
                    return body(Scope(scope))
            return other(Scope(scope)) if other else None
        return run

    def loop(self, rounds, body):  # rounds: fn(scope) gives scopes
        def run(scope):
            for inner in rounds(scope):
                done = body(inner)
                if done and done[0] == "break":
                    return None
                if done and done[0] == "return":
                    return done
        return run

    def read_while(self):
        cond = self.expression()
        self.need("do")
        body = self.block()
        self.need("end")

        def rounds(scope):
            while truth(cond(scope)):
                yield Scope(scope)
        return self.loop(rounds, body)

    def read_repeat(self):
        body = self.block()
        self.need("until")
        cond = self.expression()

        def rounds(scope):
            while True:
                inner = Scope(scope)
                yield inner
                if truth(cond(inner)):
                    return
        return self.loop(rounds, body)

    def read_for(self):
        names = [self.next()]
        if self.take("="):
            bounds = [self.expression()]
            while self.take(","):
                bounds.append(self.expression())

            def rounds(scope):
                b = [e(scope) for e in bounds]
                step = b[2] if len(b) > 2 else 1
                i = b[0]
                while i <= b[1] if step > 0 else i >= b[1]:
                    inner = Scope(scope)
                    inner.v[names[0]] = i
                    yield inner
                    i += step
        else:
            while self.take(","):
                names.append(self.next())
            self.need("in")
            source = self.list()

            def rounds(scope):
                for pair in source(scope)[0]:
                    inner = Scope(scope)
                    inner.v.update(zip(names, pair))
                    yield inner
        self.need("do")
        body = self.block()
        self.need("end")
        return self.loop(rounds, body)

    def function(self, own=False):
        names, dots = ["self"] if own else [], False
        self.need("(")
        while not self.take(")"):
            word = self.next()
            if word == "...":
                dots = True
            elif word != ",":
                names.append(word)
        body = self.block()
        self.need("end")
        return lambda scope: Function(self, names, dots, body, scope)

    def read_function(self):
        path, own = [self.next()], False
        while self.peek() in (".", ":"):
            own = self.next() == ":"
            path.append(self.next())
        made = self.function(own)

        def run(scope):
            f = made(scope)
            if len(path) == 1:
                scope.find(path[0]).v[path[0]] = f
                return
            holder = scope.get(path[0])
            for name in path[1:-1]:
                holder = index(holder, name)
            holder.set(path[-1], f)
        return run

    def read_local(self):
        if self.take("function"):
            name, made = self.next(), self.function()

            def run(scope):
                scope.v[name] = None
                scope.v[name] = made(scope)
            return run
        names = [self.next()]
        while self.take(","):
            names.append(self.next())
        source = self.list() if self.take("=") else lambda scope: []

        def run(scope):
            got = source(scope)
            for i, name in enumerate(names):
                scope.v[name] = got[i] if i < len(got) else None
        return run

    def assignment(self):
        targets = [self.suffixed()]
        if self.peek() not in ("=", ","):
            call = targets[0]
            return lambda scope: call.all(scope) and None
        while self.take(","):
            targets.append(self.suffixed())
        self.need("=")
        source = self.list()

        def run(scope):
            got = source(scope)
            for i, target in enumerate(targets):
                target.put(scope, got[i] if i < len(got) else None)
        return run

    def list(self):
        parts = [self.expression()]
        while self.take(","):
            parts.append(self.expression())

        def all(scope):
            got = [p(scope) for p in parts[:-1]]
            last = parts[-1]
            return got + (last.all(scope) if isinstance(last, Suffix) and last.many else [last(scope)])
        return all

    def expression(self, above=0):
        if self.take("not"):
            inner = self.expression(7)
            left = lambda scope: not truth(inner(scope))
        elif self.take("-"):
            minus = self.expression(7)
            left = lambda scope: -minus(scope)
        elif self.take("#"):
            counted = self.expression(7)
            left = lambda scope: len(counted(scope))
        else:
            left = self.simple()
        while self.tokens[self.at][0] == "op" and LEVEL.get(self.peek(), 0) > above:
            left = self.binary(self.next(), left)
        return left

    def binary(self, op, a):
        b = self.expression(LEVEL[op] - (op == ".."))
        if op == "and":
            def run(scope):
                v = a(scope)
                return b(scope) if truth(v) else v
        elif op == "or":
            def run(scope):
                v = a(scope)
                return v if truth(v) else b(scope)
        else:
            def run(scope):
                return arithmetic(op, a(scope), b(scope))
        return run

    def simple(self):
        kind, word, _ = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            v = int(word, 0) if re.fullmatch(r"0x\w+|\d+", word) else float(word)
            return lambda scope: v
        if kind == "string":
            self.at += 1
            s = word[1:-1].replace("\\n", "\n")
            if self.peek() != ":":
                return lambda scope: s
            self.at -= 1
            return self.suffixed()
        for name, v in (("nil", None), ("true", True), ("false", False)):
            if self.take(name):
                return lambda scope: v
        if self.take("function"):
            return self.function()
        if self.take("{"):
            return self.constructor()
        return self.suffixed()

    def constructor(self):
        items = []
        while not self.take("}"):
            if self.take("["):
                key = self.expression()
                self.need("]")
                self.need("=")
                items.append((key, self.expression()))
            elif self.tokens[self.at][0] == "name" and self.tokens[self.at + 1][1] == "=":
                name = self.next()
                self.next()
                items.append((lambda scope, name=name: name, self.expression()))
            else:
                items.append((None, self.expression()))
            if not self.take(","):
                self.take(";")

        def run(scope):
            t, n = Table(), 0
            for key, value in items:
                if key:
                    t.set(key(scope), value(scope))
                    continue
                for v in (value.all(scope) if isinstance(value, Suffix) and value.many else [value(scope)]):
                    n += 1
                    t.set(n, v)
            return t
        return run

    def suffixed(self):
        kind, word, line = self.tokens[self.at]
        if self.take("("):
            inner = self.expression()
            self.need(")")
            e = Suffix(self, line, lambda scope: [inner(scope)])
        elif kind == "string":
            self.at += 1
            e = Suffix(self, line, lambda scope: [word[1:-1]])
        elif word == "...":
            self.at += 1
            e = Suffix(self, line, lambda scope: scope.get("..."), many=True)
        else:
            self.at += 1
            e = Suffix(self, line, lambda scope: [scope.get(word)], name=word)
        while True:
            line = self.tokens[self.at][2]
            if self.take("."):
                name = self.next()
                e = Suffix(self, line, base=e, key=lambda scope, name=name: name)
            elif self.take("["):
                key = self.expression()
                self.need("]")
                e = Suffix(self, line, base=e, key=key)
            elif self.take(":"):
                e = self.call(e, line, self.next())
            elif self.peek() in ("(", "{") or self.tokens[self.at][0] == "string":
                if self.peek() == "(" and self.tokens[self.at - 1][2] != line:
                    return e
                e = self.call(e, line, None)
            else:
                return e

    def call(self, base, line, method):
        if self.take("("):
            args = (lambda scope: []) if self.peek() == ")" else self.list()
            self.need(")")
        else:
            one = self.simple()
            args = lambda scope: [one(scope)]

        def run(scope):
            f = base(scope)
            given = args(scope)
            if method:
                f, given = index(f, method), [f] + given
            if f is None:
                raise LuaError(f"line {line}: call of nil")
            self.line = line
            return values(f(*given))
        return Suffix(self, line, run, many=True)


class Suffix:
    """A name, an index or a call: it has a value, perhaps several, and may be assigned to."""

    def __init__(self, interp, line, all=None, name=None, base=None, key=None, many=False):
        self.interp, self.line, self.name, self.base, self.key, self.many = interp, line, name, base, key, many
        self.all = all or (lambda scope: [index(base(scope), key(scope))])

    def __call__(self, scope):
        got = self.all(scope)
        return got[0] if got else None

    def put(self, scope, v):
        if self.name:
            scope.find(self.name).v[self.name] = v
        else:
            holder, key = self.base(scope), self.key(scope)
            holder.set(key, v) if isinstance(holder, Table) else holder.lua_set(key, v)
