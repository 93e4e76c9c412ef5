"""All answers to one prompt: those that a criterion can be judged on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.events import Response
from engine.evaluation.sources import ControlKind, ControlSource, IdealSource, WrittenSource
from engine.study.case import Case, prompt_names
from engine.study.case_reader import read_cases
from engine.study.file_places import read_case_text
from engine.study.wordings import KnownAnswer, case_answer, ideal_answer, known_answer, merged
from engine.text.record import Record
from engine.text.spans import one_line
from studio.session.run import Run, has_same_questions
from studio.session.state import EMPTY

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.store import PromptPlace, Store
    from engine.store.stored_answers import StoredResponse


_MOST_STORED = 200
"""How many stored answers of a prompt are read, the newest."""
_VARIANT = re.compile(r"(?:\[(?:temp|sp_idx):[^\[\]]*\])+\Z")
"""What the key of a source has behind it for a variant."""
_PUBLISHED = "published:"
_CONTROL = "control:"


class KnownAnswers(Record):
    """All answers to a prompt, and the decisions of the author about them, by digest. `cases` are those of the prompt.

    `problem` says why the cases could not be read, "" if they could.
    """

    every: tuple[KnownAnswer, ...] = ()
    cases: tuple[Case, ...] = ()
    problem: str = ""
    decided: Mapping[str, bool] = EMPTY

    def is_chosen(self, answer: KnownAnswer) -> bool:
        """Whether criteria are judged on an answer."""
        return self.decided.get(answer.key, answer.usual)

    @property
    def chosen(self) -> tuple[KnownAnswer, ...]:
        """The answers on which criteria are judged."""
        return tuple(each for each in self.every if self.is_chosen(each))


def cases_of_prompt(path: Path, name: str) -> tuple[tuple[Case, ...], str]:
    """The cases of the prompt `name` in the case file of the blueprint at `path`, and why they cannot be read. Blocks.

    () and "" where there is no case file.
    """
    text, problem = read_case_text(path)
    return tuple(case for case in read_cases(text)[0].cases if case.prompt == name), problem


# --- Those on which a criterion can be judged


def stored_and_decided(place: PromptPlace, store: Store) -> tuple[Sequence[StoredResponse], Mapping[str, bool]]:
    """What the database has of a prompt for `answers_to_judge`. Raises `StoreUnavailable`."""
    return store.whole_responses(place, _MOST_STORED), store.chosen_answers(place)


def answers_to_judge(
    path: Path,
    blueprint: Blueprint,
    prompt: Prompt,
    shown: Run | None,
    stored: Sequence[StoredResponse],
    decided: Mapping[str, bool],
) -> KnownAnswers:
    """The ideal, the cases of the prompt, the answer that is `shown`, and stored ones. Blocks."""
    header = blueprint.header
    cases, problem = cases_of_prompt(path, prompt_names(blueprint)[prompt.index])
    ideals = list(ideal_answer(prompt, header))
    answers = [
        *ideals,
        *(case_answer(_case_label(case), case, prompt, header, usual=True) for case in cases),
        *(() if shown is None else _of_run(shown, prompt)),
        *_stored_once(stored, prompt, {ideal.subject for ideal in ideals}),
    ]
    return KnownAnswers(merged(answers), cases, problem, decided=decided)


def _case_label(case: Case) -> str:
    return ": ".join(filter(None, (f"case {case.number}", one_line(case.reason or case.model or ""))))


def _stored_once(stored: Sequence[StoredResponse], prompt: Prompt, ideals: Collection[str]) -> Iterator[KnownAnswer]:
    """The stored answers, but for runs of the present ideal."""
    seen: Counter[str] = Counter()
    for source, created, response in stored:
        is_present = source == IdealSource().key and response.subject in ideals
        if not is_present and _is_answer(response, prompt):
            name = _name(source)
            seen[name] += 1
            label = name if seen[name] == 1 else f"{name}, {created.astimezone():%d %b %H:%M}"
            yield known_answer(label, response, model=_model(source))


def _name(source: str) -> str:
    if source == IdealSource().key:
        return "an earlier ideal"
    if source == WrittenSource().key:
        return "your answer"
    control = next((ControlSource(kind) for kind in ControlKind if ControlSource(kind).key == source), None)
    return (source.partition(":")[2] or source).rpartition("/")[2] if control is None else control.label


def _of_run(run: Run, prompt: Prompt) -> Iterator[KnownAnswer]:
    """The answer of a run of this session, which the database may not have taken."""
    response = run.response
    if response is not None and not run.running and _is_answer(response, prompt):
        is_edited = run.edited is not None
        yield known_answer(run.label, response, model=_model(run.candidate.key), usual=True, is_edited=is_edited)


def _is_answer(response: Response, prompt: Prompt) -> bool:
    """Whether it may be shown, and is to the present question."""
    return not response.withheld and has_same_questions(response, prompt)


def _model(source: str) -> str | None:
    """The model of a source by its key; None for what is no model."""
    model = _VARIANT.sub("", source).removeprefix(_PUBLISHED)
    return model if ":" in model and not model.endswith("*") and not model.startswith(_CONTROL) else None
