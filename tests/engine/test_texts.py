"""What is made of short texts, as the files of `text_cases` say: one file for each question that is asked."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from engine.blueprint import Block
from engine.evaluation.point_assessment import assess
from engine.evaluation.published import matched, prompt_today
from engine.evaluation.result_json import dumps, result_json
from engine.evaluation.results import StoredResult, read_result
from engine.evaluation.sources import (
    AnswerSource,
    ControlKind,
    FixtureSource,
    IdealSource,
    ModelSource,
    candidates,
)
from engine.evaluation.tool_use import tool_use
from engine.evidence.passages import closest_sentence
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse, weval_config
from engine.parsing.recognition import recognise
from engine.rules import FileView, check
from engine.rules.causes import by_cause
from engine.rules.rubric_edits import added_criteria
from engine.rules.source.path_lists import block_notes
from engine.scoring.assessment import Grade
from engine.study.case import Case, CaseGrade, Label, NamedPoint
from engine.study.case_reader import problems_with, read_cases
from engine.study.case_writer import (
    CaseMark,
    NotWritable,
    with_case,
    with_grade,
    with_mark,
    without_case,
    without_grade,
)
from engine.study.changes import changes_between, prompt_lines
from engine.text.record import Record
from engine.text.spans import NOWHERE, LineIndex, Span, apply_edits
from engine.yaml.nodes import AliasNode, MappingNode, NodeTree, ScalarNode, SequenceNode, to_data
from engine.yaml.tree_loader import TooLarge, load
from tests.engine.short_cases import assert_says, place, said_of, texts_in
from tests.engine.test_case_files import TEAM_CASES
from tests.engine.test_results import entry_of
from tests.many_cases import every
from tests.pieces import whole_text

CASES = Path(__file__).parent / "text_cases"
RENT = """\
- id: rent
  prompt: When is the rent due?
  ideal: On the 3rd.
  should:
    - $contains: 3rd
    - Names the lease
    - Is friendly and calm
    - Advises to pay in time
"""
PATHS = """\
- id: rent
  prompt: When is the rent due?
  should:
    - Names the lease
    - - Names the day of the month
      - Says that it is every month
    - - Refers to the lease for the date
"""
BESIDE = "- id: rent\n  prompt: When?\n  should: [Names the grace period, $contains: 3rd]\n"


def changes(mark: str, text: str) -> Iterator[str]:
    """What changes between two versions with `=>` between them: `whole`, or what differs of a header or of a prompt."""
    old, _, new = text.partition("=>\n")
    match mark:
        case "whole":
            before, after = old, new
        case "header":
            before, after = f"{old}---\n{RENT}", f"{new}---\n{RENT}"
        case _:
            before = RENT if mark == "rent" else PATHS
            assert before.count(old or before) == 1
            after = before.replace(old, new) if old else before + new
    found = changes_between(parse(before).blueprint, parse(after).blueprint)
    if found.is_empty:
        yield "nothing changes"
    yield from (line for each in found.header for line in each.text)
    for change in found.prompts:
        yield f"{change.state}{', moved' * change.moved}: {', '.join(change.consequences)}"
        yield from prompt_lines(change)
        for point in change.points:
            sides = (point.before, point.after)
            shares = " → ".join("–" if each is None or each.share is None else f"{each.share:g}" for each in sides)
            yield f"  {', '.join(point.kinds)}: {shares}"


def problems_of_cases(mark: str, text: str) -> Iterator[str]:
    """What is read of a file of cases, or of its `cases`, and what is wrong with it, alone or `beside` a blueprint."""
    whole = f"version: 1\ncases:\n{indent(text, '  ')}" if mark else text
    lines = LineIndex(whole)
    file, problems = read_cases(whole)
    if mark != "beside" and not problems:
        yield from map(read, file.cases)
    if mark == "beside":
        problems = problems_with(file, parse(BESIDE).blueprint)
    for each in problems:
        yield f"{lines.position(each.span.start).line + 1}: {each.slug}: {each.message}"


def read(case: Case) -> str:
    """The fields of a case that are written."""
    fields = [
        case.turns,
        case.label,
        case.score,
        case.fails,
        case.reason,
        case.by,
        case.model,
        case.is_edited,
        case.test,
    ]
    grades = [(each.point, each.grade, each.by) for each in case.grades]
    return f"{case.prompt}: {', '.join(str(each) for each in (*fields, *grades) if each not in (None, False))}"


def candidates_of(mark: str, text: str) -> Iterator[str]:
    """Who answers by a header: a model, the `ideal`, or the answers `saved` of any model or of one."""
    kind, _, of = mark.partition(" ")
    match kind:
        case "ideal":
            source: AnswerSource = IdealSource()
        case "saved":
            source = FixtureSource(Path("saved.json"), of or None)
        case model:
            source = ModelSource(model)
    header = parse(f"title: T\n{text}---\n- prompt: q\n").blueprint.header
    yield from (f"{each.key}: {each.label}" for each in candidates(source, header))


def notes_of_paths(_: str, rubric: str) -> Iterator[str]:
    text = f"- id: p\n  prompt: Which?\n{indent(rubric, '  ')}"
    yield from (f"{text.splitlines()[at].strip()} ← {note}" for at, note in block_notes(parse(text)))


def kind_of_file(name: str, text: str) -> Iterator[str]:
    yield recognise(text, Path(name)).name.lower()


def error_of_json(_: str, text: str) -> Iterator[str]:
    for found in load(text, is_json=True).diagnostics:
        yield f"{place(LineIndex(text), found.span)}: {found.message}"


def mended_yaml(_: str, text: str) -> Iterator[str]:
    """The text after its only fix, and what is read of it then."""
    (found,) = load(text).diagnostics
    (fix,) = found.fixes
    mended = apply_edits(text, fix.edits)
    yield f"{'safe' if fix.safe else 'unsafe'}: {fix.title}"
    yield from mended.splitlines()
    yield from (json.dumps(to_data(each.root), ensure_ascii=False) for each in load(mended).documents if each.root)


def tools_used(javascript: JavaScript, header: str, text: str) -> Iterator[str]:
    """What is shown of the tools of an answer, behind `=>`, to a prompt with these fields."""
    fields, _, answer = text.partition("=>\n")
    blueprint = parse(f"title: T\n{header}\n---\n- id: p\n  prompt: q\n{indent(fields, '  ')}").blueprint
    (of,) = blueprint.prompts
    found = tool_use(of, blueprint.header, answer, assess(of, answer, javascript))
    if found is None:
        yield "nothing to show"
        return
    for call, line, checks in zip(found.trace.calls, found.trace.lines, found.checks, strict=True):
        declared = "" if found.is_declared(call.name) else ", not declared"
        yield f"line {line}: {call.name}{declared}: {'; '.join(check.text for check in checks)}"
    yield from (f"slip in line {slip.line}: {slip.reason}" for slip in found.trace.slips)
    for each in found.findings:
        yield f"{each.key}: {'kept' if each.is_met else f'broken by calls {each.calls}'}: {each.text}"


THEN = whole_text("answer-before.yml")


def published(javascript: JavaScript, mark: str, text: str) -> Iterator[str]:
    """Which points of today were which of a run of `THEN`, of whose text lines are other ones now, or were `before`."""
    then, now = THEN, THEN
    if mark == "before":
        first, _, text = text.partition("---\n")
        then = now = with_changes(then, first)
    result = run_of(then, javascript)
    today = prompt_today(result, parse(with_changes(now, text)).blueprint)
    if today is None:
        yield "the prompt is gone"
        return
    found = matched(result, today)
    gone, new = (sum(getattr(each, side) is None for each in found.matches) for side in ("now", "then"))
    yield f"{today.id}: {gone} gone, {new} new{', in another order' * found.reordered}"
    yield f"were {' '.join(str(each.then) for each in found.matches if each.now is not None)}"
    yield from (words for each in found.matches for words in each.changes)


def run_of(text: str, javascript: JavaScript) -> StoredResult:
    """A run of the first prompt of a blueprint, exported and read back."""
    parsed = parse(text)
    of = parsed.blueprint.prompts[0]
    entry = entry_of(of, parsed.blueprint, "Paris", {}, javascript)
    data = result_json(parsed.blueprint, weval_config(parsed), [entry], path=Path("a.yml"))
    (result,) = read_result(dumps(data).encode(), Path("x.json")).results
    return result


def with_changes(text: str, changes: str) -> str:
    """`text` with each line OLD => NEW, or without what it says alone; `⏎` is a line break."""
    for change in changes.splitlines():
        old, _, new = change.replace("⏎", "\n").partition(" => ")
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def edit_of_cases(mark: str, text: str) -> Iterator[str]:
    """The lines that an edit changes in a file of cases, or in that of the `team`: the edit, a case, what it says."""
    before = TEAM_CASES if mark.startswith("team ") else text
    words, _, more = mark.removeprefix("team ").partition(" {")
    name, *number = words.split()
    said = json.loads(f"{{{more}") if more else {}
    try:
        after = edited(before, name, int(*number), said)
    except NotWritable as error:
        yield f"refused: {error}"
        return
    changed = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    yield from (line for line in list(changed)[2:] if not line.startswith("@@"))


def edited(text: str, name: str, number: int, said: dict[str, Any]) -> str:
    match name:
        case "add":
            turns = (said.get("answer", "x"),)
            return with_case(text, Case(1, NOWHERE, "rent", NOWHERE, turns, Label.BAD))
        case "grade":
            point = NamedPoint(said["criterion"])
            return with_grade(text, number, CaseGrade(point, Grade[said["grade"]], said.get("by"), NOWHERE))
        case "ungrade":
            return without_grade(text, number, NamedPoint(said["criterion"]), said["by"])
        case "remove":
            return without_case(text, number)
        case _:
            words, *block = said.get("fails", [None])
            mark = CaseMark(
                Label(said["label"]) if "label" in said else None,
                None if words is None else NamedPoint(words, *map(Block, block)),
                said.get("reason"),
                said.get("quote"),
                ControlKind(said["test"]) if "test" in said else None,
            )
            return with_mark(text, number, mark, said.get("by"))


def written_criterion(mark: str, text: str) -> Iterator[str]:
    """The lines that change where a criterion is written in a block of the first prompt; none without room for it."""
    parsed = parse(text)
    edits = added_criteria(FileView(parsed), parsed.blueprint.prompts[0], Block(mark), ("Names the lease",))
    changed = difflib.unified_diff(text.splitlines(), apply_edits(text, edits).splitlines(), n=0, lineterm="")
    yield from (line for line in list(changed)[2:] if not line.startswith("@@"))


def closest(criterion: str, answer: str) -> Iterator[str]:
    """The sentence of an answer that is closest to a criterion in words."""
    found = closest_sentence(criterion, answer)
    yield "none" if found is None else found.of(answer)


def causes(javascript: JavaScript, slug: str, text: str) -> Iterator[str]:
    """What the problems of a rule in a text are, by their causes."""
    found = [each for each in check(parse(text), javascript) if each.slug == slug]
    yield from (f"{len(cause.reports)}: {cause.message}" for cause in by_cause(found))


SAYS: dict[str, Callable[[str, str], Iterable[str]]] = {
    "changes": changes,
    "problems-of-cases": problems_of_cases,
    "candidates": candidates_of,
    "notes-of-paths": notes_of_paths,
    "kinds-of-files": kind_of_file,
    "errors-of-json": error_of_json,
    "mended-yaml": mended_yaml,
    "edits-of-cases": edit_of_cases,
    "written-criteria": written_criterion,
    "closest-sentences": closest,
}


@pytest.mark.parametrize("name", SAYS)
def test_a_short_text_is_read_as_its_file_says(name: str, pytestconfig: pytest.Config) -> None:
    assert_says(CASES / f"{name}.txt", SAYS[name], pytestconfig)


@pytest.mark.parametrize(
    ("name", "say"), [("published-points", published), ("tool-use", tools_used), ("causes", causes)]
)
def test_what_checks_come_to_is_as_its_file_says(
    name: str,
    say: Callable[[JavaScript, str, str], Iterable[str]],
    javascript: JavaScript,
    pytestconfig: pytest.Config,
) -> None:
    assert_says(CASES / f"{name}.txt", partial(say, javascript), pytestconfig)


# How short texts are read: their YAML, sound and broken, and the blueprint in it


_SILENT = {"index", "id_written", "fields"}
"""Fields that say nothing of their own."""
READING_CASES = sorted((Path(__file__).parent / "reading_cases").glob("*.txt"))


def read_of(mark: str, text: str) -> Iterator[str]:
    """What is read_of of a text, line by line."""
    return _yaml(load(text)) if mark == "yaml" else _blueprint(parse(text, Path(mark) if mark else None))


def _yaml(tree: NodeTree) -> Iterator[str]:
    yield from _errors(tree)
    for document in tree.documents:
        try:
            yield f"data: {None if document.root is None else to_data(document.root)!r}"
        except TooLarge:
            yield "data without end"


def _errors(tree: NodeTree) -> Iterator[str]:
    lines, known = LineIndex(tree.text), set[str]()
    if tree.error is not None:
        yield f"error {place(lines, Span(tree.error.offset, tree.error.offset))}: {tree.error.reason}"
    for one in tree.diagnostics:
        yield from said_of(tree.text, one, known)


def _blueprint(parsed: Parsed) -> Iterator[str]:
    lines = LineIndex(parsed.text)
    yield from _errors(parsed.tree)
    yield from (_shown(each) for each in (parsed.blueprint.header, *parsed.blueprint.prompts) if _shown(each))
    for found in parsed.findings:
        marks = [name for name in ("refused", "flagged", "when_run") if getattr(found, name)]
        yield " ".join(
            ["finding", found.kind.name, place(lines, found.span), f"“{found.span.of(parsed.text)}”", *marks]
        )
    broken = parsed.broken
    hidden = ["the header"] * broken.header + [f"prompt {index}" for index in sorted(broken.prompts)]
    hidden += [f"unread at {place(lines, Span(at, at))}" for at in broken.unread]
    if hidden:
        yield f"cut off: {', '.join(hidden)}"
    for name in ("error", "run_error", "hash_error"):
        refusal = getattr(parsed.weval, name)
        if refusal is not None:
            yield f"Weval's {name}, {place(lines, Span(refusal.offset, refusal.offset))}: {refusal.message}"


def _shown(value: object) -> str:
    """`value`, with only those fields of records that say something: no places, nodes and defaults."""
    match value:
        case Span() | ScalarNode() | SequenceNode() | MappingNode() | AliasNode():
            return ""
        case Enum():
            return value.name
        case Record():
            names, defaults = value.__struct_fields__, value.__struct_defaults__
            usual = dict(zip(reversed(names), reversed(defaults), strict=False))
            said = [(name, getattr(value, name)) for name in names if name not in _SILENT]
            parts = [f"{name}={_shown(now)}" for name, now in said if now != usual.get(name, NOWHERE) and _shown(now)]
            return f"{type(value).__name__}({', '.join(parts)})" if parts else ""
        case tuple():
            return f"[{', '.join(map(_shown, value))}]"
        case _:
            return repr(value)


JARGON = ("token", "mapping", "scalar", "node", "flow", "stream", "directive", "anchor")
SLIPS = next(path for path in READING_CASES if path.stem == "slips")


@pytest.mark.parametrize("cases", READING_CASES, ids=lambda path: path.stem)
def test_a_text_is_read_as_its_file_says(cases: Path, pytestconfig: pytest.Config) -> None:
    assert_says(cases, read_of, pytestconfig)


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
