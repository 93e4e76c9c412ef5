"""The answers to a prompt that are called good, and which criteria were drafted from the ideal among them.

A score of an ideal on criteria that were drafted from it is circular. Apart from `wordings`, which brings the database:
rules check good answers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.blueprint.conversation import conversation, subject_text
from engine.evaluation.point_assessment import assess
from engine.study.case import Case, has_ideal, ideal_case, prompt_names
from engine.study.case_reader import read_cases
from engine.study.file_places import read_case_text
from engine.text.record import Record, short_data_digest
from engine.text.text_limits import TRIED_CHARACTERS

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.functions.tasks import TaskRunner
    from engine.scoring.assessment import Assessment
    from engine.study.case_scoring import CaseCheck


class GoodAnswers(Record, eq=False):
    """The good answers to the prompts of the blueprint at `path`, and how they do by its rubrics.

    Without a path, ideals are the only answers. Checks decide; with `verdicts`, grades and verdicts too, as that scores
    cases. Another object stands for other answers or verdicts: what was found out with one is remembered.
    """

    path: Path | None = None
    verdicts: Callable[[Blueprint, TaskRunner], CaseCheck] | None = None

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
            elif (scored := check.outcome(case).scored) is not None:
                yield name, scored.assessments

    def _to(self, prompt: Prompt, name: str) -> list[Case]:
        text = "" if self.path is None else read_case_text(self.path)[0]
        cases = [case for case in read_cases(text)[0].cases if case.prompt == name and case.is_bad is False]
        is_new = prompt.ideal and not has_ideal(cases, prompt.ideal)
        return [ideal_case(name, prompt.ideal or ""), *cases] if is_new else cases


MOST = 5000
"""How many drafted criteria are remembered, the newest."""


def drafted_digest(prompt: Prompt, criterion: str) -> str:
    """What is remembered of a criterion that was drafted for `prompt`: it depends on the messages and its wording."""
    messages = short_data_digest([(message.role.value, message.content) for message in prompt.messages])
    return short_data_digest([messages, " ".join(criterion.split())])


def circularity(prompt: Prompt, drafted: Collection[str]) -> str:
    """What the score of the ideal says on the rubric of `prompt`, by the digests of `drafted` criteria.

    "" where none of its criteria was drafted, in its present wording.
    """
    if not drafted:
        return ""
    points = prompt.points()
    count = sum(each.text is not None and drafted_digest(prompt, each.text) in drafted for each in points)
    if not count:
        return ""
    of = f"{count} of {len(points)} criteria {'was' if count == 1 else 'were'}"
    of = "all criteria were" if count == len(points) else of
    return f"circular: {of} drafted from the ideal, so its score says little about the rubric"


def remembered(drafted: Iterable[str], new: Iterable[str]) -> list[str]:
    """`drafted` with the `new` ones behind, each once; at most `MOST`."""
    return list(dict.fromkeys((*drafted, *new)))[-MOST:]
