"""A point or a key that a text swallowed is reported at its line, whatever else is wrong; wrapped texts are silent."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.text.diagnostics import Severity
from engine.text.spans import LineIndex, apply_edits
from tests.conservation.rubrics import criterion
from tests.engine.short_cases import texts_in
from tests.many_cases import every
from tests.pieces import pieces
from tests.thoroughness import tried

ONE_RULE = Checker(rule for rule in ALL if rule.slug == "swallowed-point")
POINTS = pieces("points that swallow a point")
OTHER_SLIPS = pieces("prompts with another slip, or none")


def spoiled(pair: str, rng: Random) -> tuple[str, int]:
    """A rubric of some points, one of which swallowed another, and the line of that, from 1."""
    points = [f"    - {criterion(rng)}" for _ in range(rng.randint(2, 5))]
    pair = pair.format(above=criterion(rng).replace("'", "’"), below=criterion(rng).replace("'", "’"))
    at = rng.randint(0, len(points))
    block = rng.choice(("should", "should_not"))
    head = ["- id: a", "  prompt: What is the cap?", f"  {block}:", *points[:at]]
    above = 2 if "|\n" in pair or ">\n" in pair or "any_of" in pair else 1
    return "\n".join([*head, f"    {pair}", *points[at:]]) + "\n", len(head) + above + 1


def lines_told(text: str) -> set[int]:
    """The lines of problems that are no hints, from 1."""
    index = LineIndex(text)
    return {index.position(one.span.start).line + 1 for one in check(parse(text)) if one.severity is not Severity.HINT}


@every("pair", [*POINTS, *pieces("points that swallow a key")])
def test_what_a_text_swallowed_is_reported_at_its_line_whatever_else_is_wrong(pair: str) -> None:
    for other in OTHER_SLIPS:
        for seed in range(tried(1, 4)):
            text, line = spoiled(pair, Random(f"{pair} {other} {seed}"))
            text, line = (other + text, line + other.count("\n")) if seed % 2 else (text + other, line)
            assert line in lines_told(text), text


@every("marked", [*texts_in(Path(__file__).with_name("swallowed_cases.txt"))])
def test_each_line_that_a_text_swallowed_is_told(marked: str) -> None:
    lines = {number for number, line in enumerate(marked.split("\n"), 1) if line.endswith("◀")}
    text = marked.replace("◀", "")
    assert lines <= lines_told(text), text


@settings(max_examples=tried(40, 150), deadline=None)
@given(st.integers(0, 10**6))
def test_a_fix_makes_a_point_of_it(seed: int) -> None:
    rng = Random(seed)
    text, _ = spoiled(rng.choice(POINTS), rng)
    found = [one for one in ONE_RULE.check(parse(text)) if one.fixes]
    for one in found:
        [fix] = one.fixes
        after = parse(apply_edits(text, fix.edits))
        assert not fix.safe
        assert len(after.blueprint.prompts[0].points()) > len(parse(text).blueprint.prompts[0].points())
        assert len(ONE_RULE.check(after)) < len(found)


@settings(max_examples=tried(40, 150), deadline=None)
@given(st.integers(0, 10**6))
def test_wrapped_points_are_silent(seed: int) -> None:
    rng = Random(seed)
    lines = ["- id: a", "  prompt: What is the cap?", "  should:"]
    quote = rng.choice(("", '"'))
    for _ in range(rng.randint(1, 6)):
        words = criterion(rng).split()
        cuts = [0, *sorted(rng.sample(range(1, len(words)), rng.randint(1, 3))), len(words)]
        rows = [" ".join(words[start:end]) for start, end in pairwise(cuts)]
        wrapped = "\n      ".join(rows)
        lines.append(f"    - {quote}{wrapped}{quote}")
    assert ONE_RULE.check(parse("\n".join(lines) + "\n")) == ()
