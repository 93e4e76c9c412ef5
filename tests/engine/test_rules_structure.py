"""What a header and its prompts lack, or hold in vain: ids, rubrics, temperatures, keys out of use."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic, Severity
from tests.engine.rule_reports import reported

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


# header-lost


@pytest.mark.parametrize("key", ["title: T", "models: [CORE]", "author: me", "references: [x]", "toolUse: {}"])
def test_a_header_that_is_taken_for_a_prompt_is_told_once(key: str) -> None:
    text = f"{key}\nideal: short\n---\n{PROMPT}"
    [found] = [each for each in check(parse(text)) if each.slug != "extracted-rubric"]
    assert (found.slug, found.severity, found.span.of(text)) == ("header-lost", Severity.ERROR, key.partition(":")[0])
