"""`studio run --repeat --judge-repeat`: every request is sent, priced and counted, and the variation is reported."""

from __future__ import annotations

from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer, is_for_a_judge, verdict

GOOD, BAD = "It is 30 days, by the lease.", "Soon."


class Bench:
    """Models that answer in turn what is in `answers`, by their name, and judges that say in turn `verdicts`."""

    def __init__(self, server: HTTPServer) -> None:
        self.answers = {"steady": [GOOD], "mixed": [GOOD, BAD], "bad": [BAD]}
        self.verdicts = ["CLASS_FULLY_PRESENT"]
        self._numbers: dict[str, count[int]] = {}
        self.server = ModelServer(server, self.says)

    def says(self, body: dict[str, Any]) -> str:
        name = body["model"]
        number = next(self._numbers.setdefault(name, count()))
        if is_for_a_judge(body):
            return verdict(self.verdicts[number % len(self.verdicts)])
        return self.answers[name][number % len(self.answers[name])]

    @property
    def sent(self) -> Counter[str]:
        """The requests that arrived, by model."""
        return Counter(body["model"] for body in self.server.bodies)

    def blueprint(self, prompts: int = 1, *, checks: bool = False, temperature: float = 0.7) -> str:
        models = ", ".join(self.server.model(name) for name in ("steady", "mixed", "bad", "judge"))
        judges = "judges: [{model: 'own:judge', approach: standard, id: first}]"
        header = (
            f"temperature: {temperature}\nmodels: [{models}]\nevaluationConfig: {{llm-coverage: {{{judges}}}}}\n---\n"
        )
        point = "{$icontains: lease}" if checks else "Names the lease"
        return header + "".join(
            f"- {{id: p{number}, prompt: 'What is notice {number}?', should: [{point}]}}\n" for number in range(prompts)
        )


@pytest.fixture
def bench(httpserver: HTTPServer) -> Bench:
    return Bench(httpserver)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notice.yml"


JUDGED = ("--judge", "configured")


def test_generation_and_judging_are_reported_apart(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(checks=True), "utf-8")
    result = studio("run", path, "--model", "own:mixed", "--repeat", 4)
    first, *others = result.stdout.splitlines()
    assert sorted(first.removeprefix("p0 · own:mixed: 50.0 over 4 answers: ").split(", ")) == [
        "0.0",
        "0.0",
        "100.0",
        "100.0",
    ]
    assert others == [
        "  generation  ±57.7 between answers, at temperature 0.7",
        "  judging     none: no verdict of a judge counts",
        "",
        "This is how far scores vary here. It does not say whether another model would score higher.",
    ]


def test_variation_of_judges_is_theirs_alone(bench: Bench, path: Path) -> None:
    bench.verdicts = ["CLASS_FULLY_PRESENT", "CLASS_ABSENT"]
    path.write_text(bench.blueprint(temperature=0.0), "utf-8")
    result = studio("run", path, "--model", "own:steady", "--repeat", 2, *JUDGED, "--judge-repeat", 4)
    lines = result.stdout.splitlines()
    assert lines[0].startswith("p0 · own:steady: 50.0 over 2 answers: ")
    assert lines[1].startswith("  generation  ±")
    assert lines[2].startswith("  judging     ±")
    assert lines[2].endswith("between verdicts on the same answer, at temperature 0: the judges' servers vary")
