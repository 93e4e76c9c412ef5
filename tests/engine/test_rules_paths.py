"""What rules say of alternative paths, with the arithmetic of the very block."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.evaluation.point_assessment import assess_functions
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.scoring.sums import aggregate
from engine.text.diagnostics import Diagnostic
from engine.text.spans import apply_edits
from tests.engine.rule_reports import reported

HEAD = "- id: p\n  prompt: q\n"


def found(text: str, slug: str) -> list[Diagnostic]:
    return reported(parse(text), slug)


def only(text: str, slug: str) -> Diagnostic:
    [one] = found(text, slug)
    return one


def should(*points: str) -> str:
    return f"{HEAD}  should:\n" + "".join(f"    - {point}\n" for point in points)


# single-element-path


LITERALS = st.lists(st.sampled_from(["a", "B", "ab", "a b"]), min_size=2, max_size=4)


@given(
    st.sampled_from(["contains", "icontains", "matches", "imatches"]),
    LITERALS,
    st.sampled_from([1, 0.5, 3]),
    st.text("abAB ", max_size=6),
)
def test_one_check_in_place_of_a_block_that_stands_alone_keeps_every_score(
    javascript: JavaScript, name: str, literals: list[str], weight: float, answer: str
) -> None:
    text = should(*(f"- ${name}: {literal}\n        weight: {weight}" for literal in literals))
    [fix] = [fix for fix in only(text, "single-element-path").fixes if "any will do" in fix.title]
    [before], [after] = parse(text).blueprint.prompts, parse(apply_edits(text, fix.edits)).blueprint.prompts
    assert len(after.points()) == 1
    assert score(before, answer, javascript) == score(after, answer, javascript)


def score(prompt: Prompt, answer: str, javascript: JavaScript) -> float:
    return aggregate(assess_functions(prompt, answer, javascript))
