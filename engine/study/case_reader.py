"""The text of a case file → its cases, and its problems, by itself and beside its blueprint; and the good answers.

The form is documented in `docs/cases.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import ValidationError, convert

from engine.blueprint import Block, Blueprint, Prompt
from engine.blueprint.conversation import conversation, subject_text
from engine.evaluation.point_assessment import assess
from engine.evaluation.sources import ControlKind
from engine.parsing.fields import fields, fields_of, is_list, is_null, items_of, member, number, string
from engine.scoring.assessment import Assessment, Grade
from engine.study.case import (
    DERIVED,
    Case,
    CaseFile,
    CaseGrade,
    CaseOutcome,
    CaseVerdict,
    Label,
    NamedPoint,
    ScoreRange,
    VerdictDigests,
    criteria_of,
    has_ideal,
    ideal_case,
    points_named,
    prompt_names,
)
from engine.study.file_places import read_case_text
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.record import Record
from engine.text.spans import Span, in_quotes, one_line
from engine.text.text_limits import TRIED_CHARACTERS
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, resolved
from engine.yaml.tree_loader import load

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner


class CaseProblemKind(StrEnum):
    """The kinds of problems, by the slugs under which they are reported."""

    UNREADABLE = "case-unreadable"
    UNUSABLE = "case-unusable"
    ORPHANED = "case-orphaned"
    UNCOUNTED = "case-uncounted"
    REPEATED = "case-repeated"
    MISQUOTED = "case-misquoted"

    @property
    def code(self) -> str:
        """The stable code: `C001`."""
        return f"C{list(CaseProblemKind).index(self) + 1:03d}"

    @property
    def summary(self) -> str:
        """What it means, in a sentence."""
        return _SUMMARIES[self]

    @property
    def severity(self) -> Severity:
        """An error where a case cannot be read, a warning where a part of it does not count."""
        is_error = self in (CaseProblemKind.UNREADABLE, CaseProblemKind.UNUSABLE)
        return Severity.ERROR if is_error else Severity.WARNING


_SUMMARIES = {
    CaseProblemKind.UNREADABLE: "The YAML of a case file cannot be read.",
    CaseProblemKind.UNUSABLE: "A key or value of a case is not of the documented form, or nothing is expected of it.",
    CaseProblemKind.ORPHANED: "The prompt of a case is not in the blueprint.",
    CaseProblemKind.UNCOUNTED: "A grade, or the criterion that a case should fail, names no criterion of the rubric.",
    CaseProblemKind.REPEATED: "The same answer to the same prompt stands in the case file before.",
    CaseProblemKind.MISQUOTED: "The quote of a case is not in its answer.",
}


def _problem(kind: CaseProblemKind, span: Span, message: str, advice: str) -> Diagnostic:
    """What is wrong at `span` of a case file, and what to do."""
    return Diagnostic(kind.code, kind.value, kind.severity, span, message, advice)


def problems_with(file: CaseFile, blueprint: Blueprint) -> Iterator[Diagnostic]:
    """What does not fit between the cases and their blueprint, in the order of the file.

    A case of a prompt that no longer exists is reported and left as it is.
    """
    names = prompt_names(blueprint)
    prompts = {names[prompt.index]: prompt for prompt in blueprint.prompts}
    answers: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for case in file.cases:
        prompt = prompts.get(case.prompt)
        answers[case.prompt, case.turns] += 1
        if answers[case.prompt, case.turns] == 2:
            message = f"case {case.number} repeats the answer of an earlier case to `{case.prompt}`"
            advice = "Each answer counts once for each time that it is written: remove one of them."
            yield _problem(CaseProblemKind.REPEATED, case.span, message, advice)
        if case.is_misquoted:
            message = f"the answer of case {case.number} does not have its quote"
            advice = "Write a passage of the answer under `quote`, word for word, or leave it out."
            yield _problem(CaseProblemKind.MISQUOTED, case.span, message, advice)
        if prompt is None:
            message = f"there is no prompt `{case.prompt}` in the blueprint"
            yield _problem(CaseProblemKind.ORPHANED, case.prompt_span, message, _which_prompt(case.prompt, prompts))
        else:
            yield from _uncounted(case, prompt)


def _which_prompt(name: str, prompts: Mapping[str, Prompt]) -> str:
    if name.startswith(DERIVED):
        return (
            "Its messages, system prompt or tools have changed. If the answer still fits, write the prompt's id here."
        )
    known = ", ".join(f"`{each}`" for each in list(prompts)[:8])
    return f"Write the id of a prompt of this blueprint, such as {known}." if known else "It has no prompts."


def _uncounted(case: Case, prompt: Prompt) -> Iterator[Diagnostic]:
    found = 1 if case.fails is None else len(points_named(prompt, case.fails))
    if case.fails is not None and found != 1:
        named = in_quotes(one_line(case.fails.text, 60))
        message = f"no criterion is {named}, so it is unknown whether the answer fails it"
        advice = "Write the criterion as in the blueprint, a check in quotes: `'$contains: x'`."
        if found:
            message = f"{found} criteria are {named}: which one should the answer fail?"
            advice = "Write `fails: {block: should_not, criterion: …}`, and word the criteria differently."
        yield _problem(CaseProblemKind.UNCOUNTED, case.span, message, advice)
    criteria = {each.text for each in criteria_of(prompt)}
    for grade in case.grades:
        if grade.point.text not in criteria:
            wording = in_quotes(one_line(grade.point.text, 60))
            message = f"no criterion of `{case.prompt}` is worded {wording}, so this grade does not count"
            advice = "If the grade holds for the new wording as well, write that wording here."
            yield _problem(CaseProblemKind.UNCOUNTED, grade.span, message, advice)


VERSION = 1
_Form: TypeAlias = "Callable[[_Reader, Node], Any]"
"""What a value of one form says; None where it says nothing, or is reported."""


@lru_cache(maxsize=4)
def read_cases(text: str) -> tuple[CaseFile, tuple[Diagnostic, ...]]:
    """The cases of a file, and its problems by itself. A case with a problem in its answer or prompt is left out."""
    tree = load(text)
    reader = _Reader()
    for diagnostic in tree.diagnostics:
        advice = "" if "Weval" in diagnostic.why else diagnostic.why  # Weval reads no case files
        reader.report(diagnostic.span, diagnostic.message, advice, CaseProblemKind.UNREADABLE)
    roots = [resolved(document.root) for document in tree.documents if document.root is not None]
    said = reader.file(roots[0]) if roots else {}
    for root in roots[1:]:
        reader.report(root.span, "a case file has one document", "Put these cases into the list above.")
    file = CaseFile(text, tuple(said.get("cases", ())), dict(said.get("ideals", ())))
    return file, tuple(sorted(reader.problems, key=lambda problem: problem.span))


class _Reader:
    """Reads nodes, and collects what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[Diagnostic] = []

    def report(
        self, span: Span, message: str, advice: str = "", kind: CaseProblemKind = CaseProblemKind.UNUSABLE
    ) -> None:
        """Note a problem."""
        self.problems.append(_problem(kind, span, message, advice))

    def file(self, root: Node) -> dict[str, Any]:
        """What a file says: a mapping with `version` and `cases`."""
        if not isinstance(root, MappingNode):
            if not self.problems:
                message = "a case file is a mapping with `version` and `cases`"
                self.report(root.span, message, "See `studio test --help`.")
            return {}
        version = member(root, "version")
        if version is not None and number(version) != VERSION:
            self.report(version.span, f"this version of the form is unknown: `version: {VERSION}` is read", "Update.")
            return {}
        return self.said(root, _FILE) or {}

    def said(self, node: Node, forms: Mapping[str, _Form], **required: str) -> dict[str, Any] | None:
        """What the fields of a mapping say, by their keys. None for another value, and without one of those `required`,
        of which it is said what is missing."""
        if not isinstance(node, MappingNode):
            self.report(
                node.span, f"this must be a mapping: {', '.join(forms)}", f"Begin it with `{next(iter(forms))}:`."
            )
            return None
        said: dict[str, Any] = {}
        written = fields(node)
        for name, pair in written.items():
            if name not in forms:
                self.report(pair.key.span, f"unknown key `{name}` here", f"The keys are {', '.join(forms)}.")
            elif (value := forms[name](self, resolved(pair.value))) is not None:
                said[name] = value
        for name, missing in required.items():
            if name not in written:
                self.report(node.span, missing, f"Add `{name}`.")
        return said if said.keys() >= required.keys() else None

    def case(self, node: Node, index: int) -> Case | None:
        """The case of this number."""
        said = self.said(node, _CASE, prompt=f"case {index} names no prompt")
        written = fields_of(node)
        if written and ("answer" in written) is ("turns" in written):
            message = "a case has one `answer`, or `turns` for several answers in turn"
            self.report(node.span, message, "Write one of the two.")
            return None
        if said is None or said.keys().isdisjoint(("answer", "turns")):
            return None
        turns = (said.pop("answer"),) if "answer" in said else said.pop("turns")
        span, is_edited = written["prompt"].value.span, said.pop("edited", False)
        case = Case(number=index, span=node.span, prompt_span=span, turns=turns, is_edited=is_edited, **said)
        if not case.is_tested and case.label is None:
            self.report(node.span, f"case {index} does not say what is expected", "Add `label`, `score` or `fails`.")
        if case.fails is not None and case.label is Label.GOOD:
            advice = "Write `label: bad`, or leave it out."
            self.report(node.span, f"case {index} is good and fails a criterion", advice)
        return case


# --- The forms of values


def _checked(read: Callable[[Node], object], message: str, advice: str) -> _Form:
    """What `read` makes of a value, reported where that is None."""

    def form(reader: _Reader, node: Node) -> object:
        found = read(node)
        if found is None:
            reader.report(node.span, message, advice)
        return found

    return form


def _word(words: type[StrEnum]) -> _Form:
    message = f"this must be {' or '.join(f'`{word}`' for word in words)}"
    return _checked(lambda node: next((each for each in words if each == string(node)), None), message, _ONE_OF)


def _list_of(read: Callable[[_Reader, Node, int], object]) -> _Form:
    """What `read` makes of each item, which it is given with its number from 1; without what it makes nothing of."""

    def form(reader: _Reader, node: Node) -> object:
        if not is_list(node) and not is_null(node):
            reader.report(node.span, "this must be a list", "Begin each item with `- `.")
        found = (read(reader, resolved(item), number) for number, item in enumerate(items_of(node), 1))
        return tuple(each for each in found if each is not None)

    return form


def _point(reader: _Reader, node: Node) -> NamedPoint | None:
    if isinstance(node, MappingNode):
        said = reader.said(node, _POINT, criterion=_NO_CRITERION)
        return None if said is None else NamedPoint(said["criterion"], said.get("block"))
    text = _text(reader, node)
    return None if text is None else NamedPoint(text)


def _grade(reader: _Reader, node: Node, _: int) -> CaseGrade | None:
    said = reader.said(node, _GRADE, criterion=_NO_CRITERION, grade=_GRADES)
    if said is None:
        return None
    return CaseGrade(NamedPoint(said["criterion"], said.get("block")), said["grade"], said.get("by"), node.span)


def _verdict(reader: _Reader, node: Node, _: int) -> CaseVerdict | None:
    said = reader.said(node, _VERDICT)
    try:
        verdict = convert({"reflection": "", "extent": None, **(said or {}), "span": node.span}, CaseVerdict)
    except ValidationError:
        verdict = None
    if verdict is None or not (verdict.failed if verdict.extent is None else 0 <= verdict.extent <= 1):
        message = "a recorded verdict has criterion, judge, model, approach, extent (0–1) or failed, digests"
        reader.report(node.span, message, "Remove it: `studio test --record` writes it again.")
        return None
    return verdict


def _ideal(reader: _Reader, node: Node, _: int) -> tuple[str, tuple[CaseVerdict, ...]] | None:
    said = reader.said(node, _IDEAL, prompt="an ideal names its prompt")
    return None if said is None else (said["prompt"], said.get("verdicts", ()))


def _texts(node: Node) -> tuple[str, ...] | None:
    texts = [string(resolved(item)) for item in items_of(node)]
    return tuple(each for each in texts if each is not None) if texts and None not in texts else None


def _grade_of(node: Node) -> Grade | None:
    written = (string(node) or "").strip().lower()
    return next((grade for grade in Grade if written in (grade.label, grade.value.lower())), None)


def _flag(node: Node) -> bool | None:
    return node.value if isinstance(node, ScalarNode) and isinstance(node.value, bool) else None


def _range(node: Node) -> ScoreRange | None:
    ends = [resolved(item) for item in node.items] if isinstance(node, SequenceNode) else [node, node]
    match [number(end) for end in ends]:
        case [int() | float() as low, int() | float() as high] if 0 <= low <= high <= 100:
            return ScoreRange(float(low), float(high))
        case _:
            return None


_ONE_OF = "Write one of them."
_NO_CRITERION = "`criterion` is missing here"
_GRADES = f"a grade is one of: {', '.join(grade.label for grade in Grade)}"
_text = _checked(string, "this must be text", "Put it in quotes; an empty text is `''`.")
_turns = _checked(_texts, "`turns` must be a list of texts", "Write one item in quotes for each answer.")
_score = _checked(
    _range, "`score` is the lowest and the highest score that is right, each from 0 to 100", "Write `score: [80, 100]`."
)
_POINT = {"criterion": _text, "block": _word(Block)}
_GRADE = {**_POINT, "grade": _checked(_grade_of, _GRADES, _ONE_OF), "by": _text}
_DIGESTS = dict.fromkeys(VerdictDigests.__struct_fields__, _text)
_VERDICT: dict[str, _Form] = {
    **dict.fromkeys(("criterion", "judge", "model", "approach"), _text),
    "extent": lambda _, node: number(node),
    **dict.fromkeys(("failed", "reflection", "reply", "given"), _text),
    "digests": lambda reader, node: reader.said(node, _DIGESTS),
}
_VERDICTS = _list_of(_verdict)
_CASE = {
    "prompt": _text,
    "answer": _text,
    "turns": _turns,
    "label": _word(Label),
    "score": _score,
    "fails": _point,
    **dict.fromkeys(("reason", "quote", "by", "model"), _text),
    "edited": _checked(_flag, "this must be `true` or `false`", _ONE_OF),
    "test": _word(ControlKind),
    "grades": _list_of(_grade),
    "verdicts": _VERDICTS,
}
_IDEAL = {"prompt": _text, "verdicts": _VERDICTS}
_FILE: dict[str, _Form] = {
    "version": lambda _, node: number(node),
    "cases": _list_of(_Reader.case),
    "ideals": _list_of(_ideal),
}
FILE_KEYS, CASE_KEYS, GRADE_KEYS, VERDICT_KEYS = (tuple(each) for each in (_FILE, _CASE, _GRADE, _VERDICT))
"""The keys of the form, in the order in which they are written."""


# --- Good answers


class GoodAnswers(Record, eq=False):
    """The good answers to the prompts of the blueprint at `path`, and how they do by its rubrics.

    Without a path, ideals are the only answers. Checks decide; with `verdicts`, grades and verdicts too, as that scores
    cases. Another object stands for other answers or verdicts: what was found out with one is remembered.
    """

    path: Path | None = None
    verdicts: Callable[[Blueprint, TaskRunner], Callable[[Case], CaseOutcome]] | None = None

    def of(
        self, blueprint: Blueprint, prompt: Prompt, javascript: TaskRunner | None
    ) -> Iterator[tuple[str, Sequence[Assessment]]]:
        """Each good answer to `prompt`, in words, with its assessments in the order of the points. Blocks.

        None without V8.
        """
        if javascript is None or (self.verdicts is None and all(each.function is None for each in prompt.points())):
            return
        check = None if self.verdicts is None else self.verdicts(blueprint, javascript)
        for case in self._to(prompt, prompt_names(blueprint)[prompt.index]):
            if sum(map(len, case.turns)) * len(prompt.points()) > TRIED_CHARACTERS:
                continue
            name = f"{case.name}, a good answer," if case.number else case.name
            if check is None:
                thread = conversation(prompt, blueprint.header).answered(case.turns)
                yield name, assess(prompt, subject_text(thread), javascript, thread=thread)
            elif (scored := check(case).scored) is not None:
                yield name, scored.assessments

    def _to(self, prompt: Prompt, name: str) -> list[Case]:
        text = "" if self.path is None else read_case_text(self.path)[0]
        cases = [case for case in read_cases(text)[0].cases if case.prompt == name and case.is_bad is False]
        is_new = prompt.ideal and not has_ideal(cases, prompt.ideal)
        return [ideal_case(name, prompt.ideal or ""), *cases] if is_new else cases
