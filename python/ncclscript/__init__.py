"""Runs scenarios of NCCL programs and reports what happened.

    report = ncclscript.run("hang.lua", ranks=4)
    report.verdict, report.findings[0]["why"]

The module calls libncclscript, which is in the package, or in NCCLSCRIPT_LIBRARY. A process simulates one machine:
runs of several threads take turns. Ctrl-C ends the run in progress.
"""

import ctypes
import glob
import json
import os
import signal
import threading

__all__ = ["Error", "Report", "cases", "program", "run", "version"]

_OK = 0
_ON_OUTPUT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_tree = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_tree")


class Error(Exception):
    """A scenario does not load, or an option is wrong. The text names file, line and column."""


class _Options(ctypes.Structure):
    """ncclscript_options of ncclscript/ncclscript.h."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("ranks", ctypes.c_int),
        ("policy", ctypes.c_char_p),
        ("seed", ctypes.c_int64),
        ("set", ctypes.POINTER(ctypes.c_char_p)),
        ("driver", ctypes.c_char_p),
        ("nccl_version", ctypes.c_char_p),
        ("timeout", ctypes.c_double),
        ("no_verify", ctypes.c_int),
        ("unsafe", ctypes.c_int),
        ("memory", ctypes.c_uint64),
        ("on_output", _ON_OUTPUT),
        ("output_arg", ctypes.c_void_p),
    ]


def _load():
    path = os.environ.get("NCCLSCRIPT_LIBRARY") or glob.glob(os.path.join(_tree, "lib", "libncclscript.so.*"))[0]
    lib = ctypes.CDLL(path)
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    for name, result, arguments in (
        ("version", text, []),
        ("open", ctypes.c_int, [text, ctypes.POINTER(_Options), ctypes.POINTER(pointer)]),
        ("close", None, [pointer]),
        ("error", text, [pointer]),
        ("cases", size, [pointer]),
        ("case_name", text, [pointer, size]),
        ("run", ctypes.c_int, [pointer, size, ctypes.POINTER(pointer)]),
        ("interrupt", None, []),
        ("report_free", None, [pointer]),
        ("report_as_expected", ctypes.c_int, [pointer]),
        ("report_exit_status", ctypes.c_int, [pointer]),
        ("report_json", text, [pointer]),
        ("report_text", text, [pointer]),
    ):
        function = getattr(lib, "ncclscript_" + name)
        function.restype = result
        function.argtypes = arguments
    return lib


_lib = _load()


class Report:
    """What a run came to."""

    def __init__(self, text, data, as_expected, exit_status):
        self.text = text                 #: the report for people
        self.json = data                 #: the object of schema ncclscript.report/1
        self.as_expected = as_expected   #: True if the run ended as the scenario declares, or was skipped
        self.exit_status = exit_status   #: that of `ncclscript run`

    @property
    def verdict(self):
        """"pass", "hang", "wrong", "error" ..."""
        return self.json["verdict"]

    @property
    def findings(self):
        """The findings, the cause first: dicts with rule, why, fix, culprits ..."""
        return self.json.get("findings", [])

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<ncclscript.Report {self.verdict}{'' if self.as_expected else ', not as expected'}>"


def version():
    """The version of the library: "1.0.0"."""
    return _lib.ncclscript_version().decode()


def program():
    """The path of the program `ncclscript` in the package."""
    return os.path.join(_tree, "bin", "ncclscript")


class _Scenario:
    """An open scenario. Options and texts live as long as it does."""

    def __init__(self, path, options):
        self._options = options
        self._handle = ctypes.c_void_p()
        if _lib.ncclscript_open(os.fsencode(path), ctypes.byref(options), ctypes.byref(self._handle)) != _OK:
            text = self.error()
            self.close()
            raise Error(text)

    def error(self):
        return _lib.ncclscript_error(self._handle).decode(errors="replace")

    def cases(self):
        count = _lib.ncclscript_cases(self._handle)
        return [_lib.ncclscript_case_name(self._handle, i).decode() for i in range(count)]

    def run(self, number):
        report = ctypes.c_void_p()
        if _lib.ncclscript_run(self._handle, number, ctypes.byref(report)) != _OK:
            raise Error(self.error())
        try:
            return Report(_lib.ncclscript_report_text(report).decode(errors="replace"),
                          json.loads(_lib.ncclscript_report_json(report)),
                          bool(_lib.ncclscript_report_as_expected(report)),
                          _lib.ncclscript_report_exit_status(report))
        finally:
            _lib.ncclscript_report_free(report)

    def close(self):
        _lib.ncclscript_close(self._handle)
        self._handle = ctypes.c_void_p()


class _Interrupts:
    """Lets Ctrl-C end the run in progress: Python's own handler would act only after it."""

    def __enter__(self):
        self.came = False
        self.before = None
        if threading.current_thread() is threading.main_thread():
            self.before = signal.getsignal(signal.SIGINT)
            self.waker = threading.Thread(target=self._watch, daemon=True)
            self.read, self.write = os.pipe()
            os.set_blocking(self.write, False)
            self.old = signal.set_wakeup_fd(self.write, warn_on_full_buffer=False)
            signal.signal(signal.SIGINT, self._on_signal)
            self.waker.start()
        return self

    def _on_signal(self, number, frame):
        self.came = True

    def _watch(self):
        while True:
            byte = os.read(self.read, 1)
            if not byte or byte == b"\0":
                return
            if byte[0] == signal.SIGINT:
                _lib.ncclscript_interrupt()

    def __exit__(self, *unused):
        if self.before is None:
            return
        signal.set_wakeup_fd(self.old)
        signal.signal(signal.SIGINT, self.before)
        os.write(self.write, b"\0")
        self.waker.join()
        os.close(self.read)
        os.close(self.write)
        if self.came:
            raise KeyboardInterrupt


def _make_options(ranks=0, policy=None, seed=None, params=None, driver=None, nccl_version=None, timeout=None,
                  verify=True, unsafe=False, memory=0, on_output=None):
    def encoded(text):
        return None if text is None else str(text).encode()

    options = _Options()
    options.size = ctypes.sizeof(_Options)
    options.ranks = ranks or 0
    options.policy = encoded(policy)
    options.seed = -1 if seed is None else seed
    if params:
        texts = [f"{name}={_as_text(value)}".encode() for name, value in params.items()]
        options.set = (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
    options.driver = encoded(driver)
    options.nccl_version = encoded(nccl_version)
    options.timeout = timeout or 0
    options.no_verify = not verify
    options.unsafe = unsafe
    options.memory = memory
    if on_output:
        options.on_output = _ON_OUTPUT(lambda _, line: on_output(line.decode(errors="replace")))
    return options


def _as_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def cases(path, **options):
    """The names of the cases that a scenario stands for: [""] for a single one. Options as of run."""
    scenario = _Scenario(path, _make_options(**options))
    try:
        return scenario.cases()
    finally:
        scenario.close()


def run(path, case=None, **options):
    """Runs a scenario, or one case of a matrix by its name, and returns a Report.

    Options: ranks, policy ("strict", "typical"), seed, params (a dict), driver ("sim", "nccl"), nccl_version, timeout
    (seconds), verify, unsafe, memory (bytes), on_output (a function that gets each line that ranks print). Raises
    Error if the file does not load or there is no such case.
    """
    scenario = _Scenario(path, _make_options(**options))
    try:
        names = scenario.cases()
        if case is None and len(names) > 1:
            raise Error(f"{path} stands for {len(names)} cases: name one, as case={names[0]!r}")
        if case is not None and case not in names:
            raise Error(f"{path} has no case {case!r}")
        with _Interrupts():
            return scenario.run(0 if case is None else names.index(case))
    finally:
        scenario.close()
