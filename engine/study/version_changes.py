"""Changes between versions in words, of the header, of prompts and of points; and the answers that score differently.

The answers are the ideals, those of cases and of the database. For the scores, checks run, and the grades and verdicts
count that are known for the very question: as in `studio test`. Nothing is sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, zip_longest
from pathlib import Path
from typing import TypeAlias

from engine.blueprint import Block, Prompt
from engine.evaluation.events import Response
from engine.evaluation.headline import Headline, headline, overall
from engine.evaluation.point_assessment import Grades
from engine.evaluation.sources import IdealSource
from engine.scoring.explanation import listed, path_label, percent, point_label, weight_text
from engine.store import PromptPlace, Store
from engine.study.case import Case, CaseGrade, CaseOutcome, NamedPoint
from engine.study.case_scoring import CaseCheck
from engine.study.changes import (
    BlueprintChanges,
    Consequence,
    FieldChange,
    HeaderChange,
    HeaderPart,
    NamedPrompt,
    PointChange,
    PointChangeKind,
    PointSide,
    PromptChange,
    PromptField,
)
from engine.study.criterion_counts import Ranking, ranking_of
from engine.study.wordings import turns_of
from engine.text.record import Record, replace
from engine.text.spans import NOWHERE, changed_lines, difference, in_quotes, one_line
from engine.yaml.nodes import Data, json_text

NOT_COMPARABLE = "models are asked something else, so answers before and after cannot be compared"
NO_EFFECT = "no score depends on it"
INDENT = "  "
"""The beginning of a line that belongs to the line before."""

_LONGEST = 110
_LONGEST_NAME = 62
_BEFORE = 30
"""How many characters of what two lines share are shown before the first that differs."""
_MOST_LINES = 12


def differing_lines(before: str, after: str) -> list[str]:
    """`- ` and the old line, `+ ` and the new one, for each changed line: at most twelve, shortened to the change.

    Empty lines are left out.
    """
    lines = list(_lines(before.splitlines(), after.splitlines()))
    left = len(lines) - _MOST_LINES
    return lines if left <= 0 else [*lines[:_MOST_LINES], f"… and {left} more changed line{'s' if left > 1 else ''}"]


def _lines(old: list[str], new: list[str]) -> Iterator[str]:
    for low, high, new_low, new_high in changed_lines(old, new):
        shown = [shortened(*pair) for pair in zip_longest(old[low:high], new[new_low:new_high])]
        yield from (f"- {one}" for one, _ in shown if one is not None and one.strip())
        yield from (f"+ {other}" for _, other in shown if other is not None and other.strip())


def shortened(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Two versions of one line on which at most some words before the change are shown, 110 characters at most."""
    if before is None or after is None:
        return _cut(before, 0), _cut(after, 0)
    start = 0 if before == after else max(difference(before, after, 0).span.start - _BEFORE, 0)
    longest = max(len(before), len(after))
    start = 0 if longest <= _LONGEST else start
    return _cut(before, start), _cut(after, start)


def _cut(line: str | None, start: int) -> str | None:
    if line is None:
        return None
    rest = line[start:]
    head = "… " if start else ""
    return f"{head}{rest}" if len(rest) <= _LONGEST else f"{head}{rest[:_LONGEST].rstrip()} …"


def indented(lines: Sequence[str]) -> list[str]:
    """`lines` as parts of the line before."""
    return [f"{INDENT}{line}" for line in lines]


def value_text(value: Data) -> str:
    """A value on one line: a text in quotes, a list with commas, `none` for null."""
    match value:
        case None:
            return "none"
        case str():
            return in_quotes(value)
        case [*items]:
            return listed([str(item) for item in items]) if items else "none"
        case _:
            return json_text(value)


# --- The header


_LONGEST_VALUE = 60
_CARRIED_OVER = "holistic judges are shown it, so earlier verdicts would be carried over"
_AS_IT_SCORES = "the same answers can score differently"

_EFFECTS = {
    HeaderPart.SYSTEM: "each system prompt has results of its own",
    HeaderPart.TEMPERATURES: "each temperature has results of its own",
    HeaderPart.MODELS: "each model has results of its own",
    HeaderPart.JUDGES: _AS_IT_SCORES,
    HeaderPart.SCALE: _AS_IT_SCORES,
    HeaderPart.SERVICES: _AS_IT_SCORES,
    HeaderPart.CONTEXT: "it is kept and not sent",
}
_NAMES = {HeaderPart.SYSTEM: "system prompt", HeaderPart.SCALE: "scale of ten grades (useExperimentalScale)"}


def header_lines(changes: Sequence[HeaderChange]) -> list[str]:
    """All changes of the header, the most consequential first; what belongs to a line before is indented."""
    return [line for change in changes for line in _header_change(change)]


def _header_change(change: HeaderChange) -> Iterator[str]:
    effect = _effect(change)
    name = _NAMES.get(change.part, change.part.value)
    parts = [
        f"{word} {listed(_quoted(change.part, each) for each in labels)}"
        for word, labels in (("added", change.added), ("removed", change.removed), ("changed", change.changed))
        if labels
    ]
    if change.reordered:
        parts.append("others have another place, so `[sp_idx:N]` in results names other ones than before")
    if parts:
        yield f"{name}: {'; '.join(parts)} ({effect})"
    elif _is_short(change.before) and _is_short(change.after):
        yield f"{name}: {value_text(change.before)} → {value_text(change.after)} ({effect})"
    else:
        yield from _text_change(name, change.before, change.after, effect)


def _effect(change: HeaderChange) -> str:
    if Consequence.VERDICTS in change.consequences:
        return _CARRIED_OVER
    if Consequence.ANSWERS in change.consequences:
        return f"other tools are offered: {NOT_COMPARABLE}" if change.part is HeaderPart.TOOLS else NOT_COMPARABLE
    return _EFFECTS.get(change.part, NO_EFFECT)


def _quoted(part: HeaderPart, label: str) -> str:
    line = one_line(label, _LONGEST_NAME)
    return in_quotes(line) if part is HeaderPart.SYSTEM else line


def _is_short(value: Data) -> bool:
    return "\n" not in str(value) and len(value_text(value)) <= _LONGEST_VALUE


# --- Points


def point_lines(changes: Sequence[PointChange]) -> Iterator[str]:
    """All changes, in order; points of which only the share changed come last, those with the same shares together."""
    for change in changes:
        if change.kinds != (PointChangeKind.SHARE,):
            yield from _point(change)
    yield from _shares(changes)


def _point(change: PointChange) -> Iterator[str]:
    one, other = change.before, change.after
    if one is None or other is None:
        yield _one_sided(change)
        return
    what = listed(_kind_text(kind, one, other) for kind in change.kinds)
    is_moved = {PointChangeKind.MOVED_BLOCK, PointChangeKind.MOVED_PATH} & set(change.kinds)
    label, new_label = shortened(_label(one), _label(other))
    yield f"{what}{_moved(one, other)[1] if is_moved else ''}: {label}{_share_text(one, other)}"
    if _label(one) != _label(other):
        yield f"{INDENT}now {new_label}"
    elif one.point.text != other.point.text:
        yield f"{INDENT}only white space differs, but verdicts on the old wording no longer count"


def _one_sided(change: PointChange) -> str:
    side = change.after or change.before
    assert side is not None
    word, were = ("added to", "") if change.before is None else ("removed from", "it was ")
    place = side.block if side.path is None else f"{side.block}, {path_label(side.path)}"
    share = percent(side.share) + (" of the score" if side.path is None else " of the score while its path counts")
    label, _ = shortened(_label(side), None)
    return f"{word} {place}: {label} ({were}{share})"


def _label(side: PointSide) -> str:
    text = side.point.text
    return point_label(side.point) if text is None else in_quotes(one_line(text))


def _share_text(one: PointSide, other: PointSide) -> str:
    before, after = percent(one.share), percent(other.share)
    return f" ({before} of the score)" if before == after else f" ({before} → {after} of the score)"


def _kind_text(kind: PointChangeKind, one: PointSide, other: PointSide) -> str:
    match kind:
        case PointChangeKind.MOVED_BLOCK | PointChangeKind.MOVED_PATH:
            return _moved(one, other)[0]
        case PointChangeKind.WEIGHT:
            return f"weight {weight_text(one.point.multiplier)} → {weight_text(other.point.multiplier)}"
        case PointChangeKind.CITATION | PointChangeKind.SHARE:
            return f"{kind} changed"
        case _:
            return kind.replace("-", " ")


def _moved(one: PointSide, other: PointSide) -> tuple[str, str]:
    """Where a point moved to, and what its new place does to the score, in brackets."""
    path = "" if other.path is None else path_label(other.path)
    if one.block is not other.block:
        inverted = f" (it counts inverted {'now' if other.block is Block.SHOULD_NOT else 'no longer'})"
        return f"moved to {other.block}{path and f', {path}'}", inverted
    if not path:
        return "moved off its path", " (it is required now)"
    if one.path is None:
        return f"moved onto {path}", " (it counts only while that is the best path)"
    return f"moved to {path}", " (beside other criteria than before)"


def _shares(points: Sequence[PointChange]) -> Iterator[str]:
    """The points of which only the share changed, those with the same shares on one line."""
    counts = Counter(
        (percent(each.before.share), percent(each.after.share))
        for each in points
        if each.kinds == (PointChangeKind.SHARE,) and each.before is not None and each.after is not None
    )
    for (before, after), count in counts.items():
        each = " each" if count > 1 else ""
        yield f"share of {count_text(count, 'unchanged ')}: {before} → {after} of the score{each}"


def count_text(count: int, kind: str = "") -> str:
    """`1 point`, `no points`, `3 unchanged points`."""
    return f"1 {kind}point" if count == 1 else f"{count or 'no'} {kind}points"


# --- Prompts


_BESIDE = "the result shows whether it is met; no score depends on it"


def prompt_name(named: NamedPrompt) -> str:
    """The written id of a prompt; else the beginning of its first message, in quotes."""
    prompt = named.prompt
    if prompt.id_written:
        return one_line(named.name)
    text = next((one_line(message.content) for message in prompt.messages if message.content), "")
    return in_quotes(one_line(text, _LONGEST_NAME)) if text else named.name


def prompt_lines(change: PromptChange) -> list[str]:
    """All changes of a prompt, the most consequential first; what belongs to a line before is indented."""
    return list(_prompt(change))


def _prompt(change: PromptChange) -> Iterator[str]:
    before, after, points = change.before, change.after, count_text(len(change.points))
    if before is None:
        assert after is not None
        yield f"a new prompt with {points}: {percent(after.share)} of the blueprint's score"
    elif after is None:
        yield f"removed, with {points}: it was {percent(before.share)} of the blueprint's score"
        if before.prompt.id_written:
            yield f"the results of `{one_line(before.name)}` on Weval are not continued"
    else:
        first = [each for each in change.fields if each.field in _FIELDS_BEFORE_POINTS]
        for each in first:
            yield from _field(each, before, after, change.taken_from)
        yield from point_lines(change.points)
        for each in change.fields[len(first) :]:
            yield from _field(each, before, after, change.taken_from)
        yield from (text for text, is_so in _notes(change) if is_so)


def _notes(change: PromptChange) -> Iterator[tuple[str, bool]]:
    """What else there is to say of a prompt in both versions, and whether it is so."""
    yield "criteria are in another order: no score depends on it", change.points_reordered
    is_carried = Consequence.VERDICTS in change.consequences
    yield "verdicts on criteria that stay would be carried over: holistic judges see all criteria", is_carried
    yield "moved: it stands elsewhere among the prompts; no score depends on it", change.moved
    yield "a YAML error hides a part of it, so there may be other changes", change.is_cut_off


_FIELDS_BEFORE_POINTS = frozenset(
    [PromptField.ID, PromptField.MESSAGES, PromptField.SYSTEM, PromptField.TEMPERATURE, PromptField.WEIGHT]
)
"""The first of all fields."""


def _field(change: FieldChange, old: NamedPrompt, new: NamedPrompt, taken_from: str | None) -> Iterator[str]:
    before, after = change.before, change.after
    match change.field:
        case PromptField.ID:
            yield _id_text(old.prompt, new.prompt)
        case PromptField.MESSAGES:
            one, other = _message_texts(before), _message_texts(after)
            kind = " only in white space" if one_line(one) == one_line(other) else ""
            yield f"messages changed{kind}: {NOT_COMPARABLE}"
            yield from indented(differing_lines(one, other))
            if taken_from is not None:
                owner = f"they were those of `{one_line(taken_from)}`"
                yield f"{INDENT}{owner}: under this id, Weval's results go on with that question"
        case PromptField.SYSTEM:
            yield f"system prompt changed: {NOT_COMPARABLE}"
            yield from indented(differing_lines(_system_text(before), _system_text(after)))
        case PromptField.WEIGHT:
            one, other = weight_text(old.prompt.weight), weight_text(new.prompt.weight)
            share, new_share = percent(old.share), percent(new.share)
            yield f"weight of the prompt {one} → {other}: {share} → {new_share} of the blueprint's score"
        case PromptField.IDEAL | PromptField.DESCRIPTION | PromptField.CITATION as field:
            lines = _text_change(field.value, before, after, "neither models nor judges are shown it")
            yield from lines if field is PromptField.IDEAL else islice(lines, 1)
        case PromptField.RENDER_AS:
            yield f"render_as {before} → {after}: {NO_EFFECT}"
        case _ as field:
            effects = {PromptField.TEMPERATURE: NOT_COMPARABLE, PromptField.NO_CACHE: NO_EFFECT}
            yield f"{field.value} {value_text(before)} → {value_text(after)}: {effects.get(field, _BESIDE)}"


def _id_text(before: Prompt, after: Prompt) -> str:
    old, new = one_line(before.id), one_line(after.id)
    ends = f"Weval keeps results by id, so those of `{old}` are not continued"
    match before.id_written, after.id_written:
        case True, True:
            return f"id `{old}` → `{new}`: {ends}"
        case False, True:
            return f"id `{new}` is new: Weval named the prompt `{old}`, and those results are not continued"
        case True, False:
            return f"id `{old}` is gone: {ends}"
        case _:
            made = f"Weval makes one of question and rubric, `{old}` → `{new}`, so results are not continued"
            return f"no id is written: {made}; an `id:` keeps them"


def _message_texts(messages: Data) -> str:
    assert isinstance(messages, list)
    lines: list[str] = []
    for message in messages:
        assert isinstance(message, dict)
        role, content = message["role"], message["content"]
        text = "(the model answers)" if content is None else str(content)
        lines.append(f"{role}: {text}" if len(messages) > 1 or role != "user" else text)
    return "\n".join(lines)


def _text_change(name: str, before: Data, after: Data, effect: str) -> Iterator[str]:
    """Whether a value is new, gone or another one, and the lines of a text that differ."""
    yield f"{name} {'added' if before is None else 'removed' if after is None else 'changed'}: {effect}"
    if isinstance(before, str) and isinstance(after, str):
        yield from indented(differing_lines(before, after))


def _system_text(value: Data) -> str:
    """The system prompt in force, or all of them."""
    systems = value if isinstance(value, list) else [value]
    return "\n".join("(no system prompt)" if each is None else str(each) for each in systems)


# --- Scores that move


MOST_RUNS = 20
"""How many runs of a prompt are looked at, the newest first."""


GradeLookup: TypeAlias = Callable[[PromptPlace, str], Grades]
"""The grades of an answer, the subject text, to a prompt."""


def stored_answers(
    store: Store, path: Path, pairs: Iterable[tuple[Prompt, Prompt]], grades: GradeLookup
) -> dict[int, list[tuple[str, Case]]]:
    """The whole answers of the newest runs of prompts of the file at `path`, each old and new, with labels. Blocks.

    By the index of the prompt in the new version. Answers from before its id changed count too; ideals do not: they are
    scored by themselves. Raises `StoreUnavailable`.
    """
    found: dict[int, list[tuple[str, Case]]] = {}
    for old, new in pairs:
        answers = {case.turns: (label, case) for label, case in _answers(store, path, (new, old), grades)}
        if answers:
            found[new.index] = list(answers.values())
    return found


def _answers(store: Store, path: Path, prompts: tuple[Prompt, ...], grades: GradeLookup) -> Iterator[tuple[str, Case]]:
    """Each answer of the runs, the oldest first, so that the newest one counts where several are the same."""
    for place in dict.fromkeys(PromptPlace.of(path, prompt) for prompt in prompts):
        for run in reversed(store.past_runs(place, MOST_RUNS)):
            if not run.answered or isinstance(run.candidate.source, IdealSource):
                continue
            response = store.past_response(run.number)
            if response is not None and response.complete:
                yield run.candidate.label, _as_case(response, place, grades)


def _as_case(response: Response, place: PromptPlace, lookup: GradeLookup) -> Case:
    grades = tuple(
        CaseGrade(NamedPoint(criterion.text, criterion.block), grade, None, NOWHERE)
        for criterion, grade in lookup(place, response.subject).items()
    )
    turns = turns_of(response.thread, response.subject)
    return Case(0, NOWHERE, place.prompt, NOWHERE, turns, model=response.model, grades=grades)


_NOISE = 1e-9


class ScoreChange(Record):
    """An answer that scores differently, or a case with another outcome.

    `label` names the answer; `old_index` and `new_index` its prompt in both versions, None where a version lacks it.
    """

    label: str
    old_index: int | None
    new_index: int | None
    before: CaseOutcome
    after: CaseOutcome


class CaseChanges(Record):
    """The cases whose outcome changed, of `total`, and the ranking of good and bad answers before and after."""

    changes: tuple[ScoreChange, ...]
    total: int
    before: Ranking
    after: Ranking


class ScoredVersion(Record, dict=True):
    """One version of a blueprint, whose rubrics `check` scores by."""

    check: CaseCheck

    @cached_property
    def names(self) -> Mapping[int, str]:
        """The names of the prompts in cases, by their indices."""
        return {prompt.index: name for name, prompt in self.check.prompts.items()}

    @cached_property
    def ideals(self) -> Mapping[str, CaseOutcome]:
        """The outcomes of the ideals, by the names of their prompts."""
        return {each.case.prompt: each for each in self.check.ideals(self.check.prompts)}

    @property
    def total(self) -> Headline | None:
        """The score of the blueprint with its ideals; None without one."""
        prompts = self.check.prompts
        scored = [(prompts[name].weight, each.scored) for name, each in self.ideals.items() if each.scored is not None]
        return overall((weight, headline(each.explanation)) for weight, each in scored)

    def outcome(self, case: Case, index: int) -> CaseOutcome:
        """The outcome of an answer to the prompt with this index."""
        return self.check.outcome(replace(case, prompt=self.names[index]))


class ScoreComparison(Record):
    """Scores answers by both versions. Its methods block while checks run."""

    changes: BlueprintChanges
    old: ScoredVersion
    new: ScoredVersion

    def ideals(self) -> tuple[ScoreChange, ...]:
        """The ideals that score differently: the old one by the old rubric, the new one by the new rubric."""
        found = (
            (one, other, self.old.ideals.get(self.old.names[one]), self.new.ideals.get(self.new.names[other]))
            for one, other in self.changes.pairs
        )
        return tuple(
            ScoreChange("the ideal", one, other, before, after)
            for one, other, before, after in found
            if before is not None and after is not None and _differs(before, after)
        )

    def totals(self) -> tuple[Headline | None, Headline | None]:
        """The scores of both versions with their ideals, None without one; none for both where they are the same."""
        before, after = self.old.total, self.new.total
        return (None, None) if _same(before, after) else (before, after)

    def cases(self, cases: Sequence[Case]) -> CaseChanges:
        """The cases that come out differently. A case may name its prompt by its old or its new name."""
        outcomes = [(self.old.check.outcome(self._as_then(case)), self.new.check.outcome(case)) for case in cases]
        old_prompts, prompts = self.old.check.prompts, self.new.check.prompts
        found: list[ScoreChange] = []
        for before, after in outcomes:
            if _differs(before, after):
                places = _index(old_prompts, before.case.prompt), _index(prompts, after.case.prompt)
                found.append(ScoreChange(after.case.name, *places, before, after))
        named = dict.fromkeys(case.prompt for case in cases)
        old, new = (
            ranking_of([*(each[at] for each in outcomes), *version.check.ideals(named)])
            for at, version in enumerate((self.old, self.new))
        )
        return CaseChanges(tuple(found), len(cases), old, new)

    def stored(self, answers: Mapping[int, Sequence[tuple[str, Case]]]) -> tuple[ScoreChange, ...]:
        """The stored answers that score differently: by the index of their prompt in the new version, with labels."""
        partners = {new: old for old, new in self.changes.pairs}
        found: list[ScoreChange] = []
        for index, labelled in answers.items():
            old_index = partners[index]
            for label, case in labelled:
                before, after = self.old.outcome(case, old_index), self.new.outcome(case, index)
                if _differs(before, after):
                    found.append(ScoreChange(label, old_index, index, before, after))
        return tuple(found)

    def _as_then(self, case: Case) -> Case:
        """`case` under the name that its prompt had in the old version."""
        if case.prompt in self.old.check.prompts or case.prompt not in self.new.check.prompts:
            return case
        index = self.new.check.prompts[case.prompt].index
        partner = next((one for one, other in self.changes.pairs if other == index), None)
        return case if partner is None else replace(case, prompt=self.old.names[partner])


def _index(prompts: Mapping[str, Prompt], name: str) -> int | None:
    prompt = prompts.get(name)
    return None if prompt is None else prompt.index


def _differs(before: CaseOutcome, after: CaseOutcome) -> bool:
    return before.state is not after.state or not _same(_headline(before), _headline(after))


def _headline(outcome: CaseOutcome) -> Headline | None:
    return None if outcome.bounds is None or outcome.scored is None else headline(outcome.scored.explanation)


def _same(one: Headline | None, other: Headline | None) -> bool:
    """Whether score and bounds are the same."""
    if one is None or other is None:
        return one is other
    ends = one.bounds.low - other.bounds.low, one.bounds.high - other.bounds.high
    return one.is_open is other.is_open and all(
        abs(end) <= _NOISE for end in (*ends, (one.score or 0) - (other.score or 0))
    )
