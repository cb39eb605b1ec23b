"""mutate.py GENERATOR BINARY FIRST COUNT: judges programs of a generator that this tree has no copy of, by its own measure.

Prints a line for each mutant as run.sh has them: name, the first cause, culprit, class, call, certain and wrong.
"""

import importlib.util
import json
import sys

path, binary, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("generator", path)
generator = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generator)


def word(value):
    return "null" if value is None else json.dumps(bool(value))


for name, truth, report, _ in generator.batch((binary, list(range(first, first + count)), 2, [], None, None)):
    if truth is None:
        continue
    judged = generator.judge(truth, report)
    cause = next((f for f in report["findings"] if f["level"] == "error"), None)
    said = cause and [cause["rule"], sorted(c["rank"] for c in cause["culprits"]), cause["certainty"], cause["call"]]
    print(name, json.dumps(said), word(judged["culprit"]), word(judged["rule"]), word(judged["call"]), word(judged.get("cw")), sep="\t")
