"""Fixes mend what they are offered for, in the author's own layout, and nothing else."""

from __future__ import annotations

import difflib
import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import ABSENT, Point
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse, weval_config
from engine.rules import ALL, Checker, check
from engine.rules.fixes import FixedProblem, FixTrial, apart, fix_text
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.spans import Span, TextEdit, apply_edits
from engine.yaml.nodes import Data, MappingNode, Node, SequenceNode, property_name, to_data
from tests.engine.short_cases import assert_says, parsed_case
from tests.engine.test_rules_fix_laws import LISTS
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_corpus

# Fixes mend what they are offered for, in the author's own layout, and nothing else


HEAD = "- id: p\n  prompt: q\n"


@every(("errors", "fixes"), [(1, 1), (30, 1), (80, 0)])
def test_a_misspelt_key_has_a_fix_unless_too_many_yaml_errors_are_read_with_it(errors: int, fixes: int) -> None:
    lines = "".join(f"- id: k{number}\n  prompt: x: y\n" for number in range(errors))
    text = f"descripton: a\n---\n{lines}- id: a\n  prompt: b\n  should: [c]\n"
    (found,) = [each for each in check(parse(text)) if "`descripton`" in each.message]
    assert len(found.fixes) == fixes


def test_mending_leaves_windows_line_ends_as_they_are() -> None:
    text = f"{HEAD}  should: Mentions x\n".replace("\n", "\r\n")
    assert fix_text(text, None).text == f"{HEAD}  should:\n    - Mentions x\n".replace("\n", "\r\n")


def test_naming_many_prompts_with_one_id_is_not_quadratic() -> None:
    parsed = parse("- id: a\n  prompt: b\n- id: a-2\n  prompt: b\n" + "- id: a\n  prompt: b\n" * 3_000)
    with costs_less_than(1.5):
        found = Checker([rule for rule in ALL if rule.slug == "duplicate-prompt-id"]).check(parsed)
    assert [each.fixes[0].title for each in found[:2]] == ["call it a-3", "call it a-4"]


# Which of several fixes are applied together: those whose edits do not touch


@st.composite
def fixed_problems(draw: st.DrawFn) -> FixedProblem:
    """A problem with a fix of up to three edits that do not touch."""
    bounds = sorted(draw(st.lists(st.integers(0, 20), min_size=2, max_size=6)))
    spans = dict.fromkeys(Span(start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=False))
    diagnostic = Diagnostic("S1", "rule", Severity.ERROR, Span(0, 1), "message", "")
    return FixedProblem(diagnostic, Fix("do it", True, tuple(TextEdit(span, "") for span in spans)))


def touch(one: FixedProblem, other: FixedProblem) -> bool:
    """Whether any of their edits overlap, or are at the same place; every pair is compared."""
    pairs = ((left.span, right.span) for left in one.fix.edits for right in other.fix.edits)
    return any((left.start < right.end and right.start < left.end) or left == right for left, right in pairs)


def one_by_one(problems: Sequence[FixedProblem]) -> list[FixedProblem]:
    """The same by comparing each with each."""
    chosen: list[FixedProblem] = []
    for problem in problems:
        if not any(touch(problem, earlier) for earlier in chosen):
            chosen.append(problem)
    return chosen


@given(st.lists(fixed_problems(), max_size=8))
def test_fixes_are_applied_together_unless_one_touches_an_earlier_one(problems: list[FixedProblem]) -> None:
    assert list(apart(problems)) == one_by_one(problems)


# A blueprint in JSON is told of, and mended, as the same one in YAML is: shown by the rules' own bad examples


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
    "alternative paths: the criteria above it, or those below it": "it indents whole lines",
}
"""Fixes, by title, that write what JSON does not have."""

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


@cache
def sound() -> list[str]:
    return [f"prompts:\n{textwrap.indent(text, '  ')}" for text in LISTS if parse(text).tree.error is None]


def said_alike(text: str) -> bool:
    """Whether all that an example is about can be said in JSON."""
    return not any(each.slug in ONLY_IN_YAML for each in EVERY.check(in_yaml(text)))


@cache
def alike() -> list[str]:
    return [text for text in sound() if said_alike(text)]


def test_nearly_all_examples_can_be_said_in_json() -> None:
    assert len(sound()) - len(alike()) == len(ONLY_IN_YAML)


@pytest.mark.parametrize("indent", LAYOUTS)
@every("text", alike)
def test_json_is_told_of_at_the_same_paths_with_the_same_fixes_that_say_the_same(
    javascript: JavaScript, text: str, indent: int | str | None
) -> None:
    yaml, other = in_yaml(text), in_json(as_json(text, indent))
    in_both = told(yaml, javascript), told(other, javascript)
    assert [each[:2] for each in in_both[1]] == [each[:2] for each in in_both[0]]
    assert [fixes_of(each) for *_, each in in_both[1]] == [fixes_of(each) for *_, each in in_both[0]]
    for (slug, _, diagnostic), (_, _, like) in zip(*in_both, strict=True):
        for title, fix in offered(like).items():
            promised = parse(apply_edits(yaml.text, offered(diagnostic)[title].edits), yaml.path)
            mended = parse(apply_edits(other.text, fix.edits), other.path)
            assert json.loads(mended.text) == data_of(promised), (slug, title)
            assert weval_config(mended) == weval_config(promised), (slug, title)
            left = [each.slug for each in EVERY.check(mended, javascript)]
            assert left.count(slug) < [each[0] for each in in_both[1]].count(slug), (slug, title)
            if indent is not None:
                assert indents(mended.text) <= indents(json.dumps(json.loads(mended.text), indent=indent)), (slug, fix)


def fixes_of(diagnostic: Diagnostic) -> list[tuple[str, bool]]:
    return sorted((fix.title, fix.safe) for fix in offered(diagnostic).values())


def indents(text: str) -> set[int]:
    return {len(line) - len(line.lstrip()) for line in text.splitlines()}


# Flattening paths: what it brings is said first, and it brings nothing that was not wrong before


NAMES = ["the form", "the office", "the fee", "the court", "the date", "the judge", "the stamp", "the witness"]
GUARDS = ["a lawyer", "a friend", "a rumour", "a secret", "a party", "a rival", "a price", "a brand"]


def rubric(random: Random) -> str:
    """A prompt with required and paths at random, of distinct points, in one or both blocks."""
    names, guards = iter(random.sample(NAMES, len(NAMES))), iter(random.sample(GUARDS, len(GUARDS)))
    should = [f"Names {next(names)}" for _ in range(random.randint(0, 2))]
    paths = [[f"Names {next(names)}" for _ in range(random.randint(1, 3))] for _ in range(random.randint(0, 2))]
    unwanted = [[f"Praises {next(guards)}" for _ in range(random.randint(1, 3))] for _ in range(random.randint(0, 2))]
    text = "- id: p\n  prompt: What is due?\n"
    if should or paths:
        text += "  should:\n" + lines(should, paths)
    if unwanted:
        text += "  should_not:\n" + lines([f"Praises {next(guards)}"] * random.randint(0, 1), unwanted)
    return text


def lines(required: list[str], paths: list[list[str]]) -> str:
    nested = ["    - - " + "\n      - ".join(path) for path in paths]
    return "".join(f"{line}\n" for line in [*(f"    - {point}" for point in required), *nested])


def brought(text: str) -> list[tuple[str, str, str]]:
    """For each flattening fix and each warning or error that it brings: the problem, the new one, and the objection."""
    trial = FixTrial(text)
    return [
        (problem.slug, new, outcome.objection)
        for problem in trial.diagnostics
        for fix in problem.fixes
        if "flatten" in fix.title
        for outcome in (trial.outcome(problem, fix),)
        for new in (Counter(loud(outcome.diagnostics)) - Counter(loud(trial.diagnostics)))
    ]


def loud(diagnostics: Sequence[Diagnostic]) -> list[str]:
    return [one.slug for one in diagnostics if one.severity is not Severity.HINT]


@needs_corpus
@every("path", one_in(2, [path for path in corpus_files() if "- - " in path.read_text("utf-8")]), ids=str)
def test_flattening_in_the_corpus_brings_no_warning(path: Path) -> None:
    assert brought(path.read_text("utf-8")) == []


@every("seed", range(tried(6, 40)))
def test_what_flattening_brings_is_said_first(seed: int) -> None:
    random = Random(seed)
    said = [each for text in [rubric(random) for _ in range(10)] for each in brought(text)]
    assert {(problem, new) for problem, new, _ in said} <= {("paths-in-should-not", "path-outweighs")}
    assert all("brings a new warning" in objection for _, _, objection in said)


# What is made of a text, and what is left to its author


def mended(mark: str, text: str) -> Iterator[str]:
    """The lines that safe fixes change, the points that are read then, and the errors that stay with their fixes."""
    before = parsed_case(mark, text)
    after = fix_text(before.text, before.path)
    changed = difflib.unified_diff(before.text.splitlines(), after.text.splitlines(), n=0, lineterm="")
    yield from (line.rstrip() for line in list(changed)[2:] if not line.startswith("@@"))
    for prompt in after.parsed.blueprint.prompts:
        yield f"{prompt.id}: {', '.join(map(shown, prompt.points()))}"
    left = [each for each in after.remaining if each.severity is not Severity.HINT]
    yield from dict.fromkeys(f"left: {each.slug} ({', '.join(fix.title for fix in each.fixes)})" for each in left)


def shown(point: Point) -> str:
    weight = "" if point.multiplier == 1 else f" ×{point.multiplier:g}"
    call = point.function
    args = "" if call is None or call.args is ABSENT else f": {call.args}"
    return f"“{point.text}”{weight}" if call is None else f"${call.name}{args}{weight}"


def test_a_text_is_mended_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("mend_cases.txt"), mended, pytestconfig)
