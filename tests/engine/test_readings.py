"""How short texts are read: their YAML, sound and broken, and the blueprint in it; the texts say it themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.text.spans import apply_edits
from engine.yaml.tree_loader import load
from tests.engine.readings import READING_CASES, read
from tests.engine.short_cases import assert_says, texts_in
from tests.many_cases import every

JARGON = ("token", "mapping", "scalar", "node", "flow", "stream", "directive", "anchor")
SLIPS = next(path for path in READING_CASES if path.stem == "slips")


@pytest.mark.parametrize("cases", READING_CASES, ids=lambda path: path.stem)
def test_a_text_is_read_as_its_file_says(cases: Path, pytestconfig: pytest.Config) -> None:
    assert_says(cases, read, pytestconfig)


@every("text", [text for path in READING_CASES for text in texts_in(path)])
def test_each_fix_leaves_fewer_errors_of_its_rule(text: str) -> None:
    found = load(text).diagnostics
    for one in found:
        for fix in one.fixes:
            left = load(apply_edits(text, fix.edits)).diagnostics
            assert sum(each.slug == one.slug for each in left) < sum(each.slug == one.slug for each in found)


def test_no_message_uses_a_word_of_parsers() -> None:
    messages = re.findall(r"^> error \d+:\d+ “.*?”: (.*)$", SLIPS.read_text("utf-8"), re.MULTILINE)
    assert len(messages) > 30
    assert [(word, message) for message in messages for word in JARGON if word in message] == []
