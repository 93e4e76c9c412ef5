"""What each rule says, word for word: of the bad example on its page, and of its cases in `pitfalls/SLUG.yml`.

A new rule needs nothing here but `--snapshot-update`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from engine.javascript import JavaScript
from engine.parsing import parse
from engine.rules import ALL, Checker, Rule
from tests.engine.telling import told

CASES = Path(__file__).with_name("pitfalls")


class TextSnapshot(SingleFileSnapshotExtension):
    """One text file for each rule."""

    _write_mode = WriteMode.TEXT
    _file_extension = "txt"


@pytest.fixture
def told_before(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(TextSnapshot)


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript() as running:
        yield running


def said(text: str, rule: Rule, javascript: JavaScript) -> str:
    found = Checker(ALL).check(parse(text), javascript)
    return told(text, [each for each in found if each.slug == rule.slug])


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.slug)
def test_what_a_rule_says_of_the_bad_example_on_its_page(
    rule: Rule, javascript: JavaScript, told_before: SnapshotAssertion
) -> None:
    found = re.search(r"^Bad:\n\n((?:    .*\n|\n)+)", rule.page, re.MULTILINE)
    assert found is not None
    assert said(textwrap.dedent(found[1]).strip() + "\n", rule, javascript) == told_before


@pytest.mark.parametrize("cases", sorted(CASES.glob("*.yml")), ids=lambda path: path.stem)
def test_what_a_rule_says_of_its_cases(cases: Path, javascript: JavaScript, told_before: SnapshotAssertion) -> None:
    rule = next(rule for rule in ALL if rule.slug == cases.stem)
    assert said(cases.read_text("utf-8"), rule, javascript) == told_before
