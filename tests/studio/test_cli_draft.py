"""`studio draft`: who is asked is told first, the points are YAML that fits below the prompt, and the file stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.parsing import parse
from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer

REPLY = "<points><point>Names the notice period</point><point>Says: in writing</point></points>"


@pytest.fixture
def letting(tmp_path: Path, httpserver: HTTPServer) -> Path:
    server = ModelServer(httpserver, lambda body: "No." if "refused" in str(body) else REPLY)
    path = tmp_path / "letting.yml"
    path.write_text(
        f"models: [{server.model('drafter')}]\n"
        "evaluationConfig: {llm-coverage: {judges: [{model: 'own:drafter', approach: standard}]}}\n---\n"
        "- id: notice\n  prompt: How long is the notice?\n  ideal: It is 30 days.\n"
        "- id: refusal\n  prompt: May it be refused?\n  ideal: No.\n"
        "- id: done\n  prompt: Who?\n  ideal: I.\n  should: [Names me]\n",
        "utf-8",
    )
    return path


def test_points_are_printed_as_yaml_that_reads_as_points(letting: Path) -> None:
    before = letting.read_text("utf-8")
    done = studio("draft", letting, "--prompt", "notice")
    assert (done.exit_code, letting.read_text("utf-8")) == (0, before)
    (prompt,) = parse(
        f"- prompt: a\n{''.join(f'  {line}' for line in done.stdout.splitlines(keepends=True))}"
    ).blueprint.prompts
    assert [point.text for point in prompt.points()] == ["Names the notice period", "Says: in writing"]


def test_who_is_sent_the_ideal_is_told_first(letting: Path) -> None:
    done = studio("draft", letting, "--prompt", "notice")
    assert done.stderr.startswith("The messages of notice and its ideal go to this machine (localhost:")
    assert "asked as own:drafter." in done.stderr


def test_a_model_that_gives_no_points_is_exit_code_1(letting: Path) -> None:
    done = studio("draft", letting, "--prompt", "refusal")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "own:drafter answered without points. Ask again, or choose another judge." in done.stderr


@pytest.mark.parametrize(("prompt", "said"), [("done", "done has points already"), ("none", "There is no prompt none")])
def test_where_nothing_can_be_drafted_it_says_why(letting: Path, prompt: str, said: str) -> None:
    done = studio("draft", letting, "--prompt", prompt)
    assert done.exit_code == 2
    assert said in done.stderr
