"""Collects *.scenario.lua and *.scenario.yaml: each case of a scenario is a test."""

import pytest

import ncclscript


def pytest_collect_file(file_path, parent):
    if file_path.name.endswith((".scenario.lua", ".scenario.yaml", ".scenario.yml")):
        return ScenarioFile.from_parent(parent, path=file_path)
    return None


class ScenarioFile(pytest.File):
    def collect(self):
        try:
            names = ncclscript.cases(self.path)
        except ncclscript.Error:
            names = [""]  # the test says what is wrong with the file
        for name in names:
            yield Scenario.from_parent(self, name=name or self.path.name, case=name)


class Scenario(pytest.Item):
    def __init__(self, *, case, **rest):
        super().__init__(**rest)
        self.case = case

    def runtest(self):
        report = ncclscript.run(self.path, case=self.case or None)
        if report.verdict == "skipped":
            pytest.skip(report.json.get("reason") or "skipped")
        if not report.as_expected:
            raise Unexpected(report)

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, (Unexpected, ncclscript.Error)):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, 0, f"scenario: {self.name}"


class Unexpected(Exception):
    """A run did not end as its scenario declares."""

    def __init__(self, report):
        super().__init__(report.text)
