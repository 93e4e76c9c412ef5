"""Real texts to mutate: the corpus where it is, and what the project itself holds."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from engine.rules import ALL
from tests.engine.fix_trials import RULE_CASES, cases_of
from tests.world import corpus_files

_PROJECT = Path(__file__).parents[2]
_EXAMPLE = re.compile(r"^(?:Bad|Good|Or):\n\n((?:    .*\n|\n)+)", re.MULTILINE)
_FENCED = re.compile(r"^```ya?ml\n(.*?)^```", re.MULTILINE | re.DOTALL)


@cache
def sources() -> tuple[str, ...]:
    """All real texts, in a fixed order: examples of rules and documents, cases of rules, templates, the corpus."""
    return tuple(dict.fromkeys((*_examples(), *_cases(), *_templates(), *_documented(), *_corpus())))


def _examples() -> Iterator[str]:
    for rule in ALL:
        yield from (textwrap.dedent(found).strip() + "\n" for found in _EXAMPLE.findall(rule.page))


def _cases() -> Iterator[str]:
    for file in RULE_CASES:
        yield from (text for text, _ in cases_of(file))


def _templates() -> Iterator[str]:
    for file in sorted((_PROJECT / "studio" / "example").glob("*.yml")):
        yield file.read_text("utf-8")


def _documented() -> Iterator[str]:
    for file in sorted((_PROJECT / "docs").rglob("*.md")):
        yield from _FENCED.findall(file.read_text("utf-8"))


def _corpus() -> Iterator[str]:
    for file in corpus_files():
        yield file.read_text("utf-8")
