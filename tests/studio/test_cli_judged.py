"""Judges in `studio run`, `report` and `diff`, on a real server: what is told, what is kept, and what grades change."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from pytest_httpserver import HTTPServer

from engine.blueprint import Block, Role
from engine.blueprint.conversation import ThreadTurn, conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, ModelSource, WrittenSource
from engine.files.own_files import data_dir
from engine.files.user_settings import Settings, change_saved
from engine.judging.judge_prompt import drafted_digest
from engine.models import provider_registry
from engine.models.chat import Usage
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, RunState, Store
from tests.session.test_judged_runs import blueprint
from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer, verdict
from tests.studio.text_files import text_file

BLUEPRINT = text_file("cli-run-judged.yml")
KEY = "sk-of-a-test-99XyZ"


@pytest.fixture
def capitals(tmp_path: Path) -> Path:
    path = tmp_path / "capitals.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def reply(name: str, reflection: str = "So it is.") -> str:
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
        return self.says.get((model, criterion), self.says.get(model, reply("FULLY_PRESENT")))

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
    content = [{"type": "text", "text": reply("FULLY_PRESENT")}]
    message = {"type": "message", "content": content, "stop_reason": "end_turn", "usage": {"output_tokens": 1}}
    httpserver.expect_request("/v1/messages").respond_with_json(message)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", httpserver.url_for(""))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    bench.says["qwen/qwen3-30b-a3b-instruct-2507"] = bench.says["openai/gpt-oss-120b"] = "I cannot judge this."
    done = judge(capitals)
    assert "backup-claude-3-5-haiku (anthropic:claude-3.5-haiku, holistic): 3 of 3 judged" in done.stdout


# --- What "Why low" says of an ideal that was graded or drafted from; `command_cases/why_low.txt` has the rest


__all__ = ["capitals"]


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    path = tmp_path / "answer.txt"
    path.write_text("It is Lyon.", "utf-8")
    return path


def test_grades_of_the_ideal_count(capitals: Path, answer: Path) -> None:
    prompt = parse(BLUEPRINT).blueprint.prompts[0]
    store, place = Store(), PromptPlace.of(capitals, prompt)
    for text in ("Names the river", "Names the country"):
        store.grade(place, prompt.ideal or "", Criterion(Block.SHOULD, text), Grade.FULLY_PRESENT)
    done = studio("run", capitals, "--prompt", "france", "--response", answer)
    assert "why low: the ideal scores 75–100 on this rubric (3 of 4 criteria judged): no evidence on" in done.stdout


@pytest.fixture
def drafted(capitals: Path) -> Path:
    """The capitals, whose three criteria were drafted from the ideal."""
    prompt = parse(BLUEPRINT).blueprint.prompts[0]
    texts = [point.text for point in prompt.points() if point.text is not None]
    Settings(drafted=[drafted_digest(prompt, text) for text in texts]).save()
    return capitals


CIRCULAR = "circular: 3 of 4 criteria were drafted from the ideal, so its score says little about the rubric"


@pytest.mark.parametrize("command", ["run", "explain"])
def test_a_rubric_drafted_from_its_ideal_is_called_circular(drafted: Path, answer: Path, command: str) -> None:
    done = studio(command, drafted, "--prompt", "france", "--response", answer)
    assert f"are judged\n    {CIRCULAR}\n" in done.stdout


def test_a_report_calls_it_circular_too(drafted: Path) -> None:
    report = json.loads(studio("report", drafted, "--format", "json").stdout)
    assert CIRCULAR in report["prompts"][0]["answers"][0]["notes"]


def test_the_json_calls_it_circular_too(drafted: Path) -> None:
    done = studio("explain", drafted, "--prompt", "france", "--ideal", "--format", "json")
    assert json.loads(done.stdout)[0]["circular"] == CIRCULAR


# --- `studio report`: stored answers, verdicts and grades of a blueprint, or a result file, as one file


__all__ = ["bench", "capitals"]


def reported(*arguments: object) -> Any:
    done = studio("report", *arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_author_has_their_name_if_there_is_one(capitals: Path) -> None:
    place = PromptPlace.of(capitals, parse(BLUEPRINT).blueprint.prompts[0])
    criterion = Criterion(Block.SHOULD, "Names the river")
    Store().grade(place, parse(BLUEPRINT).blueprint.prompts[0].ideal or "", criterion, Grade.ABSENT)
    change_saved(None, [lambda settings: setattr(settings, "name", " Ahmed ")])
    assert reported(capitals)["graders"][0]["name"] == "Ahmed"


def test_grades_of_the_author_count_and_are_told(capitals: Path) -> None:
    prompt = parse(BLUEPRINT).blueprint.prompts[0]
    Store().grade(
        PromptPlace.of(capitals, prompt), prompt.ideal or "", Criterion(Block.SHOULD, "Names the river"),
        Grade.PARTIALLY_PRESENT,
    )  # fmt: skip
    report = reported(capitals)
    assert report["prompts"][0]["answers"][0]["points"][1]["extent"] == 0.5
    assert report["graders"][0] | {"about": ""} == {
        "name": "the author", "about": "", "verdicts": 1, "failures": 0, "carriedOver": 0,
    }  # fmt: skip


def answer_of(path: Path, model: str, usage: Usage) -> None:
    """Store an answer of a model to the prompt `france`."""
    thread = (ThreadTurn(Role.USER, "What is the capital of France?", generated=False),)
    thread = (*thread, ThreadTurn(Role.ASSISTANT, "It is Paris.", generated=True))
    place, candidate = PromptPlace(str(path), "france"), Candidate(ModelSource(model))
    number = Store().begin_run(place, candidate, "")
    response = Response("It is Paris.", thread, model, 1.0, usage)
    Store().save_run_answer(number, place, candidate, response)
    Store().end_run(number, RunState.SCORED)


def test_money_is_named_where_a_price_is_known_else_tokens(capitals: Path) -> None:
    answer_of(capitals, "openai:gpt-4o-mini", Usage(1_000_000, 1_000_000))
    answer_of(capitals, "openai:of-my-own", Usage(1200, 300))
    spent = {each["name"]: each for each in reported(capitals)["spent"]}
    assert spent["openai:gpt-4o-mini"]["dollars"] == pytest.approx(0.75)
    assert spent["openai:of-my-own"]["dollars"] is None
    markdown = studio("report", capitals, "--format", "markdown").stdout.replace("\\$", "$")
    assert "gpt-4o-mini: 1 answer, $0.75" in markdown
    assert "1 answer, 1,200 tokens in and 300 out" in markdown
    assert "$0.75 in all, and 1,500 tokens without a known price." in markdown


# --- `studio diff`: what changed in meaning between two files, and which known scores move by it


OLD = text_file("cli-diff-old.yml")
NEW = OLD.replace("    - $contains: 3rd\n", '    - $contains: "third"\n').partition("- id: gone")[0]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old.yml", tmp_path / "rent.yml"
    old.write_text(OLD, "utf-8")
    new.write_text(NEW, "utf-8")
    return old, new


def as_json(*arguments: object) -> Any:
    done = studio("diff", *arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_grades_of_stored_answers_count(files: tuple[Path, Path]) -> None:
    files[0].write_text(OLD.replace("$contains: lease", "Names the lease"), "utf-8")
    files[1].write_text(NEW.replace("$contains: lease", "Names the lease"), "utf-8")
    store_answer(files[1], "On the 3rd, by the lease.", graded="Names the lease")
    [stored] = as_json(*files)["prompts"][0]["storedAnswers"]
    assert (stored["before"], stored["after"]) == ([1, 1], [0.5, 0.5])


def store_answer(path: Path, answer: str, graded: str | None = None) -> None:
    parsed = parse(path.read_text("utf-8"), path)
    prompt = parsed.blueprint.prompts[0]
    place, candidate = PromptPlace.of(path, prompt), Candidate(WrittenSource(answer))
    response = Response(answer, conversation(prompt, parsed.blueprint.header).answered([answer]))
    store = Store()
    number = store.begin_run(place, candidate, "")
    store.save_run_answer(number, place, candidate, response)
    store.end_run(number, RunState.SCORED)
    if graded is not None:
        criterion = next(Criterion(rubric.block, graded) for rubric in prompt.rubrics)
        store.grade(place, answer, criterion, Grade.FULLY_PRESENT)
    store.close()


def test_a_database_that_cannot_be_read_is_reported_once(files: tuple[Path, Path]) -> None:
    for each in files:
        each.write_text(each.read_text("utf-8").replace("$contains: lease", "Names the lease"), "utf-8")
    Store().close()
    with sqlite3.connect(data_dir() / "studio.sqlite3") as connection:
        connection.execute("PRAGMA user_version = 9999")
    done = studio("diff", *files)
    assert (done.exit_code, done.stderr.count("Stored answers and verdicts cannot be read")) == (0, 1)
    assert "the ideal scores 50–100 → 0–50" in done.stdout


def test_each_version_has_the_score_that_run_gives_it(capitals: Path, bench: Bench) -> None:
    judge(capitals)
    old, new = capitals, capitals.with_name("new.yml")
    old.write_text(BLUEPRINT.replace("Names the river", "Names the stream"), "utf-8")
    new.write_text(old.read_text("utf-8").replace("Paris\n    - N", "Paris\n      weight: 2\n    - N"), "utf-8")
    before, after = (studio("run", each, "--ideal").stdout.splitlines()[0] for each in (old, new))
    assert [each.split(", ")[0] for each in (before, after)] == ["france · ideal: 50–75", "france · ideal: 50–90"]
    assert before.endswith("2 verdicts before this edit")
    assert "  the ideal scores 50–75 (2 verdicts before this edit) → 50–90\n" in studio("diff", old, new).stdout


def test_a_score_that_becomes_open_within_the_same_bounds_moves(capitals: Path, bench: Bench) -> None:
    capitals.write_text(BLUEPRINT.partition("    - Names the country")[0], "utf-8")
    bench.says["strict-1"] = bench.says["kind-1"] = 500
    judge(capitals)
    new = capitals.with_name("new.yml")
    new.write_text(capitals.read_text("utf-8").replace("Names the river", "Names the stream"), "utf-8")
    moved = "the ideal scores 100.0, between 50 and 100 (no judge could judge 1 criterion) → 50–100\n"
    assert moved in studio("diff", capitals, new).stdout


def test_a_score_as_on_weval_says_so(capitals: Path, bench: Bench) -> None:
    judge(capitals, "--judges-as", "weval")
    new = capitals.with_name("new.yml")
    new.write_text(BLUEPRINT.replace("- $contains: Paris", "- {$contains: Paris, weight: 2}"), "utf-8")
    moved = "the ideal scores 75.0 (judged as on Weval) → 80.0 (judged as on Weval)\n"
    assert moved in studio("diff", capitals, new, "--judges-as", "weval").stdout


# --- Judges close the verdicts that a comparison lacks, with `studio compare --judge configured`


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, lambda _: verdict("CLASS_FULLY_PRESENT"))


def exported(tmp_path: Path, server: ModelServer) -> tuple[Path, Path]:
    """Two result files of one blueprint whose criteria nobody has judged."""
    path = tmp_path / "x.yml"
    path.write_text(blueprint(server), "utf-8")
    for name, option in (("old", "empty"), ("new", "echo")):
        assert studio("run", path, "--control", option, "--json", tmp_path / f"{name}.json").exit_code == 0
    return tmp_path / "old.json", tmp_path / "new.json"


def test_compare_asks_judges_only_if_they_are_asked_for(tmp_path: Path, server: ModelServer) -> None:
    old, new = exported(tmp_path, server)
    assert "4 verdicts are missing" in studio("compare", old, new).stdout
    assert not server.bodies
    done = studio("compare", old, new, "--judge", "configured")
    assert done.exit_code == 0, done.output
    assert "missing" not in done.stdout
    assert "4 requests" in done.stderr
    assert len(server.bodies) == 4
    assert "4 verdicts are missing" in studio("compare", old, new).stdout  # a file is read with its own verdicts
    assert "missing" not in studio("compare", old, new, "--judge", "configured").stdout
    assert len(server.bodies) == 4


def test_a_dry_run_of_compare_sends_nothing(tmp_path: Path, server: ModelServer) -> None:
    old, new = exported(tmp_path, server)
    done = studio("compare", old, new, "--judge", "configured", "--dry-run")
    assert (done.exit_code, server.bodies) == (0, [])
    assert "4 requests" in done.stdout


def test_a_limit_of_requests_leaves_the_rest_missing(tmp_path: Path, server: ModelServer) -> None:
    old, new = exported(tmp_path, server)
    done = studio("compare", old, new, "--judge", "configured", "--most-requests", "3")
    assert done.exit_code == 0, done.output
    assert len(server.bodies) == 3
    assert "1 verdict is missing" in done.stdout
