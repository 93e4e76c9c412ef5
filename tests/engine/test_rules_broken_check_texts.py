"""Checks that are spoiled, between slashes or in quotation marks: every character of theirs is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from engine.blueprint import FunctionCall
from engine.parsing import Parsed, parse
from engine.parsing.demands import Kind
from engine.rules.fixes import fix_text
from engine.rules.source.check_names import slashed_pattern
from engine.rules.source.misspelt_checks import read_check
from engine.text.diagnostics import Severity
from engine.text.spans import Span
from engine.yaml.nodes import ScalarNode, SequenceNode, Style
from engine.yaml.tree_loader import load
from tests.engine.broken_checks import (
    PLACES,
    USUAL,
    calls,
    errors_of,
    fixed,
    in_block,
    made_texts,
    meant,
    quoted_in_block,
    texts,
    written,
)
from tests.many_cases import every
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_corpus

# Checks of the corpus, spoiled


SPOILED: dict[str, str] = {
    "no colon": r"\1\2\3 ",
    "full-width colon": r"\1\2\3：",
    "equals sign": r"\1\2\3 = ",
    "no dollar": r"\1\3: ",
}
CHECK_LINE = re.compile(r"^(\s*(?:- )+)(\$)(\w+): (?=[^\s|>])")


@cache
def parsed_file(path: Path) -> Parsed:
    return parse(path.read_text("utf-8"), path)


@cache
def messages_of(path: Path) -> frozenset[tuple[str, str]]:
    """What is reported of a file as it is: rule and message."""
    return frozenset((found.code, found.message) for found in USUAL.check(parsed_file(path)))


def spoiled(path: Path, writing: str) -> Iterator[tuple[Parsed, str]]:
    """Two checks of a file, each written wrongly by itself, with the file as it was."""
    before = parsed_file(path)
    lines = before.text.split("\n")
    places = [index for index, line in enumerate(lines) if CHECK_LINE.match(line)][:2]
    for index in places if before.tree.error is None else ():
        line = CHECK_LINE.sub(SPOILED[writing], lines[index])
        yield before, "\n".join([*lines[:index], line, *lines[index + 1 :]])


@needs_corpus
@pytest.mark.parametrize("writing", SPOILED)
@every("path", one_in(12, corpus_files()), ids=str)
def test_a_spoiled_check_of_the_corpus_is_an_error_and_put_right(path: Path, writing: str) -> None:
    for before, text in spoiled(path, writing):
        known = messages_of(path)
        found = [each for each in USUAL.check(parse(text, path)) if each.severity is Severity.ERROR]
        after = [made for each in found if (each.code, each.message) not in known for made in fixed(text, each, path)]
        assert calls(before) in [calls(made) for made in after]
        assert [each for made in after for each in texts(made) if each not in texts(before)] == []


# Patterns between slashes


@every("item", ["$contains: /etc/passwd", "$contains: /etc/", "$matches: a/b/i", "$js: /a/i.test(r)"])
def test_a_path_is_no_pattern_between_slashes(item: str) -> None:
    assert errors_of(in_block(item)) == []


# No character is lost


AUTHORED = st.text(st.sampled_from("ab \"'\\:#{}[],$/\u00e9\u4e2d\U0001f600\u00a01"), min_size=1, max_size=12).filter(
    lambda text: bool(text.strip())
)
TEXT_FUNCTIONS = ["icontains", "contains", "starts_with", "not_icontains", "tool_called"]


def without_outer_quotes(argument: str) -> str:
    """What an author means by a text that is one quotation of YAML, whole."""
    tree = load(f"[{argument.strip()}]")
    root = tree.documents[0].root if tree.error is None and len(tree.documents) == 1 else None
    node = root.items[0] if isinstance(root, SequenceNode) and len(root.items) == 1 else None
    is_quoted = isinstance(node, ScalarNode) and node.style in (Style.SINGLE, Style.DOUBLE)
    is_whole = is_quoted and node is not None and node.span == Span(1, len(tree.text) - 1)
    return node.text if isinstance(node, ScalarNode) and is_whole else argument


def is_unclear(argument: str) -> bool:
    """Whether the outer quotation marks may be YAML's, though YAML would not read them so."""
    return re.fullmatch(r'"(?:[^"\\]|\\.)*"', argument.strip()) is not None


@settings(
    max_examples=tried(60, 400),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(argument=AUTHORED, name=st.sampled_from(TEXT_FUNCTIONS), place=st.sampled_from(["quoted", "path", "brackets"]))
@example(argument='"label": "yes"', name="icontains", place="quoted")
@example(argument="'label': 'yes'", name="icontains", place="brackets")
@example(argument="42", name="icontains", place="quoted")
@example(argument=" trailing ", name="icontains", place="quoted")
@example(argument='{"label": "yes", "n": [1]}', name="icontains", place="brackets")
@example(argument="# not a comment", name="icontains", place="path")
@example(argument="true", name="contains", place="quoted")
def test_the_argument_of_a_quoted_check_keeps_every_character(argument: str, name: str, place: str) -> None:
    assume(without_outer_quotes(argument))
    assume(not is_unclear(argument) and slashed_pattern(argument, name) is None)
    text = PLACES[place](f"${name}: {argument}")
    [found] = [each for each in errors_of(text) if each.slug == "quoted-function"]
    [after] = fixed(text, found)
    assert meant(name, without_outer_quotes(argument)) in map(written, calls(after))


@settings(max_examples=tried(40, 200), deadline=None)
@given(value=st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text("ab: ,'\"", max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", min_size=1), inner, max_size=3),
    max_leaves=5,
))  # fmt: skip
def test_a_text_of_json_is_looked_for_as_it_is_written(value: object) -> None:
    argument = json.dumps(value)
    assume(not argument.startswith('"'))
    text = quoted_in_block(f"$icontains: {argument}")
    [found] = errors_of(text)
    [after] = fixed(text, found)
    assert meant("icontains", argument) in map(written, calls(after))


LABELS = "generative-ai-for-hate-speech-detection-cross-dataset.yml"


@needs_corpus
def test_the_four_labels_of_the_corpus_keep_their_quotation_marks() -> None:
    [path] = [path for path in corpus_files() if path.name == LABELS]
    after = fix_text(path.read_text("utf-8"), path)
    labels = [call.args for call in calls(after.parsed) if call is not None and '"label"' in str(call.args)]
    hateful = '"label": "the semantics of the provided text is hateful"'
    other = '"label": "the semantics of the provided text is non-hateful"'
    assert labels == [hateful, other, other, hateful]


@needs_corpus
def test_every_quoted_check_of_the_corpus_becomes_a_sound_one_with_what_is_written_in_it() -> None:
    for path in corpus_files():
        parsed = parse(path.read_text("utf-8"), path)
        found = [finding.detail for finding in parsed.findings if finding.kind is Kind.QUOTED_FUNCTION]
        for detail in found:
            check = read_check(detail)
            assert check is not None
            assert check.check is not None
            letters = re.sub(r"[^\w]", "", str(check.check.argument))
            assert re.sub(r"[^\w]", "", detail).endswith(letters), detail


IN_MARKS = {
    "**$icontains: court fee**": "court fee",
    "__$icontains: court fee__": "court fee",
    "_$icontains: court fee_": "court fee",
    "**$icontains**: court fee": "court fee",
    "“$icontains: court fee”": "court fee",
    "‘$icontains: court fee’": "court fee",
    "“icontains: court fee”": "court fee",
    "“$icontains”: “court fee”": "“court fee”",
    "($icontains: court fee)": "court fee",
    "• $icontains: court fee": "court fee",
    "2. $icontains: court fee": "court fee",
    "$icontains\u200b: court fee": "court fee",
    "✅ $icontains: court fee": "court fee",
}
"""Checks with something around them, as they are copied from other texts, and what they look for."""


@every("item", IN_MARKS)
def test_what_stands_around_a_check_is_no_part_of_its_argument(item: str) -> None:
    assert calls(parse(fix_text(in_block(item), None).text))[:1] == [FunctionCall("icontains", IN_MARKS[item])]


@every("item", IN_MARKS)
def test_what_stands_around_a_quoted_check_is_no_part_of_its_argument(item: str) -> None:
    assert calls(parse(fix_text(quoted_in_block(item), None).text))[:1] == [FunctionCall("icontains", IN_MARKS[item])]


@every("item", IN_MARKS)
def test_no_fix_makes_a_text_of_a_check_with_something_around_it(item: str) -> None:
    assert made_texts(in_block(item)) == []


def test_a_box_before_a_check_is_no_part_of_it() -> None:
    after = parse(fix_text(in_block("[x] $icontains: court fee"), None).text)
    assert calls(after)[:1] == [FunctionCall("icontains", "court fee")]


def test_a_negation_before_a_check_is_no_text() -> None:
    assert calls(parse(fix_text(in_block("not $icontains: fee"), None).text))[:1] == [
        FunctionCall("not_icontains", "fee")
    ]


@pytest.mark.parametrize("item", ['"$!icontains: fee"', "$-icontains: fee"])
def test_no_fix_makes_a_text_of_a_check_behind_another_sign(item: str) -> None:
    assert made_texts(in_block(item)) == []
