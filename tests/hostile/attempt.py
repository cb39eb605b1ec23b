"""One hostile attempt: what it brings, how it is run, and what must hold of every attempt.

A stranger's files lie in a folder of their own, which is the working directory. Beside it is a file with a secret, and a pipe that
nobody writes to: whoever opens it waits until the limit of time.
"""
import os
import re
import resource
import subprocess
import threading

SECRET = "TOP-SECRET-TEXT"
UNFIT = re.compile(rb"\x1b|\x07|\x00|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]")
SANITIZER = re.compile(rb"AddressSanitizer|UndefinedBehavior|runtime error:")
OUTPUT_MOST = 1 << 20
MEMORY_MOST = (4 if "ASAN_OPTIONS" in os.environ else 1) << 20  # KiB
FORMATS = ("text", "json", "junit", "tap", "github", "sarif")


class Attempt:
    def __init__(self, name, files, want, command=("diagnose", "."), has=None, links=(), pipes=(), old=()):
        self.name, self.files, self.want = name, files, want if isinstance(want, tuple) else (want,)
        self.command, self.has, self.links, self.pipes, self.old = list(command), has, links, pipes, old


def write(folder, attempt):
    for name, text in attempt.files.items():
        path = os.path.join(folder.encode(), name if isinstance(name, bytes) else name.encode())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        if name in attempt.old:
            os.utime(path, (1, 1))
    for name, target in attempt.links:
        os.symlink(target, os.path.join(folder, name))
    for name in attempt.pipes:
        os.mkfifo(os.path.join(folder, name))


def tree(folder):
    return sorted(os.path.join(at, name) for at, folders, files in os.walk(folder) for name in folders + files)


def run(program, folder, attempt, seconds):
    """The complaints about the attempt, and its status."""
    outside = tree(os.path.dirname(folder))
    out = open(folder + ".out", "w+b")
    process = subprocess.Popen([program] + attempt.command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1)))
    alarm = threading.Timer(10 * seconds, process.kill)
    alarm.start()
    _, status, used = os.wait4(process.pid, 0)
    alarm.cancel()
    status = os.waitstatus_to_exitcode(status)
    process.returncode = status
    out.seek(0)
    text = out.read()
    out.close()
    os.unlink(folder + ".out")
    wrong = []
    if status not in attempt.want:
        wrong.append("exit status %d, expected %s" % (status, " or ".join(map(str, attempt.want))))
    if attempt.has and attempt.has.encode() not in text:
        wrong.append("does not print: " + attempt.has)
    if SECRET.encode() in text:
        wrong.append("prints a file that it must not read")
    if UNFIT.search(text):
        wrong.append("prints %r raw" % UNFIT.search(text).group())
    if SANITIZER.search(text):
        wrong.append("a sanitizer reports")
    if len(text) > OUTPUT_MOST:
        wrong.append("prints %d bytes" % len(text))
    if used.ru_maxrss > MEMORY_MOST:
        wrong.append("takes %d MiB" % (used.ru_maxrss >> 10))
    try:
        text.decode()
    except UnicodeDecodeError as e:
        wrong.append("prints no UTF-8: %s" % e)
    if tree(os.path.dirname(folder)) != outside:
        wrong.append("leaves files")
    return wrong, status, text, used.ru_utime + used.ru_stime
