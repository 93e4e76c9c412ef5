"""What is said of a block of paths at its first line is true of its score."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.rules.source.path_lists import block_notes
from engine.scoring.assessment import Assessment
from engine.scoring.sums import aggregate, place


def notes(rubric: str) -> dict[str, str]:
    """The notes by the line of their block."""
    text = f"- id: p\n  prompt: Which?\n{rubric}"
    return {text.splitlines()[at].strip(): note for at, note in block_notes(parse(text))}


PAIR = "  should:\n    - - a\n    - - b\n      - c\n"


@pytest.mark.parametrize(
    ("rubric", "expected"),
    [
        (PAIR, {"- - a": "any one of these 2 earns all of the score"}),
        (PAIR + "    - d\n", {"- - a": "any one of these 2 earns half of the score"}),
        (PAIR + "  should_not: [x]\n", {"- - a": "any one of these 2 earns half of the score"}),
        (PAIR + "    - - {text: d, weight: 9}\n", {"- - a": "any one of these 3 earns all of the score"}),
        ("  should:\n    - d\n    - - a\n      - b\n", {"- - a": "this path earns half of the score"}),
        (PAIR.replace("should", "should_not"), {"- - a": "avoiding any one of these 2 earns all of the score"}),
        (
            PAIR + "    - d\n    - - e\n    - - f\n",
            {"- - a": "any one of all 4 earns half of the score", "- - e": "any one of all 4 earns half of the score"},
        ),
        (
            PAIR + "  should_not:\n    - - x\n",
            {
                "- - a": "any one of these 2, or avoiding one under `should_not`, earns all of the score",
                "- - x": "avoiding this path, or meeting one under `should`, earns all of the score",
            },
        ),
        ("  should: [[a], [b]]\n", {"should: [[a], [b]]": "any one of these 2 earns all of the score"}),
        ("  should: [a, b]\n", {}),
        (PAIR.replace("    - - b", "    OR\n    - - b"), {}),
    ],
)
def test_each_block_says_what_it_earns(rubric: str, expected: dict[str, str]) -> None:
    assert notes(rubric) == expected


@pytest.mark.parametrize("rubric", [PAIR, PAIR + "    - d\n", PAIR + "    - {text: d, weight: 5}\n    - e\n"])
@pytest.mark.parametrize("block", ["should", "should_not"])
def test_the_share_is_that_of_the_arithmetic(rubric: str, block: str) -> None:
    """One path that counts in full, and nothing else, scores what the note says."""
    [prompt] = parse(f"- id: p\n  prompt: q\n{rubric.replace('should', block)}").blueprint.prompts
    placed = place(prompt)
    first = next(each.path_id for each in placed if each.path_id is not None)
    score = aggregate([Assessment(each, float(each.path_id == first)) for each in placed])
    [note] = notes(rubric.replace("should", block)).values()
    assert ("all" in note, "half" in note) == (score == 1, score == 0.5)


def test_an_alias_says_it_where_its_lines_are() -> None:
    text = "- id: p\n  prompt: a\n  should: &s\n    - - a\n    - - b\n- id: q\n  prompt: b\n  should: *s\n"
    assert [text.splitlines()[at] for at, _ in block_notes(parse(text))] == ["    - - a"]
