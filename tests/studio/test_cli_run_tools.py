"""`studio run` on tools: the trace and the policy below the arithmetic and in the result JSON, never in the score."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.studio.command_line import studio
from tests.world import CORPUS, needs_corpus

BLUEPRINT = """\
tools:
  - name: calculator
toolUse: {maxSteps: 1}
---
- id: sum
  prompt: What is 312 * 49?
  prohibitedTools: [search]
  should:
    - $tool_called: calculator
- id: plain
  prompt: Hello?
  should:
    - $contains: hello
"""
ANSWER = """\
TOOL_CALL {"name": "calculator", "arguments": {"expression": "312*49"}}
TOOL_CALL {"name": "search"}
- TOOL_CALL {"name": "search"}
"""


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    path = tmp_path / "sums.yml"
    path.write_text(BLUEPRINT, "utf-8")
    (tmp_path / "answer.txt").write_text(ANSWER, "utf-8")
    return path


def test_tools_are_told_below_the_arithmetic_and_change_nothing_of_it(sums: Path) -> None:
    done = studio("run", sums, "--prompt", "sum", "--response", sums.parent / "answer.txt")
    assert done.stdout.startswith("sum · response: 100.0\n")
    assert done.stdout.endswith("""\
  tools: 2 calls, 1 line is not a call (beside the score, never in it)
    line 1: calculator {"expression": "312*49"}
      meets $tool_called: calculator
    line 2: search without arguments
      search is not among the tools of this blueprint
    line 3 is no call: the line begins with -, not with TOOL_CALL
    broken: prohibitedTools: search is called once, in line 2
    broken: maxSteps: 2 calls, of at most 1: too many from line 2 on
""")
    assert done.exit_code == 0


def test_the_result_has_the_trace_and_the_policy_beside_the_score(sums: Path) -> None:
    out = sums.parent / "out.json"
    studio("run", sums, "--prompt", "sum", "--response", sums.parent / "answer.txt", "--json", out)
    result = json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]["sum"]["response"]
    assert result["avgCoverageExtent"] == 1
    assert result["toolUse"]["calls"] == [
        {
            "line": 1,
            "name": "calculator",
            "declared": True,
            "checks": [{"index": 0, "meets": True, "isInverted": False}],
        },
        {"line": 2, "name": "search", "declared": False, "checks": []},
    ]
    assert [slip["line"] for slip in result["toolUse"]["slips"]] == [3]
    assert result["toolUse"]["rules"][0] == {
        "rule": "prohibitedTools",
        "tool": "search",
        "kept": False,
        "told": "search is called once, in line 2",
    }


def test_where_nothing_has_to_do_with_tools_nothing_is_said_of_them(sums: Path) -> None:
    out = sums.parent / "out.json"
    done = studio("run", sums, "--prompt", "plain", "--control", "echo", "--json", out)
    assert "tools" not in done.stdout
    scores = json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]["plain"]
    assert "toolUse" not in scores["control:echo"]


def test_explain_tells_of_tools_too(sums: Path) -> None:
    answer = sums.parent / "answer.txt"
    done = studio("explain", sums, "--prompt", "sum", "--response", answer)
    assert "    broken: prohibitedTools: search is called once, in line 2\n" in done.stdout
    (told,) = json.loads(studio("explain", sums, "--prompt", "sum", "--response", answer, "--format", "json").stdout)
    assert [call["name"] for call in told["toolUse"]["calls"]] == ["calculator", "search"]


@needs_corpus
def test_a_tool_blueprint_of_the_corpus_tells_of_every_prompt() -> None:
    done = studio("run", CORPUS / "tool-use-test.yml", "--control", "empty", "--details")
    _, *details = done.stdout.split("\n\n")
    prompts = sum("control:empty: " in each for each in details)
    assert done.stdout.count("tools: no call (beside the score, never in it)") == prompts > 0
    assert "kept: maxSteps: 0 calls, of at most 4" in done.stdout
