"""The schema and the loader must agree on files that are good and files that are bad.

usage: agree.py SCHEMA FILE...

A file in a folder bad/ is refused by the schema too, or it is no YAML for others either, unless a line
of it says "# only the loader sees it". All other files are accepted.
"""

import json
import sys

import jsonschema
import ruamel.yaml


def with_text_keys(value):
    """A key of JSON is a text: the number of a rank, too."""
    if isinstance(value, dict):
        return {str(key) if type(key) is int else key: with_text_keys(item) for key, item in value.items()}
    return [with_text_keys(item) for item in value] if isinstance(value, list) else value


def read(path):
    """The document as JSON has it, typed by YAML 1.2's core schema."""
    yaml = ruamel.yaml.YAML(typ="safe", pure=True)
    yaml.version = (1, 2)
    with open(path, encoding="utf-8") as text:
        return with_text_keys(yaml.load(text))


def undescribed(schema, path):
    """Places of properties that nobody has described."""
    if isinstance(schema, list):
        for i, item in enumerate(schema):
            yield from undescribed(item, f"{path}/{i}")
    elif isinstance(schema, dict):
        for name, value in schema.get("properties", {}).items():
            if isinstance(value, dict) and not value.get("description"):
                yield f"{path}/{name}"
        for name, value in schema.items():
            yield from undescribed(value, f"{path}/{name}")


def main():
    with open(sys.argv[1], encoding="utf-8") as text:
        schema = json.load(text)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    complaints = [f"{place} has no description" for place in undescribed(schema, "")]
    good = bad = alone = 0

    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as text:
            source = text.read()
        try:
            error = jsonschema.exceptions.best_match(validator.iter_errors(read(path)))
            said = error and f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
        except (ruamel.yaml.error.YAMLError, NotImplementedError) as refusal:
            said = str(refusal).split("\n")[0]
        except RecursionError:
            said = "it has no end"
        if "/bad/" not in path:
            good += 1
            if said:
                complaints.append(f"{path} is good, and the schema refuses it: {said}")
        elif "# only the loader sees it" in source:
            alone += 1
            if said:
                complaints.append(f"{path}: not only the loader sees it: {said}")
        else:
            bad += 1
            if not said:
                complaints.append(f"{path} is bad, and the schema accepts it")

    for complaint in complaints:
        print(complaint[:400])
    print(f"{good} good files, {bad} bad ones, {alone} that only the loader refuses; "
          f"{len(complaints)} complaints")
    return 0 if good and bad and not complaints else 1


sys.exit(main())
