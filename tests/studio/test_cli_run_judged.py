"""`studio run --judge configured`: judges on a real server, what is told before and after, and what is kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from pytest_httpserver import HTTPServer

from engine.models import provider_registry
from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer
from tests.studio.text_files import text_file

BLUEPRINT = text_file("cli-run-judged.yml")
KEY = "sk-of-a-test-99XyZ"


@pytest.fixture
def capitals(tmp_path: Path) -> Path:
    path = tmp_path / "capitals.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def verdict(name: str, reflection: str = "So it is.") -> str:
    return f"<reflection>{reflection}</reflection><classification>CLASS_{name}</classification>"


class Bench:
    """A server on which every model may sit. `says` is by model and criterion, or by model alone; a number is the
    status of an error."""

    def __init__(self, server: HTTPServer) -> None:
        self.says: dict[tuple[str, str] | str, str | int] = {}
        self.asked = ModelServer(server, self._said).bodies

    def _said(self, body: dict[str, Any]) -> str | int:
        criteria = ("Names the river", "Names the country", "Tells a joke")
        criterion = max(criteria, key=body["messages"][-1]["content"].rfind)
        model = body["model"]
        return self.says.get((model, criterion), self.says.get(model, verdict("FULLY_PRESENT")))

    def models(self) -> list[str]:
        return sorted(body["model"] for body in self.asked)


@pytest.fixture
def bench(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return Bench(httpserver)


def judge(path: Path, *more: object) -> Result:
    return studio("run", path, "--ideal", "--judge", "configured", *more)


def test_no_key_is_kept_or_printed(capitals: Path, bench: Bench, tmp_path: Path, clean_environment: Path) -> None:
    done = judge(capitals, "--json", tmp_path / "out.json")
    kept = b"".join(path.read_bytes() for path in clean_environment.rglob("*") if path.is_file())
    assert b"Names the river" in kept
    assert KEY.encode() not in kept
    assert KEY not in done.stdout + done.stderr + (tmp_path / "out.json").read_text("utf-8")


def test_a_database_that_cannot_be_used_stops_no_run(capitals: Path, bench: Bench, clean_environment: Path) -> None:
    (clean_environment / "data").mkdir()
    with closing(sqlite3.connect(clean_environment / "data" / "studio.sqlite3")) as newer:
        newer.execute("PRAGMA user_version = 999999")
    done = judge(capitals)
    assert "Verdicts cannot be cached: " in done.stderr
    assert done.exit_code == 0


def test_a_data_folder_that_is_none_stops_no_run(capitals: Path, bench: Bench, clean_environment: Path) -> None:
    (clean_environment / "data").write_text("a file where a folder should be", "utf-8")
    done = judge(capitals)
    assert "data could not be used: it is not a folder" in done.stderr
    assert done.exit_code == 0


# The usual judges, moved to this machine


@pytest.fixture
def usual(bench: Bench, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes OpenRouter and Anthropic answer here, and takes the judges out of a blueprint."""
    row = provider_registry.HOSTED["openrouter"]
    here = {name: getattr(row, name) for name in ("label", "key_variable", "at_once")}
    monkeypatch.setitem(
        provider_registry.HOSTED, "openrouter", provider_registry.Row(base_url=httpserver.url_for("/v1"), **here)
    )
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    start, end = BLUEPRINT.index("evaluationConfig"), BLUEPRINT.index("---")

    def without_judges(path: Path) -> None:
        path.write_text(BLUEPRINT[:start] + BLUEPRINT[end:], "utf-8")

    return without_judges


@pytest.mark.parametrize(
    ("more", "models"),
    [
        ((), ["openai/gpt-oss-120b", "qwen/qwen3-30b-a3b-instruct-2507"]),
        (("--judges-as", "documented"), ["openai/gpt-oss-120b", "qwen/qwen3-30b-a3b-instruct-2507"]),
        (("--judges-as", "weval"), ["anthropic/claude-haiku-4.5", "google/gemini-2.5-flash", "openai/gpt-4.1-mini"]),
    ],
    ids=["unless given", "documented", "weval"],
)
def test_the_usual_judges_are_documented_or_those_of_today(
    more: tuple[str, ...], models: list[str], capitals: Path, bench: Bench, usual: Callable[[Path], None]
) -> None:
    usual(capitals)
    done = judge(capitals, *more)
    assert sorted(set(bench.models())) == models
    assert "only where " in done.stderr
    assert done.exit_code == 0


def test_the_backup_stands_in_where_no_usual_judge_judged(
    capitals: Path, bench: Bench, usual: Callable[[Path], None], httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual(capitals)
    content = [{"type": "text", "text": verdict("FULLY_PRESENT")}]
    message = {"type": "message", "content": content, "stop_reason": "end_turn", "usage": {"output_tokens": 1}}
    httpserver.expect_request("/v1/messages").respond_with_json(message)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", httpserver.url_for(""))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    bench.says["qwen/qwen3-30b-a3b-instruct-2507"] = bench.says["openai/gpt-oss-120b"] = "I cannot judge this."
    done = judge(capitals)
    assert "backup-claude-3-5-haiku (anthropic:claude-3.5-haiku, holistic): 3 of 3 judged" in done.stdout
