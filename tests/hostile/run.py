#!/usr/bin/env python3
"""Makes the hostile attempts of this folder: run.py PROGRAM [--learn]. wants.txt has the exit status of each."""
import concurrent.futures
import os
import sys
import tempfile

import attempt
import dumps
import recordings
import scenarios

HERE = os.path.dirname(os.path.abspath(__file__))


def prepare(folder, a):
    """Paths in files get the folder's place: those of recordings in a field of fixed length."""
    for name, text in a.files.items():
        raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        for mark, path in ((b"HERE", folder), (b"SECRET.py", os.path.join(os.path.dirname(folder), "secret.py")),
                           (b"SECRET", os.path.join(os.path.dirname(folder), "secret.py"))):
            while name.endswith(b".ncclrec" if isinstance(name, bytes) else ".ncclrec") and mark in raw:
                at = raw.index(mark)
                end = raw.index(b"\0", at)
                path_raw = path.encode() + raw[at + len(mark):end]
                raw = raw[:at] + path_raw + raw[at + len(path_raw):]
            raw = raw.replace(mark, path.encode())
        a.files[name] = raw
    attempt.write(folder, a)


def one(program, a, seconds):
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "brought")
        os.mkdir(folder)
        with open(os.path.join(top, "secret.py"), "w") as f:
            f.write(attempt.SECRET + " = 1\n")
        os.utime(os.path.join(top, "secret.py"), (1, 1))
        os.environ["HOSTILE"] = attempt.SECRET
        prepare(folder, a)
        return attempt.run(program, folder, a, seconds)


def main():
    program, learn = os.path.realpath(sys.argv[1]), "--learn" in sys.argv
    only = [w for w in sys.argv[2:] if not w.startswith("--")]
    seconds = 90 if "ASAN_OPTIONS" in os.environ else 10
    wants = dict(line.rstrip("\n").split("\t") for line in open(os.path.join(HERE, "wants.txt"))) if not learn else {}
    all_attempts = [a for part in (dumps, recordings, scenarios) for a in part.attempts() if not only or any(w in a.name for w in only)]
    failed, spent = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for a in all_attempts:
            a.want = tuple(range(0, 126)) if learn else tuple(map(int, wants.get(a.name, "-1").split(",")))
        for a, (wrong, status, text, took) in zip(all_attempts, pool.map(lambda a: one(program, a, seconds), all_attempts)):
            spent += took
            if learn:
                print("%s\t%d" % (a.name, status))
            if learn and (wrong or took > 1):
                print("%s: %s %.1f s" % (a.name, wrong, took), file=sys.stderr)
            for w in wrong if not learn else ():
                failed += 1
                print("%s: %s\n  | %s" % (a.name, w, text[:600].decode(errors="replace").replace("\x1b", "<ESC>").replace("\n", "\n  | ")))
    if not learn:
        print("%d hostile attempts, %.1f s of processor time, %d complaints" % (len(all_attempts), spent, failed))
    sys.exit(failed > 0 or len(all_attempts) < (1 if only else 120))


main()
