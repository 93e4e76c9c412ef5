"""The best impostor: of the answers that a rubric must not reward, the one that comes nearest to the ideal.

Impostors are an empty answer, a refusal, the prompt repeated, the criteria pasted, and the ideals of other prompts.
Nothing is sent: checks run, and a criterion in words counts where a grade or a verdict on this very answer is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.blueprint import Prompt
from engine.evaluation.sources import ControlKind, control_answer
from engine.judging.verdict import refuses
from engine.scoring.assessment import Bounds
from engine.scoring.explanation import range_text, whole
from engine.store import rubric_digest
from engine.study.case import Case, has_ideal
from engine.study.case_scoring import CaseCheck
from engine.text.record import Record
from engine.text.spans import NOWHERE
from engine.text.text_limits import TRIED_CHARACTERS

NEAR = 0.2
"""An impostor that scores at most so much less than the ideal (0–1) is named."""
MOST_IDEALS = 50
"""Of so many other prompts the ideals are tried, those next to the prompt."""
_NOISE = 1e-9
"""What the rounding of binary fractions can add to a difference of scores."""
_LABELS = {
    ControlKind.EMPTY: "an empty answer",
    ControlKind.REFUSAL: "a refusal",
    ControlKind.ECHO: "the prompt repeated",
    ControlKind.STUFFING: "the criteria pasted",
}
ANOTHER_IDEAL = "another prompt's ideal"


class Impostor(Record):
    """An answer that should fail, by its name on the screen. `bounds` (0–1) are its lowest and highest score."""

    label: str
    bounds: Bounds


class BesideIdeal(Record):
    """The bounds of the ideal's score, and the impostor that scores most by what is known."""

    ideal: Bounds
    best: Impostor

    @property
    def is_near(self) -> bool:
        """Whether the impostor comes within `NEAR` of the ideal, whatever the verdicts that are missing would be.

        So the highest score of the ideal is held against the lowest of the impostor: of a criterion that nobody judged
        for an impostor, it is taken to fail. An impostor that could come near is not named.
        """
        return self.ideal.high - self.best.bounds.low <= NEAR + _NOISE

    @property
    def figures(self) -> str:
        """`ideal 92 · another prompt's ideal 71`, or `at least 71` where verdicts are missing; "" if it is not near."""
        if not self.is_near:
            return ""
        low, high = whole(self.best.bounds.low), whole(self.best.bounds.high)
        ideal = range_text(whole(self.ideal.low), whole(self.ideal.high))
        return f"ideal {ideal} · {self.best.label} {'' if low == high else 'at least '}{low}"


def impostors(prompt: Prompt, prompts: Iterable[Prompt], cases: Iterable[Case] = ()) -> Iterator[tuple[str, str]]:
    """The names and texts of the impostors of a prompt with an ideal, each text once.

    What may be a right answer is none: the ideal, and what a case of the prompt calls good; a refusal, where the ideal
    refuses; the ideal of a prompt that asks the same or has the same rubric.
    """
    ideal, known = prompt.ideal or "", tuple(cases)
    seen = {ideal.strip()}
    for label, text in (*_controls(prompt, ideal), *_other_ideals(prompt, prompts)):
        if text.strip() not in seen and not has_ideal(known, text):
            seen.add(text.strip())
            yield label, text


def _controls(prompt: Prompt, ideal: str) -> Iterator[tuple[str, str]]:
    for kind, label in _LABELS.items():
        if kind is not ControlKind.REFUSAL or not refuses(ideal):
            yield label, control_answer(kind, prompt)


def _other_ideals(prompt: Prompt, prompts: Iterable[Prompt]) -> Iterator[tuple[str, str]]:
    others = [each for each in prompts if each.ideal and _messages(each) != _messages(prompt)]
    rubric = rubric_digest(prompt)
    nearest = sorted(others, key=lambda each: abs(each.index - prompt.index))[:MOST_IDEALS]
    return ((ANOTHER_IDEAL, each.ideal or "") for each in nearest if rubric_digest(each) != rubric)


def _messages(prompt: Prompt) -> list[tuple[str, str | None]]:
    return [(message.role.value, message.content) for message in prompt.messages]


def beside_ideal(check: CaseCheck, name: str, cases: Iterable[Case] = ()) -> BesideIdeal | None:
    """The ideal of the prompt that cases call `name`, and its best impostor. Blocks while checks run.

    `cases` are those of the prompt. None without an ideal, an impostor or a criterion. Long answers may be left out.
    """
    ideal = check.ideal(name)
    known = None if ideal is None else check.outcome(ideal).bounds
    if known is None:
        return None
    prompt = check.prompts[name]
    left = TRIED_CHARACTERS
    found: list[Impostor] = []
    for label, text in impostors(prompt, check.blueprint.prompts, cases):
        left -= len(text) * len(prompt.points())
        bounds = check.outcome(Case(0, NOWHERE, name, NOWHERE, (text,))).bounds if left > 0 else None
        if bounds is not None:
            found.append(Impostor(label, bounds))
    best = max(found, key=lambda each: (each.bounds.low, each.bounds.high), default=None)
    return None if best is None else BesideIdeal(known, best)
