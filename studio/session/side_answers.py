"""The answers to one prompt, to be read side by side: the newest of each model and variant, and the labelled ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Header, Prompt
from engine.cases import Case
from engine.cases.case import ideal_case
from engine.cases.case_scoring import response_of
from engine.conversation import Variant
from engine.digests import text_digest
from engine.evaluation.candidates import variant_words
from engine.evaluation.events import Response
from engine.evaluation.sources import FixtureSource, IdealSource, WrittenSource
from engine.store import PromptPlace, Store, StoreUnavailable
from studio.session.new_cases import turns_of
from studio.session.prompt_cases import cases_of_prompt
from studio.session.run import Run, has_same_questions

if TYPE_CHECKING:
    from engine.store.responses import StoredResponse

_MOST_STORED = 200
_VARIANT = re.compile(r"(?P<source>.*?)(?P<suffix>(?:\[(?:temp|sp_idx):[^\[\]]*\])*)", re.DOTALL)
_TEMPERATURE = re.compile(r"\[temp:([^\[\]]*)\]")
_PUBLISHED = "published:"


@dataclass(frozen=True, slots=True)
class SideAnswer:
    """One answer. Answers with the same text are one: `labels` names all that they are.

    `key` is the digest of `subject`, all generated text; `turns` are the texts of the generated turns. `created` is
    when it was saved, None if that is unknown. `case` is the first case of the answer; `is_labelled`: only there.
    """

    key: str
    labels: tuple[str, ...]
    subject: str
    turns: tuple[str, ...]
    model: str | None = None
    created: datetime | None = None
    is_edited: bool = False
    is_ideal: bool = False
    case: Case | None = None
    is_labelled: bool = False


@dataclass(frozen=True, slots=True)
class SideAnswers:
    """All answers to a prompt, and its cases. `problem` says why the cases could not be read; "" if they could."""

    every: tuple[SideAnswer, ...]
    cases: tuple[Case, ...]
    problem: str = ""


def read_side_answers(
    path: Path,
    prompt: Prompt,
    name: str,
    header: Header,
    place: PromptPlace,
    runs: Sequence[Run],
    store: Callable[[], Store],
    report: Callable[[StoreUnavailable], None],
) -> SideAnswers:
    """The answers to a prompt: its ideal, the newest of each source, those of `runs`, and its cases. Blocks.

    `name` is the name of the prompt in the case file of the blueprint at `path`.
    """
    cases, problem = cases_of_prompt(path, name)
    try:
        stored = store().newest_responses(place, WrittenSource().key, _MOST_STORED)
    except StoreUnavailable as error:
        report(error)
        stored = ()
    found = [
        *_ideal(prompt, header),
        *_stored(stored, prompt),
        *_of_runs(runs, prompt),
        *(_of_case(case, prompt, header) for case in cases),
    ]
    return SideAnswers(_merged(found, cases), cases, problem)


def with_cases(answers: SideAnswers, path: Path, prompt: Prompt, name: str, header: Header) -> SideAnswers:
    """`answers` with the cases as they are in the file now; none moves. Blocks."""
    cases, problem = cases_of_prompt(path, name)
    found = [*answers.every, *(_of_case(case, prompt, header) for case in cases)]
    return SideAnswers(_merged(found, cases), cases, problem)


def _ideal(prompt: Prompt, header: Header) -> Iterator[SideAnswer]:
    if prompt.ideal is not None and prompt.ideal.strip():
        response = response_of(ideal_case("", prompt.ideal), prompt, header)
        yield replace(_answer("the ideal", response), is_ideal=True)


def _stored(stored: Iterable[StoredResponse], prompt: Prompt) -> Iterator[SideAnswer]:
    for source, created, response in stored:
        if _is_left_out(source) or response.withheld or not has_same_questions(response, prompt):
            continue
        is_edited = any(turn.edited for turn in response.thread)
        label = "your edited answer" if is_edited else _label(source)
        found = replace(_answer(label, response), model=_model(source), created=created)
        yield replace(found, is_edited=is_edited)


def _of_runs(runs: Iterable[Run], prompt: Prompt) -> Iterator[SideAnswer]:
    """The answers of this session, which the database may not have taken."""
    for run in runs:
        response = run.response
        if response is None or run.running or response.withheld or not response.complete:
            continue
        if not _is_left_out(run.key) and has_same_questions(response, prompt):
            answer = replace(_answer(run.label, response), model=_model(run.candidate.key))
            yield replace(answer, is_edited=run.edited is not None)


def _of_case(case: Case, prompt: Prompt, header: Header) -> SideAnswer:
    what = "edited copy" if case.is_edited else "labelled answer"
    label = f"{_label(case.model)}, {what}" if case.model else what
    answer = _answer(label, response_of(case, prompt, header))
    return replace(answer, turns=case.turns, model=case.model, is_edited=case.is_edited, is_labelled=True)


def _answer(label: str, response: Response) -> SideAnswer:
    return SideAnswer(text_digest(response.subject), (label,), response.subject, turns_of(response))


def _merged(answers: Iterable[SideAnswer], cases: Sequence[Case]) -> tuple[SideAnswer, ...]:
    """`answers`, those with the same text as one, in the order of the first of each, with their cases."""
    found: dict[str, SideAnswer] = {}
    for answer in answers:
        first = found.get(answer.key)
        found[answer.key] = answer if first is None else _joined(first, answer)
    return tuple(
        replace(each, case=next((case for case in cases if case.turns == each.turns), None)) for each in found.values()
    )


def _joined(first: SideAnswer, other: SideAnswer) -> SideAnswer:
    """Two answers of the same text. Only a run knows whose answer an edited one was; a case adds no name."""
    labels = first.labels
    if first.is_edited and other.is_edited and not other.is_labelled:
        labels = other.labels
    elif not other.is_labelled:
        labels = tuple(dict.fromkeys((*first.labels, *other.labels)))
    return replace(
        first,
        labels=labels,
        model=first.model or other.model,
        created=first.created or other.created,
        is_ideal=first.is_ideal or other.is_ideal,
        is_edited=first.is_edited or other.is_edited,
    )


def _is_left_out(source: str) -> bool:
    """The present ideal is there already, and test answers are made to be bad."""
    return source == IdealSource().key or source.startswith("control:")


def _label(source: str) -> str:
    """`gpt-4o-mini, temp 0.7, system 2`, from the key of a source in a variant."""
    if source == WrittenSource().key:
        return "your answer"
    name, suffix = _parts(source)
    published = ", published" if name.startswith(_PUBLISHED) else ""
    model = name.removeprefix(_PUBLISHED)
    short = "saved answers" if model == FixtureSource.kind else model.partition(":")[2] or model
    temperature = _TEMPERATURE.search(suffix)
    variant = Variant(temperature=_number(temperature[1]) if temperature else None, suffix=suffix)
    return ", ".join([f"{short}{published}", *variant_words(variant)])


def _model(source: str) -> str | None:
    name, _ = _parts(source)
    model = name.removeprefix(_PUBLISHED)
    return model if ":" in model else None


def _parts(source: str) -> tuple[str, str]:
    """A key without its variant, and the variant."""
    found = _VARIANT.fullmatch(source)
    return (source, "") if found is None else (found["source"], found["suffix"])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
