"""`studio run --repeat --judge-repeat`: every request is sent, priced and counted, and the variation is reported."""

from __future__ import annotations

import json
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


def test_each_answer_and_each_verdict_is_requested(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(), "utf-8")
    result = studio("run", path, "--model", "own:steady", "--repeat", 3, *JUDGED, "--judge-repeat", 2)
    assert result.exit_code == 0, result.output
    assert bench.sent == {"steady": 3, "judge": 6}


def test_no_cache_saves_a_repeat(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(), "utf-8")
    studio("run", path, "--model", "own:steady", *JUDGED)
    studio("run", path, "--model", "own:steady", "--repeat", 2, *JUDGED)
    assert bench.sent == {"steady": 3, "judge": 3}


def test_the_plan_counts_the_repeats(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(), "utf-8")
    result = studio("run", path, "--model", "own:steady", "--repeat", 3, *JUDGED, "--judge-repeat", 2, "--dry-run")
    assert result.exit_code == 0
    assert "own:steady answers: gets the prompt's messages · 3 requests" in result.stdout
    assert "and the criterion · 6 requests, at most 12" in result.stdout
    assert (
        "Each prompt is answered 3 times, and each answer is judged 2 times by each judge, past every cache."
        in result.stderr
    )
    assert bench.sent == {}


def test_the_plan_is_what_is_sent(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(), "utf-8")
    result = studio("run", path, "--model", "own:steady", "--repeat", 4, *JUDGED, "--judge-repeat", 3)
    assert "Used: 16 requests" in result.stderr
    assert sum(bench.sent.values()) == 16


def test_the_plan_says_which_scores_stay_open_without_judges(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(2), "utf-8")
    result = studio("run", path, "--model", "own:steady", "--repeat", 2, "--dry-run")
    assert (
        "2 of 2 prompts have points in words, and no judge is chosen: such scores stay open, and cannot be compared."
        in result.stderr
    )


def test_a_cap_of_requests_holds_for_repeats(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(), "utf-8")
    result = studio("run", path, "--model", "own:steady", "--repeat", 10, "--most-requests", 4)
    assert result.exit_code == 1
    assert bench.sent == {"steady": 4}


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
    assert lines[1].startswith("  server      ±")
    assert lines[2].startswith("  judging     ±")
    assert lines[2].endswith("between verdicts on the same answer, at temperature 0: the judges' servers vary")


def test_a_verdict_of_the_ideal_can_be_repeated(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint().replace("should:", "ideal: By the lease., should:"), "utf-8")
    result = studio("run", path, "--ideal", *JUDGED, "--judge-repeat", 3)
    assert result.exit_code == 0
    assert bench.sent == {"judge": 3}
    assert "Elsewhere the last verdict of each judge counts for these answers, and not the mean.\n" in result.stdout
    assert "  generation  unknown: it takes two scored answers" in result.stdout


def test_one_prompt_is_compared_by_an_exact_permutation_test(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(checks=True), "utf-8")
    result = studio("run", path, "--model", "own:steady", "--model", "own:bad", "--repeat", 4)
    assert result.stdout.splitlines()[-4:] == [
        "p0: own:steady scores 100.0 higher than own:bad, p = 0.029 (exact permutation test, 70 splits)",
        "",
        "p says how often chance alone makes a difference at least this large: 0.05 is 1 time in 20.",
        "This is about one prompt: it does not say which model is better on others.",
    ]


def test_below_4_against_4_nothing_is_tested(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(checks=True), "utf-8")
    result = studio("run", path, "--model", "own:steady", "--model", "own:bad", "--repeat", 3)
    assert (
        "own:steady scores 100.0 higher than own:bad; no test: the test needs 4 scored answers of each, and there are "
        "3 and 3" in result.stdout
    )


def test_over_a_file_nothing_is_compared(bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(2, checks=True), "utf-8")
    result = studio("run", path, "--model", "own:steady", "--model", "own:mixed", "--repeat", 2)
    assert "\n\nModels are compared on one prompt: --prompt ID, with --repeat 4 or more.\n" in result.stdout


def test_the_result_file_has_the_first_answers_and_all_repeats(bench: Bench, path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    path.write_text(bench.blueprint(), "utf-8")
    models = ("--model", "own:steady", "--model", "own:bad")
    studio("run", path, *models, "--repeat", 4, *JUDGED, "--judge-repeat", 2, "--json", out)
    data = json.loads(out.read_text("utf-8"))
    assert list(data["evaluationResults"]["llmCoverageScores"]["p0"]) == ["own:steady", "own:bad"]
    repeats = data["repeats"]
    assert (repeats["version"], repeats["answers"], repeats["verdicts"]) == (1, 4, 2)
    assert repeats["groups"][0] == {
        "prompt": "p0",
        "key": "own:steady",
        "temperature": 0.7,
        "ignoresTemperature": False,
        "scores": [1.0] * 4,
        "rounds": [[1.0, 1.0]] * 4,
        "leftOut": 0,
        "mean": 1.0,
        "between": 0.0,
        "generation": 0.0,
        "judging": 0.0,
        "responses": [GOOD] * 4,
    }
    assert repeats["comparisons"] == [
        {
            "question": "one-prompt",
            "one": "own:steady",
            "other": "own:bad",
            "prompt": "p0",
            "prompts": 1,
            "leftOut": 0,
            "difference": 0.0,
            "interval": None,
            "p": 1.0,
            "ways": 70,
            "exact": True,
            "reason": None,
        }
    ]


def test_failed_answers_are_left_out_and_told(bench: Bench, path: Path) -> None:
    bench.verdicts = ["Sorry, I cannot judge this."]
    path.write_text(bench.blueprint(), "utf-8")
    result = studio("run", path, "--model", "own:steady", "--repeat", 2, *JUDGED)
    assert result.stdout.splitlines()[0] == "p0 · own:steady: no answer with all points judged"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "own:steady", "--compare", "prompts-like-these"], "--compare was removed"),
        (["--model", "own:steady", "--repeat", "11"], "Invalid value for '--repeat'"),
    ],
)
def test_what_makes_no_sense_is_refused(options: list[str], message: str, bench: Bench, path: Path) -> None:
    path.write_text(bench.blueprint(), "utf-8")
    result = studio("run", path, *options)
    assert (result.exit_code, bench.sent) == (2, {})
    assert message in result.stderr
