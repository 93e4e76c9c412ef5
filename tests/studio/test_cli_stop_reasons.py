"""`studio run` and `studio explain` say how an answer ended: a cut one is scored and marked, a withheld one fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from pytest_httpserver import HTTPServer
from werkzeug import Response

from tests.engine.provider_server import answers, said, sse, streamed
from tests.studio.command_line import studio

KEY = "own:tiny"


def chat_stream(text: str, reason: str) -> Response:
    end = {"choices": [{"delta": {}, "finish_reason": reason}]}
    return streamed(*[sse({"choices": [{"delta": {"content": text}}]})] * bool(text), sse(end), b"data: [DONE]\n\n")


def chat_whole(text: str, reason: str) -> Response:
    return said({"choices": [{"message": {"content": text}, "finish_reason": reason}]})


@pytest.fixture
def run(httpserver: HTTPServer, tmp_path: Path) -> Callable[..., tuple[Result, dict[str, Any]]]:
    """Runs one prompt with a model that answers so; what was printed, and the result JSON."""

    def run(*responses: Response, more: tuple[str, ...] = ()) -> tuple[Result, dict[str, Any]]:
        answers(httpserver, *responses)
        model = f"{{id: '{KEY}', url: '{httpserver.url_for('/v1/x')}', modelName: tiny, inherit: openai}}"
        file, out = tmp_path / "capitals.yml", tmp_path / "result.json"
        file.write_text(
            f"models: [{model}]\n---\n- id: france\n  prompt: Capital?\n  should:\n    - $contains: Paris\n"
        )
        result = studio("run", str(file), "--model", KEY, "--json", str(out), *more)
        return result, json.loads(out.read_text())

    return run


def coverage(result: dict[str, Any]) -> dict[str, Any]:
    return result["evaluationResults"]["llmCoverageScores"]["france"][KEY]


def test_a_cut_answer_is_scored_and_marked(run: Any) -> None:
    printed, result = run(chat_stream("Paris, which", "length"))
    assert printed.exit_code == 0
    assert printed.stdout.startswith(f"france · {KEY}: 100.0, cut off at the token limit\n")
    assert "The answer was cut off at the token limit" in printed.stdout
    assert "scored, cut off at the token limit" in printed.stderr
    assert coverage(result)["stopReason"] == {
        "reason": "length",
        "word": "length",
        "cut": True,
        "text": "cut off at the token limit",
        "turns": ["length"],
    }


def test_a_withheld_answer_is_a_failed_request_and_has_no_score(run: Any) -> None:
    printed, result = run(chat_stream("Paris, which", "content_filter"))
    assert printed.exit_code == 1
    assert printed.stdout.startswith(f"france · {KEY}: withheld by the provider's safety filter\n")
    assert "had arrived: “Paris, which”" in printed.stdout
    assert result["evaluationResults"]["llmCoverageScores"] == {}
    assert "withheld by the provider's safety filter" in result["errors"]["france"][KEY]
    withheld = result["withheldResponses"]["france"][KEY]
    assert (withheld["text"], withheld["stopReason"]["reason"]) == ("Paris, which", "withheld")
    assert result["allFinalAssistantResponses"] == {}


def test_an_answer_that_was_withheld_as_a_whole_fails_too(run: Any) -> None:
    printed, result = run(chat_stream("", "content_filter"))
    assert (printed.exit_code, "had arrived" in printed.stdout) == (1, False)
    assert result["withheldResponses"]["france"][KEY]["text"] == ""


def test_a_withheld_answer_is_asked_for_again_by_the_next_run(run: Any, httpserver: HTTPServer) -> None:
    withheld, whole = chat_stream("Paris, which", "content_filter"), chat_stream("Paris.", "stop")
    first, _ = run(withheld, whole)
    httpserver.clear()
    second, result = run(whole)
    assert (first.exit_code, second.exit_code, coverage(result)["avgCoverageExtent"]) == (1, 0, 1.0)


def test_a_cut_answer_from_the_cache_is_still_marked(run: Any, httpserver: HTTPServer) -> None:
    run(chat_stream("Paris, which", "length"))
    httpserver.clear()
    printed, result = run(chat_stream("never asked", "stop"))
    assert "cached answer" in printed.stderr
    assert coverage(result)["stopReason"]["reason"] == "length"


def test_a_whole_answer_says_so_in_json_only(run: Any) -> None:
    printed, result = run(chat_whole("Paris.", "stop"))
    assert printed.stdout.startswith(f"france · {KEY}: 100.0\n")
    assert coverage(result)["stopReason"]["text"] == "complete"
    assert "withheldResponses" not in result


def test_the_model_s_own_refusal_is_scored(run: Any) -> None:
    message = {"content": None, "refusal": "I can't say."}
    printed, result = run(said({"choices": [{"message": message, "finish_reason": "stop"}]}))
    assert printed.exit_code == 0
    assert "refused by the model in its own words" in printed.stdout
    assert (coverage(result)["avgCoverageExtent"], coverage(result)["stopReason"]["reason"]) == (0.0, "refusal")


def test_a_think_block_is_scored_as_it_stands_and_said(run: Any) -> None:
    printed, result = run(chat_whole("<think>Paris?</think> Lyon.", "stop"))
    assert printed.exit_code == 0
    assert printed.stdout.startswith(f"france · {KEY}: 100.0, with a think block\n")
    assert "scored as it stands, as on Weval" in " ".join(printed.stdout.split())
    assert "$contains: Paris rests on what is thought aloud alone." in printed.stdout
    assert coverage(result)["thinkBlocks"] == {
        "count": 1,
        "tag": "<think>",
        "closed": True,
        "words": 1,
        "share": 0.7778,
    }


# studio explain


def test_explaining_a_run_says_how_the_answer_ended(run: Any, tmp_path: Path) -> None:
    run(chat_stream("Paris, which", "length"))
    source = ("--prompt", "france", "--model", KEY)
    text = studio("explain", str(tmp_path / "capitals.yml"), *source)
    [explained] = json.loads(studio("explain", str(tmp_path / "capitals.yml"), *source, "--format", "json").stdout)
    assert "cut off at the token limit" in text.stdout.splitlines()[0]
    assert explained["stopReason"]["reason"] == "length"


def test_explaining_a_result_file_of_ours_says_how_the_answer_ended(run: Any, tmp_path: Path) -> None:
    run(chat_stream("Paris, which", "length"))
    text = studio("explain", str(tmp_path / "result.json"))
    [explained] = json.loads(studio("explain", str(tmp_path / "result.json"), "--format", "json").stdout)
    assert "The answer was cut off at the token limit" in text.stdout
    assert explained["stopReason"]["reason"] == "length"


def test_explaining_a_published_answer_that_thinks_aloud_says_so(tmp_path: Path) -> None:
    scores = {"france": {"m": {"avgCoverageExtent": 1.0, "keyPointsCount": 1, "pointAssessments": []}}}
    scores["france"]["m"]["pointAssessments"] = [{"keyPointText": "Says Paris", "coverageExtent": 1.0}]
    responses = {"france": {"m": "<think>Hm.</think> Paris."}}
    file = tmp_path / "published.json"
    whole = {"evaluationResults": {"llmCoverageScores": scores}, "allFinalAssistantResponses": responses}
    file.write_text(json.dumps(whole))
    assert "The answer thinks aloud in a <think> block" in studio("explain", str(file)).stdout


# Saved answers


def replayed(tmp_path: Path, *model: str) -> Result:
    return studio("run", str(tmp_path / "capitals.yml"), "--fixtures", str(tmp_path / "saved.json"), *model)


def test_a_cut_answer_that_was_saved_is_still_cut(run: Any, tmp_path: Path) -> None:
    run(chat_stream("Paris, which", "length"), more=("--record", str(tmp_path / "saved.json")))
    assert replayed(tmp_path, "--model", KEY).stdout.startswith(f"france · {KEY}: 100.0, cut off at the token limit\n")


def test_a_recording_of_whole_answers_says_nothing_of_their_ends(run: Any, tmp_path: Path) -> None:
    run(chat_stream("Paris.", "stop"), more=("--record", str(tmp_path / "saved.json")))
    assert "stopReasons" not in (tmp_path / "saved.json").read_text()


def test_a_withheld_answer_is_not_recorded(run: Any, tmp_path: Path) -> None:
    run(chat_stream("Paris, which", "content_filter"), more=("--record", str(tmp_path / "saved.json")))
    assert json.loads((tmp_path / "saved.json").read_text())["responses"] == {}


def test_explaining_a_withheld_answer_fails_and_says_why(run: Any, tmp_path: Path) -> None:
    run(chat_stream("Paris, which", "content_filter"), chat_stream("Paris, which", "content_filter"))
    file, source = str(tmp_path / "capitals.yml"), ("--prompt", "france", "--model", KEY)
    explained = studio("explain", file, *source)
    assert (explained.exit_code, "withheld by the provider's safety filter" in explained.stdout) == (1, True)


def test_no_judge_is_asked_about_a_withheld_answer(run: Any, httpserver: HTTPServer, tmp_path: Path) -> None:
    requests = answers(httpserver, chat_stream("Paris, which", "content_filter"))
    address = httpserver.url_for("/v1/x")
    models = "".join(
        f"  - {{id: 'own:{name}', url: '{address}', modelName: {name}, inherit: openai}}\n"
        for name in ("tiny", "judge")
    )
    judges = "evaluationConfig: {llm-coverage: {judges: [{id: j, model: 'own:judge', approach: standard}]}}\n"
    file = tmp_path / "judged.yml"
    file.write_text(f"{judges}models:\n{models}---\n- {{id: france, prompt: Capital?, should: [Names Paris]}}\n")
    done = studio("run", str(file), "--model", KEY, "--judge", "configured")
    assert (done.exit_code, len(requests)) == (1, 1)
