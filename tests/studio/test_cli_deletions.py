"""`studio deletions`: each sentence of an ideal deleted in turn, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.studio.command_line import studio
from tests.studio.test_cli_run_judged import BLUEPRINT as CAPITALS
from tests.studio.test_cli_run_judged import Bench, bench, capitals, judge, spoken, verdict

__all__ = ["bench", "capitals"]

BLUEPRINT = """\
title: Notice
---
- id: visit
  prompt: How much notice must a landlord give?
  ideal: It is 24 hours. It is in writing.
  should:
    - $contains: 24 hours
    - $contains: "24"
    - Names emergencies
    - $call: {service: facts}
- id: bare
  prompt: Who decides?
  should: [$contains: court]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "notice.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def test_each_sentence_is_listed_with_who_notices(file: Path) -> None:
    done = studio("deletions", file)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        "visit (line 3)\n"
        "  1 of 2 sentences noticed by a check; 1 noticed by none, 1 criterion and 1 check by a service not tried\n"
        "    1  “It is 24 hours.”\n"
        "       noticed by $contains: 24 hours and $contains: 24\n"
        "    2  “It is in writing.”\n"
        "       no check notices it, 1 criterion and 1 check by a service not tried\n"
        "  checks\n"
        "    line 7: $contains: 24 hours\n"
        "       notices sentence 1; redundant on this ideal: $contains: 24 notices exactly the same\n"
        "    line 8: $contains: 24\n"
        "       notices sentence 1; redundant on this ideal: $contains: 24 hours notices exactly the same\n"
    )


def test_the_json_has_the_sentences_and_the_points(file: Path) -> None:
    done = studio("deletions", file, "--prompt", "visit", "--format", "json")
    (found,) = json.loads(done.stdout)
    assert {key: found[key] for key in ("version", "prompt", "line")} == {"version": 1, "prompt": "visit", "line": 3}
    assert found["sentences"][1] == {
        "text": "It is in writing.",
        "start": 16,
        "end": 33,
        "state": "unnoticed",
        "noticedBy": [],
        "dependedOnBy": [],
        "notTried": {"criteria": 1, "services": 1, "checks": 0},
    }
    assert [point["kind"] for point in found["points"]] == ["check", "check", "criterion", "service"]
    assert found["points"][0]["trial"]["redundantWith"] == [1]
    assert found["points"][2]["trial"] is None


def test_a_prompt_without_an_ideal_cannot_be_tested(file: Path) -> None:
    done = studio("deletions", file, "--prompt", "bare")
    assert done.exit_code == 2
    assert "None of these prompts has an ideal." in done.stderr


def test_an_unknown_prompt_is_a_usage_error(file: Path) -> None:
    done = studio("deletions", file, "--prompt", "nobody")
    assert done.exit_code == 2
    assert "There is no prompt nobody." in done.stderr


def test_hostile_text_is_shown_and_not_obeyed(file: Path) -> None:
    file.write_text(BLUEPRINT.replace("It is 24 hours. It is in writing.", '"It is \\e[31m24 hours\\u202e."'), "utf-8")
    done = studio("deletions", file)
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "24 hours" in done.stdout


# --- Criteria, by judges


QUOTED = 'It names it: "on the Seine".'


def judged(path: Path, *more: object) -> Result:
    return studio("deletions", path, "--judge", "configured", *more)


@pytest.fixture
def river(capitals: Path, bench: Bench) -> Path:
    """An ideal of two sentences, judged: both judges quote the second one for the river, and nothing for the rest."""
    capitals.write_text(CAPITALS.replace("It is Paris, on the Seine.", "It is Paris. It lies on the Seine."), "utf-8")
    for model in ("strict-1", "kind-1"):
        bench.says[model, "Names the river"] = verdict("FULLY_PRESENT", QUOTED)
        bench.says[model, "Tells a joke"] = verdict("ABSENT")
    judge(capitals)
    bench.asked.clear()
    return capitals


Doubt = Callable[..., None]


@pytest.fixture
def doubt(bench: Bench, httpserver: HTTPServer) -> Doubt:
    """From now on judges say something else of an answer without the sentence on the river."""

    def doubt(name: str, of: tuple[str, ...] = ("strict-1", "kind-1")) -> None:
        def answer(request: Request) -> Response:
            body = json.loads(request.data)
            asked = " ".join(turn["content"] for turn in body["messages"])
            if body["model"] not in of or "It lies on the Seine." in asked:
                return bench.answer(request)
            bench.asked.append(body)
            return spoken(verdict(name))

        httpserver.clear_all_handlers()
        httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(answer)

    return doubt


def test_the_price_comes_first_and_a_dry_run_sends_nothing(river: Path, bench: Bench) -> None:
    done = judged(river, "--prompt", "france", "--dry-run")
    assert done.exit_code == 0
    assert "16 requests, at most 32" in done.stdout
    assert bench.asked == []


def test_only_the_sentences_that_judges_quoted_are_asked_about_four_times_a_side(river: Path, bench: Bench) -> None:
    done = judged(river)
    assert done.exit_code == 0
    assert len(bench.asked) == 2 * 4 * 2
    assert all("Names the river" in body["messages"][-1]["content"] for body in bench.asked)
    assert sum("It lies on the Seine." in body["messages"][-1]["content"] for body in bench.asked) == 8
    assert "not tried: its judges quote no sentence of the ideal" in done.stdout


def test_a_criterion_depends_on_a_sentence_if_each_verdict_without_it_is_lower(river: Path, doubt: Doubt) -> None:
    doubt("SLIGHTLY_PRESENT")
    done = judged(river)
    assert "2  “It lies on the Seine.”\n       “Names the river” depends on this sentence\n" in done.stdout
    assert "depends on sentence 2 (25.0 without it, 100.0 with it)" in done.stdout


def test_the_same_verdicts_show_no_dependence(river: Path, bench: Bench) -> None:
    done = judged(river)
    assert "no verdict that it depends on sentence 2 (100.0 without it, 100.0 with it)" in done.stdout
    assert "no check notices it, 2 criteria not tried" in done.stdout


def test_the_json_has_the_verdicts_of_both_sides(river: Path, doubt: Doubt) -> None:
    doubt("ABSENT", of=("strict-1",))
    (found,) = json.loads(judged(river, "--format", "json").stdout)
    assert found["points"][1]["judged"] == {
        "notTried": None,
        "whole": [1.0] * 4,
        "without": [{"sentence": 1, "verdicts": [0.5] * 4, "depends": True}],
    }
    assert found["sentences"][1]["dependedOnBy"] == [1]


def test_an_ideal_that_was_not_judged_is_not_asked_about(capitals: Path, bench: Bench) -> None:
    done = judged(capitals)
    assert bench.asked == []
    assert done.stdout.count("not tried: judges have no verdict on the ideal by the present rubric") == 3


def test_a_cap_ends_the_questions_and_decides_nothing(river: Path, bench: Bench) -> None:
    done = judged(river, "--most-requests", "3")
    assert len(bench.asked) <= 3
    assert "depends on sentence" not in done.stdout
    assert "not decided" in done.stdout
