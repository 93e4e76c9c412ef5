"""What a header and its prompts lack, or hold in vain: ids, rubrics, temperatures, keys out of use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import LineIndex
from tests.engine.rule_reports import checker_of, reported
from tests.many_cases import every
from tests.thoroughness import one_in
from tests.world import golden, needs_shared

# What a header and its prompts lack, or hold in vain: ids, rubrics, temperatures, keys out of use


PROMPT = "- id: a\n  prompt: b\n  should:\n    - c\n"


def of(slug: str, text: str, path: Path | None = None) -> list[Diagnostic]:
    return reported(parse(text, path), slug)


# bad-structure


def test_weval_refuses_it_at_the_same_place() -> None:
    text = "context: &c\n  own: *c\n---\n- id: a\n  prompt: b\n"
    parsed = parse(text)
    assert parsed.weval.error is not None
    assert parsed.weval.error.offset == text.index("*c")


# unknown-key


def test_keys_beyond_what_may_be_read_again_have_no_fix() -> None:
    text = "".join(f"temperaturs{number}: {'x' * 20_000}\n" for number in range(120)) + f"---\n{PROMPT}"
    reported = of("unknown-key", text)
    assert len(reported) == 120
    assert all("did you mean `temperatures`" in found.message for found in reported)
    assert not reported[-1].fixes


# Whatever Weval refuses is told here: as an error, or as what works here and is refused there


CASES = {row["name"]: row for row in golden("parse_cases")}
EXAMPLES = golden("docs_examples")
RUN_REFUSED = [row for row in golden("validate_prompts") if row["error"] and row["prompts_from"] != "parse_corpus"]
NO_LIST = "hand/prompts not a list"
NULL_WEIGHT = {53, 54}
"""A null `multiplier`: the platform's parser makes it 1 before the criteria are evaluated (platform.md, A17)."""
POINTS_REFUSED = [row for row in golden("normalize_points") if row["error"] and row["id"] not in NULL_WEIGHT]
WITH_UNWRITTEN = checker_of("not-written-yet")
UNREADABLE_EXAMPLES = {
    22: ("yaml-syntax", 11),
    36: ("duplicate-key", 10),
    38: ("duplicate-key", 9),
    46: ("undefined-ref", 34),
    69: ("undefined-ref", 23),
}
"""golden/README.md: the examples that nobody can read whole; what is wrong there, and in which line."""


def is_told(text: str, path: Path) -> bool:
    """Whether a rule reports it; what is not written yet is off by default, and refused when it runs."""
    found = WITH_UNWRITTEN.check(parse(text, path))
    return any(each.severity is Severity.ERROR or each.flagged for each in found)


@every("row", one_in(5, [row for row in CASES.values() if not row["ok"]]), ids=lambda row: row["name"])
def test_a_file_that_weval_refuses_to_read_is_told(row: dict[str, Any]) -> None:
    assert is_told(row["content"], Path("x.json" if row["file_type"] == "json" else "x.yml"))


@needs_shared
@every("row", [row for row in EXAMPLES if not row["ok"]], ids=lambda row: row["id"])
def test_an_example_of_the_documents_that_weval_refuses_to_read_is_told(row: dict[str, Any]) -> None:
    assert is_told(row["content"], Path("x.json" if row["file_type"] == "json" else "x.yml"))


@needs_shared
@every("row", [row for row in RUN_REFUSED if row["source"] in CASES], ids=lambda row: row["source"])
def test_a_file_that_weval_reads_and_refuses_to_run_is_told(row: dict[str, Any]) -> None:
    case = CASES[row["source"]]
    assert is_told(case["content"], Path("x.json" if case["file_type"] == "json" else "x.yml"))


@needs_shared
@every(
    "row",
    [row for row in RUN_REFUSED if row["prompts_from"] == "inline" and row["source"] != NO_LIST],
    ids=lambda row: row["source"],
)
def test_a_conversation_that_weval_refuses_is_told(row: dict[str, Any]) -> None:
    assert is_told(json.dumps({"prompts": row["prompts"]}), Path("x.yml"))


def test_prompts_that_are_no_list_are_told() -> None:
    assert is_told(json.dumps({"prompts": "What is this?"}), Path("x.json"))


@every("row", POINTS_REFUSED, ids=lambda row: row["id"])
def test_a_point_that_weval_refuses_to_evaluate_is_told(row: dict[str, Any]) -> None:
    block = "should_not" if row["should_not"] else "should"
    text = json.dumps({"prompts": [{"id": "p", "prompt": "x", block: row["points"]}]})
    assert check(parse(text, Path("x.json")))


@needs_shared
@every("row", [row for row in EXAMPLES if row["id"] in UNREADABLE_EXAMPLES])
def test_an_example_that_nobody_can_read_whole_has_its_first_error_at_the_line_at_fault(row: dict[str, Any]) -> None:
    lines = LineIndex(row["content"])
    errors = [each for each in check(parse(row["content"])) if each.severity is Severity.ERROR]
    told = [(each.slug, lines.position(each.span.start).line + 1) for each in errors]
    assert told[0] == UNREADABLE_EXAMPLES[row["id"]]
