"""Where we do otherwise than the platform, on purpose: what holds each row of the table in platform.md."""

from __future__ import annotations

from pathlib import Path

from engine.blueprint.conversation import conversation
from engine.parsing import parse
from engine.rules import check
from tests.many_cases import every
from tests.world import SHARED, needs_shared

ENGINE = Path(__file__).parent
HELD_BY = dict(line.split(" ⇐ ") for line in (ENGINE / "departures.txt").read_text("utf-8").splitlines())
"""The test, the title of a case, or the rule whose cases hold it."""


@needs_shared
def test_every_row_of_the_table_is_held() -> None:
    lines = (SHARED / "platform.md").read_text("utf-8").split("## What we do where they differ")[1].split("\n## ")[0]
    rows = {line.split("|")[1].strip() for line in lines.splitlines() if line.startswith("|")} - {"subject", "---"}
    assert rows == HELD_BY.keys()


@every("holds", HELD_BY.values())
def test_what_holds_a_row_is_there(holds: str) -> None:
    rules = ENGINE / "rule_cases"
    if holds.startswith("test_"):
        assert any(f"def {holds}(" in file.read_text("utf-8") for file in ENGINE.glob("test_*.py"))
    elif " " in holds:
        assert any(f"#### {holds}" in file.read_text("utf-8") for file in ENGINE.glob("**/*.txt"))
    else:
        assert (rules / f"{holds}.yml").exists() or (rules / "short" / f"{holds}.txt").exists()


def test_a_definition_is_followed_to_its_end_and_what_weval_does_not_follow_is_flagged() -> None:
    source = (
        "point_defs:\n  d: {point: x, weight: 2}\n  e: {$ref: d}\n---\n- id: a\n  prompt: x\n  should: [{$ref: e}]\n"
    )
    (point,) = parse(source).blueprint.prompts[0].points()
    assert (point.text, point.multiplier) == ("x", 2)
    told = [each for each in check(parse(source)) if each.slug == "ref-attributes-ignored"]
    assert [each.span.of(source) for each in told] == ["point", "weight", "$ref"]
    assert all(each.flagged for each in told)


def test_context_is_kept_and_goes_to_nobody() -> None:
    blueprint = parse("title: t\ncontext: {secret: word}\n---\n- id: a\n  prompt: x\n").blueprint
    assert blueprint.header.fields["context"] == {"secret": "word"}
    assert "word" not in str(conversation(blueprint.prompts[0], blueprint.header))
