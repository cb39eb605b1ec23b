"""Values of the small Lua (lua.py): tables, functions, scopes, and what operators do with them."""


class LuaError(Exception):
    pass


class Table:
    __slots__ = ("h", "mt")

    def __init__(self, values=()):
        self.h, self.mt = {i + 1: v for i, v in enumerate(values)}, None

    def get(self, k):
        if isinstance(k, float) and k.is_integer():
            k = int(k)
        if k in self.h:
            return self.h[k]
        up = self.mt and self.mt.h.get("__index")
        return index(up, k) if up is not None else None

    def set(self, k, v):
        if v is None:
            self.h.pop(k, None)
        else:
            self.h[k] = v

    def __len__(self):
        n = 0
        while n + 1 in self.h:
            n += 1
        return n

    def list(self):
        return [self.h[i] for i in range(1, len(self) + 1)]


class Function:
    def __init__(self, interp, names, dots, body, scope):
        self.interp, self.names, self.dots, self.body, self.scope = interp, names, dots, body, scope

    def __call__(self, *args):
        scope = Scope(self.scope)
        for i, name in enumerate(self.names):
            scope.v[name] = args[i] if i < len(args) else None
        if self.dots:
            scope.v["..."] = list(args[len(self.names):])
        line = self.interp.line
        self.interp.stack.append(line)
        done = self.body(scope)
        self.interp.stack.pop()
        self.interp.line = line
        return done[1] if done and done[0] == "return" else []


class Scope:
    __slots__ = ("v", "up")

    def __init__(self, up):
        self.v, self.up = {}, up

    def find(self, name):
        s = self
        while s:
            if name in s.v:
                return s
            s = s.up
        return None

    def get(self, name):
        s = self.find(name)
        if not s:
            raise LuaError("unknown name " + name)
        return s.v[name]


def index(o, k):
    if isinstance(o, Table):
        return o.get(k)
    if isinstance(o, str):
        return {"format": text_format, "rep": lambda s, n: s * n, "sub": lambda s, i, j=-1: s[i - 1:j if j >= 0 else None]}[k]
    if hasattr(o, "lua_index"):
        return o.lua_index(k)
    raise LuaError(f"index {k} of {o!r}")


def number_text(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    return repr(v) if isinstance(v, float) else "nil" if v is None else str(v)


def text_format(form, *args):
    return form % tuple(number_text(a) if not isinstance(a, (int, float)) else a for a in args)


def truth(v):
    return v is not None and v is not False


def values(result):  # what a function of Python or Lua returned, as a list
    return result if isinstance(result, list) else [result]


def arithmetic(op, a, b):
    if op == "==":
        return a is b if isinstance(a, (Table, bool)) or a is None else a == b
    if op == "~=":
        return not arithmetic("==", a, b)
    if op == "..":
        return number_text(a) + number_text(b)
    if a is None or b is None:
        raise LuaError("arithmetic on nil")
    return {"<": lambda: a < b, ">": lambda: a > b, "<=": lambda: a <= b, ">=": lambda: a >= b, "+": lambda: a + b,
            "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "//": lambda: a // b, "%": lambda: a % b}[op]()
