"""The text of a case file → its cases, and its problems, by itself and beside its blueprint.

The form is documented in `docs/cases.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TypeVar

from msgspec import ValidationError, convert

from engine.blueprint import Block, Blueprint, Prompt
from engine.evaluation.sources import ControlKind
from engine.parsing.fields import Fields, fields, fields_of, is_list, is_null, items_of, number, string, value_of
from engine.scoring.assessment import Grade
from engine.study.case import (
    DERIVED,
    Case,
    CaseFile,
    CaseGrade,
    CaseVerdict,
    Label,
    NamedPoint,
    ScoreRange,
    VerdictDigests,
    criteria_of,
    points_named,
    prompt_names,
)
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Span, in_quotes, one_line
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, resolved
from engine.yaml.tree_loader import load


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
FILE_KEYS = ("version", "cases", "ideals")
CASE_KEYS = (
    "prompt", "answer", "turns", "label", "score", "fails", "reason", "quote", "by", "model", "edited", "test",
    "grades", "verdicts",
)  # fmt: skip
GRADE_KEYS = ("criterion", "block", "grade", "by")
_VERDICT_TEXTS = ("criterion", "judge", "model", "approach", "failed", "reflection", "reply", "given")
VERDICT_KEYS = (*_VERDICT_TEXTS[:4], "extent", *_VERDICT_TEXTS[4:], "digests")
_POINT_KEYS = ("criterion", "block")
_SCORE = "`score` is the lowest and the highest score that is right, each from 0 to 100", "Write `score: [80, 100]`."
_FLAG = "this must be `true` or `false`", "Write one of the two."

Word = TypeVar("Word", bound=StrEnum)
Value = TypeVar("Value")


def read_cases(text: str) -> tuple[CaseFile, tuple[Diagnostic, ...]]:
    """The cases of a file, and its problems by itself. A case with a problem in its answer or prompt is left out."""
    tree = load(text)
    reader = _Reader()
    for diagnostic in tree.diagnostics:
        advice = "" if "Weval" in diagnostic.why else diagnostic.why  # Weval reads no case files
        reader.report(diagnostic.span, diagnostic.message, advice, CaseProblemKind.UNREADABLE)
    roots = [resolved(document.root) for document in tree.documents if document.root is not None]
    cases = tuple(case for root in roots[:1] for case in reader.cases(root))
    ideals = {name: verdicts for root in roots[:1] for name, verdicts in reader.ideals(root)}
    for root in roots[1:]:
        reader.report(root.span, "a case file has one document", "Put these cases into the list above.")
    return CaseFile(text, cases, ideals), tuple(sorted(reader.problems, key=lambda problem: problem.span))


@lru_cache(maxsize=4)
def cases_in(text: str) -> CaseFile:
    """The cases of a file, as far as they can be read."""
    return read_cases(text)[0]


class _Reader:
    """Reads nodes, and collects what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[Diagnostic] = []

    def report(
        self, span: Span, message: str, advice: str = "", kind: CaseProblemKind = CaseProblemKind.UNUSABLE
    ) -> None:
        """Note a problem."""
        self.problems.append(_problem(kind, span, message, advice))

    def cases(self, root: Node) -> Iterator[Case]:
        """The cases below the root: a mapping with `version` and `cases`."""
        if not isinstance(root, MappingNode):
            if self.problems:
                return
            self.report(root.span, "a case file is a mapping with `version` and `cases`", "See `studio test --help`.")
            return
        found = self._fields(root, FILE_KEYS)
        version = value_of(found.get("version"))
        if version is not None and number(version) != VERSION:
            self.report(version.span, f"this version of the form is unknown: `version: {VERSION}` is read", "Update.")
            return
        listed = value_of(found.get("cases"))
        if listed is not None and not is_list(listed) and not is_null(listed):
            self.report(listed.span, "`cases` must be a list", "Begin each case with `- prompt: ID`.")
        for index, item in enumerate(items_of(listed), 1):
            case = self._case(index, resolved(item))
            if case is not None:
                yield case

    def ideals(self, root: Node) -> Iterator[tuple[str, tuple[CaseVerdict, ...]]]:
        """The recorded verdicts on ideals, by the name of their prompt."""
        for found, _ in self._items(fields_of(root).get("ideals"), ("prompt", "verdicts")):
            prompt = self._text(found.get("prompt"))
            if prompt is not None:
                yield prompt, tuple(self._verdicts(found.get("verdicts")))

    def _case(self, index: int, node: Node) -> Case | None:
        if not isinstance(node, MappingNode):
            self.report(node.span, "a case is a mapping", "Begin it with `- prompt: ID`, and `answer:` below.")
            return None
        found = self._fields(node, CASE_KEYS)
        prompt, turns = self._text(found.get("prompt")), self._turns(found)
        if "prompt" not in found:
            self.report(node.span, f"case {index} names no prompt", "Add `prompt:` with the id of the prompt.")
        if prompt is None or turns is None:
            return None
        case = Case(
            number=index,
            span=node.span,
            prompt=prompt,
            prompt_span=found["prompt"].value.span,
            turns=turns,
            label=self._word(found.get("label"), Label),
            score=self._value(found.get("score"), _range, *_SCORE),
            fails=self._point(found.get("fails")),
            reason=self._text(found.get("reason")),
            quote=self._text(found.get("quote")),
            by=self._text(found.get("by")),
            model=self._text(found.get("model")),
            is_edited=self._value(found.get("edited"), _flag, *_FLAG) or False,
            test=self._word(found.get("test"), ControlKind),
            grades=tuple(self._grades(found.get("grades"))),
            verdicts=tuple(self._verdicts(found.get("verdicts"))),
        )
        if not case.is_tested and case.label is None:
            self.report(node.span, f"case {index} does not say what is expected", "Add `label`, `score` or `fails`.")
        if case.fails is not None and case.label is Label.GOOD:
            self.report(
                node.span, f"case {index} is good and fails a criterion", "Write `label: bad`, or leave it out."
            )
        return case

    def _turns(self, found: Fields) -> tuple[str, ...] | None:
        answer, turns = found.get("answer"), found.get("turns")
        if (answer is None) == (turns is None):
            at = next(iter(found.values())).key.span if found else Span(0, 0)
            self.report(at, "a case has one `answer`, or `turns` for several answers in turn", "Write one of the two.")
            return None
        if turns is None:
            text = self._text(answer, empty="For an empty answer, write `answer: ''`.")
            return None if text is None else (text,)
        listed = value_of(turns)
        if not isinstance(listed, SequenceNode) or not listed.items:
            self.report(turns.value.span, "`turns` must be a list of texts", "Write one item for each answer.")
            return None
        texts = [string(resolved(item)) for item in listed.items]
        for item, text in zip(listed.items, texts, strict=True):
            if text is None:
                self.report(item.span, "a turn must be text", "Put it in quotes, or below `|-`.")
        return tuple(text for text in texts if text is not None) if None not in texts else None

    def _point(self, pair: Pair | None) -> NamedPoint | None:
        node = value_of(pair)
        if isinstance(node, MappingNode):
            return self._named_point(self._fields(node, _POINT_KEYS), node.span)
        text = self._text(pair)
        return None if text is None else NamedPoint(text)

    def _named_point(self, found: Fields, span: Span) -> NamedPoint | None:
        text = self._text(found.get("criterion"))
        if "criterion" not in found:
            self.report(span, "`criterion` is missing here", "Add the text of the criterion.")
        return None if text is None else NamedPoint(text, self._word(found.get("block"), Block))

    def _grades(self, pair: Pair | None) -> Iterator[CaseGrade]:
        message = f"a grade is one of: {', '.join(grade.label for grade in Grade)}"
        for found, span in self._items(pair, GRADE_KEYS):
            point, written = self._named_point(found, span), found.get("grade")
            grade = self._value(written, _grade, message, "Write one of them.")
            if written is None:
                self.report(span, message, "Write one of them.")
            elif point is not None and grade is not None:
                yield CaseGrade(point, grade, self._text(found.get("by")), span)

    def _verdicts(self, pair: Pair | None) -> Iterator[CaseVerdict]:
        for found, span in self._items(pair, VERDICT_KEYS):
            given: dict[str, object] = {"extent": number(value_of(found.get("extent"))), "span": span}
            digests = value_of(found.get("digests"))
            if isinstance(digests, MappingNode):
                written = self._fields(digests, VerdictDigests.__struct_fields__)
                given["digests"] = {name: string(value_of(each)) for name, each in written.items()}
            given |= {name: text for name in _VERDICT_TEXTS if (text := self._text(found.get(name))) is not None}
            try:
                verdict = convert({"reflection": "", **given}, CaseVerdict)
            except ValidationError:
                verdict = None
            if verdict is None or not (verdict.failed if verdict.extent is None else 0 <= verdict.extent <= 1):
                message = "a recorded verdict has criterion, judge, model, approach, extent (0–1) or failed, digests"
                self.report(span, message, "Remove it: `studio test --record` writes it again.")
            else:
                yield verdict

    def _items(self, pair: Pair | None, known: tuple[str, ...]) -> Iterator[tuple[Fields, Span]]:
        """The mappings of a list."""
        node = value_of(pair)
        if node is None or is_null(node):
            return
        if not isinstance(node, SequenceNode):
            self.report(node.span, "this must be a list", "Begin each item with `- criterion:`.")
            return
        for item in map(resolved, node.items):
            if isinstance(item, MappingNode):
                yield self._fields(item, known), item.span
            else:
                self.report(item.span, "this item must be a mapping", "Begin it with `- criterion:`.")

    def _fields(self, node: MappingNode, known: tuple[str, ...]) -> Fields:
        found = fields(node)
        for name, pair in found.items():
            if name not in known:
                self.report(pair.key.span, f"unknown key `{name}` here", f"The keys are {', '.join(known)}.")
        return found

    def _value(
        self, pair: Pair | None, read: Callable[[Node], Value | None], message: str, advice: str
    ) -> Value | None:
        """What `read` makes of a value, reported where that is None; None without one."""
        node = value_of(pair)
        found = None if node is None else read(node)
        if node is not None and found is None:
            self.report(node.span, message, advice)
        return found

    def _text(self, pair: Pair | None, empty: str = "Remove the key, or write a text.") -> str | None:
        advice = empty if is_null(value_of(pair)) else "Put it in quotes."
        text = string(value_of(pair))
        if pair is not None and text is None:
            self.report(pair.span, "this must be text", advice)
        return text

    def _word(self, pair: Pair | None, words: type[Word]) -> Word | None:
        message = f"this must be {' or '.join(f'`{word}`' for word in words)}"
        return self._value(pair, lambda node: _one_of(words, string(node)), message, "Write one of them.")


def _one_of(words: type[Word], written: str | None) -> Word | None:
    return next((word for word in words if word == written), None)


def _grade(node: Node) -> Grade | None:
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
