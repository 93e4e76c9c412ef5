"""Patterns of rules are compiled when they are first used, and all of them can be."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from engine import rules
from engine.rules.registry import rule_modules
from engine.text.patterns import LazyPattern, lazy

UNUSED = """
import sys
import engine.rules
from engine.text.patterns import LazyPattern
found = [each for module in list(sys.modules.values()) for each in vars(module).values() if type(each) is LazyPattern]
print(len(found), sum("match" in vars(each) for each in found))
"""


def patterns() -> Iterator[LazyPattern]:
    assert rule_modules()
    for name, module in list(sys.modules.items()):
        if name.startswith(rules.__name__):
            yield from (each for each in vars(module).values() if type(each) is LazyPattern)


def test_every_pattern_of_the_rules_can_be_compiled() -> None:
    sources = [each.pattern for each in patterns()]
    assert sources
    assert all(isinstance(source, str) for source in sources)


def test_loading_the_rules_compiles_hardly_any_of_their_patterns() -> None:
    done = subprocess.run([sys.executable, "-c", UNUSED], capture_output=True, text=True, check=True)
    known, compiled = map(int, done.stdout.split())
    assert (known > 100, compiled <= known / 20) == (True, True)


def test_a_pattern_that_was_put_off_is_the_pattern() -> None:
    put_off, compiled = lazy(r"(?P<word>\w+) x", re.IGNORECASE), re.compile(r"(?P<word>\w+) x", re.IGNORECASE)
    text = "a X, bc x"
    assert [each["word"] for each in put_off.finditer(text)] == [each["word"] for each in compiled.finditer(text)]
    assert (put_off.sub("-", text), put_off.pattern, put_off.flags) == (
        compiled.sub("-", text),
        compiled.pattern,
        compiled.flags,
    )


def test_a_mistake_in_a_pattern_is_told_at_its_first_use() -> None:
    broken = lazy("(")
    with pytest.raises(re.error):
        broken.match("a")
