"""What the format documents show as good is reported by no warning, and what they show as poor is.

Beside that, the same uses in other words.
"""

from __future__ import annotations

import re
import textwrap

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Severity
from tests.many_cases import every
from tests.world import NO_SHARED, SHARED

SEEDS = SHARED / "seeds"
needs_documents = pytest.mark.skipif(not SEEDS.is_dir(), reason=NO_SHARED)
PATH_RULES = {"single-element-path", "contained-path", "lone-path", "path-outweighs"}


def document(number: str) -> str:
    """A document, empty where it is missing."""
    return next((path.read_text("utf-8") for path in SEEDS.glob(f"{number}_*.txt")), "")


def between(text: str, start: str, end: str) -> str:
    return text.partition(start)[2].partition(end)[0]


def examples(text: str) -> list[str]:
    """The rubrics in the examples of a text; an example may show several, parted by a blank line."""
    blocks = (
        textwrap.dedent(block) for block in re.findall(r"^ *```yaml\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    )
    return [rubric for block in blocks for rubric in re.split(r"\n(?=# |\n# )", block) if "should" in rubric]


def prompt_with(rubric: str) -> str:
    return f"- id: p\n  prompt: What is it?\n{textwrap.indent(textwrap.dedent(rubric).strip(), '  ')}\n"


FORMAT, SYSTEM = document("002"), document("000")
GOOD = examples(between(FORMAT, "**✅ Good Use Cases:**", "**❌ Poor Use Cases"))
POOR = examples(between(FORMAT, "**❌ Poor Use Cases", "**Decision Tree:**"))
PITFALL = examples(between(FORMAT, "Common Pitfall: Single-Element", "#### Understanding the Aggregation"))
PRACTICES = examples(between(SYSTEM, "**Negative Point-Functions", "4.  **Full `Point` Object**"))
DEFINED = examples(between(FORMAT, "#### Defining Alternative Rubric Paths", "**Mixing Required"))


@needs_documents
def test_the_documents_still_have_their_examples() -> None:
    assert (len(GOOD), len(POOR), len(PITFALL), len(PRACTICES), len(DEFINED)) == (5, 5, 3, 3, 1)


@needs_documents
@every("rubric", [*(rubric for rubric in POOR if "WRONG" in rubric), *PITFALL[:1]])
def test_a_documented_poor_use_of_paths_is_reported(rubric: str) -> None:
    assert PATH_RULES & {one.slug for one in check(parse(prompt_with(rubric)))}


@needs_documents
@every("rubric", [*GOOD, *(rubric for rubric in POOR if "CORRECT" in rubric), *PITFALL[1:], *PRACTICES, *DEFINED])
def test_what_the_documents_show_as_good_is_no_problem(rubric: str) -> None:
    found = check(parse(prompt_with(rubric)))
    assert {one.slug for one in found if one.severity is not Severity.HINT} <= {"vacuous-point"}
