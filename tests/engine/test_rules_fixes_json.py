"""A blueprint in JSON is told of, and mended, as the same one in YAML is: shown by the rules' own bad examples."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse, weval_config
from engine.rules import ALL, Checker
from engine.text.diagnostics import Diagnostic, Fix
from engine.text.spans import Span, apply_edits
from engine.yaml.nodes import Data, MappingNode, Node, SequenceNode, property_name, to_data
from tests.engine.test_rules_fix_laws import LISTS
from tests.many_cases import every

EVERY = Checker(ALL)

ONLY_IN_YAML = {
    "backslash-in-plain-text": "a text in JSON stands in double quotes, in which `\\n` is a line break",
    "colon-made-citation": "a text in JSON stands in quotes, so no colon within it ends it",
    "comment-ate-text": "there are no comments in JSON, so none cuts a text off",
    "unknown-suppression": "it is about a comment, and there are none in JSON",
    "unused-suppression": "it is about a comment, and there are none in JSON",
    "swallowed-point": "a text in JSON is one line in quotes, and swallows nothing",
    "typographic-signs": "a text in JSON stands in straight quotes; the others are its own",
    "stray-quote": "a text in JSON stands in quotes, of which none is missing",
    "unused-anchor": "there are no anchors in JSON",
    "text-in-path-function": "two texts in brackets, of which the first names a check, are told of as a legacy-tuple",
}
"""Rules whose example cannot be said in JSON, and why."""

FIXES_ONLY_IN_YAML = {
    "backslash-in-plain-text": "a text in JSON stands in double quotes, in which `\\n` is a line break",
    "use single quotes": "there is one kind of quotes in JSON",
    "move it to the prompt": "it moves whole lines, and a file in JSON may be one line",
    "alternative paths: the points above it, or those below it": "it indents whole lines",
}
"""Fixes, by title, that write what JSON does not have."""

SOUND = [f"prompts:\n{textwrap.indent(text, '  ')}" for text in LISTS if parse(text).tree.error is None]
LAYOUTS = [pytest.param(2, id="many lines"), pytest.param("\t", id="tabs"), pytest.param(None, id="one line")]


def in_yaml(text: str) -> Parsed:
    return parse(text, Path("x.yml"))


def in_json(text: str) -> Parsed:
    return parse(text, Path("x.json"))


def as_json(text: str, indent: int | str | None) -> str:
    return json.dumps(data_of(in_yaml(text)), ensure_ascii=False, indent=indent, default=str)


def data_of(parsed: Parsed) -> Data:
    root = parsed.tree.documents[0].root
    assert root is not None
    return to_data(root)


def path_of(parsed: Parsed, span: Span) -> tuple[str | int, ...]:
    """The keys and numbers that lead to the first thing that is written where `span` begins, or behind it."""
    found = re.compile(r"[^\s\[{-]").search(parsed.text, span.start)
    node = parsed.tree.documents[0].root
    assert node is not None
    return tuple(steps(node, span.start if found is None else found.start()))


def steps(node: Node, offset: int) -> Iterator[str | int]:
    match node:
        case MappingNode(pairs=pairs):
            inner = [(property_name(pair.key), pair.value) for pair in pairs if covers(pair.span, offset)]
        case SequenceNode(items=items):
            inner = [(number, item) for number, item in enumerate(items) if covers(item.span, offset)]
        case _:
            inner = []
    for step, below in inner:
        yield step
        yield from steps(below, offset)


def covers(span: Span, offset: int) -> bool:
    return span.start <= offset < span.end


Told = tuple[str, tuple[str | int, ...], Diagnostic]


def told(parsed: Parsed, javascript: JavaScript) -> list[Told]:
    """What is told of a file, by slug and path; but what can be told of YAML only."""
    found = [(each.slug, path_of(parsed, each.span), each) for each in EVERY.check(parsed, javascript)]
    return sorted((each for each in found if each[0] not in ONLY_IN_YAML), key=lambda each: (each[0], str(each[1])))


def offered(diagnostic: Diagnostic) -> dict[str, Fix]:
    """Its fixes by title, but those that only YAML can have."""
    return {fix.title: fix for fix in diagnostic.fixes if fix.title not in FIXES_ONLY_IN_YAML}


def after(parsed: Parsed, fix: Fix) -> Parsed:
    return parse(apply_edits(parsed.text, fix.edits), parsed.path)


def said_alike(text: str) -> bool:
    """Whether all that an example is about can be said in JSON."""
    return not any(each.slug in ONLY_IN_YAML for each in EVERY.check(in_yaml(text)))


ALIKE = [text for text in SOUND if said_alike(text)]


def test_nearly_all_examples_can_be_said_in_json() -> None:
    assert len(SOUND) - len(ALIKE) == len(ONLY_IN_YAML)


@pytest.mark.parametrize("indent", LAYOUTS)
@every("text", ALIKE)
def test_json_is_told_of_at_the_same_paths(javascript: JavaScript, text: str, indent: int | str | None) -> None:
    yaml, other = told(in_yaml(text), javascript), told(in_json(as_json(text, indent)), javascript)
    assert [each[:2] for each in other] == [each[:2] for each in yaml]


@pytest.mark.parametrize("indent", LAYOUTS)
@every("text", ALIKE)
def test_json_is_offered_the_same_fixes(javascript: JavaScript, text: str, indent: int | str | None) -> None:
    yaml, other = told(in_yaml(text), javascript), told(in_json(as_json(text, indent)), javascript)
    assert [fixes_told(each[2]) for each in other] == [fixes_told(each[2]) for each in yaml]


def fixes_told(diagnostic: Diagnostic) -> tuple[str, list[tuple[str, bool]]]:
    return diagnostic.slug, sorted((fix.title, fix.safe) for fix in offered(diagnostic).values())


@pytest.mark.parametrize("indent", LAYOUTS)
@every("text", ALIKE)
def test_a_fix_in_json_says_what_it_says_in_yaml(javascript: JavaScript, text: str, indent: int | str | None) -> None:
    yaml, other = in_yaml(text), in_json(as_json(text, indent))
    pairs = zip(told(yaml, javascript), told(other, javascript), strict=True)
    for (slug, _, diagnostic), (_, _, like) in pairs:
        for title, fix in offered(like).items():
            mended, promised = after(other, fix), after(yaml, offered(diagnostic)[title])
            assert json.loads(mended.text) == data_of(promised), (slug, title)
            assert weval_config(mended) == weval_config(promised), (slug, title)
            left = [each.slug for each in EVERY.check(mended, javascript)]
            assert left.count(slug) < [each[0] for each in told(other, javascript)].count(slug), (slug, title)


@pytest.mark.parametrize("text", ALIKE)
def test_a_fix_in_json_keeps_its_layout(javascript: JavaScript, text: str) -> None:
    other = in_json(as_json(text, 2))
    for diagnostic in EVERY.check(other, javascript):
        for fix in diagnostic.fixes:
            mended = after(other, fix).text
            again = json.dumps(json.loads(mended), ensure_ascii=False, indent=2)
            assert re.sub(r"\s+", "", mended) == re.sub(r"\s+", "", again)
            assert indents(mended) <= indents(again), (diagnostic.slug, fix)


def indents(text: str) -> set[int]:
    return {len(line) - len(line.lstrip()) for line in text.splitlines()}
