"""# refers-to-ideal

A point that measures an answer against the ideal, a reference answer or a "ground truth" that the judge never sees.

A judge gets the conversation, the answer and the criterion (and, with the approach `holistic`, the other criteria and
the description). It does not get the `ideal`. For "is equivalent to the ideal response" it can only guess: it grades
plausible wrong answers near 100 and terse right ones near 0. In a prompt of three points, that is 33.3 points of 100 by
chance.

"The expected output", "the model answer", "the answer key" and "idealResponse" are no more visible than "the ideal
response"; nor are "the teacher's solution", "the sample" where the prompt has an ideal, "the previous version" and "the
attached guideline", nor another point ("Same as above"). A text that a file repeats is reported once, with its count.
Not reported if the prompt itself shows the reference, if the point contains the value ("matches the ideal label
'HOF'"), or if "an ideal answer" only means a good one. English only.

Bad:

    - id: pendulum
      prompt: What is the period of a pendulum of length L?
      ideal: T = 2π√(L/g)
      should:
        - Response is mathematically equivalent to the ideal response

Good:

    - id: pendulum
      prompt: What is the period of a pendulum of length L?
      ideal: T = 2π√(L/g)
      should:
        - Gives a period that is mathematically equivalent to T = 2π√(L/g)

Fix: none, because only the author can put the ideal's content into words. Similarity, measured beside the rubric,
says how close an answer is to the ideal as a whole.

Documents: Blueprint format, Prompt Fields, `ideal`; The `should` system, Path A: LLM-Based "Fuzzy" Evaluation, "the
model's response and the single key point".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.blueprint import Prompt
from engine.diagnostics import Severity
from engine.patterns import lazy
from engine.rules.language.ideals import Reference, reference_in
from engine.rules.language.unseen_texts import Meant, UnseenText, unseen_text
from engine.rules.rule import Report, Rule
from engine.rules.source.criterion_signs import Sign
from engine.rules.source.text_points import TextPoint, text_points_in_file, words_place
from engine.rules.views import FileView
from engine.scoring.shares import points_of_100

_LONG = 1_500
"""A prompt of so many characters may hold the document itself."""
_STRONG = frozenset({"ideal", "reference", "golden", "gold", "ground", "exemplar", "canonical", "idealresponse"})
_SHOWN = lazy(
    r"\b(?:ideal|reference|golden|gold|ground[-\s]truth|correct|predicted|expected|answer\s+key|(?:marking|mark|scoring)\s+scheme)\b"
    r"|\b(?:answer|solution|output|label|response|translation|reply|sample|example|key)s?\b",
    re.IGNORECASE,
)


def _check(view: FileView) -> Iterator[Report]:
    groups: dict[str, list[TextPoint]] = {}
    for each in text_points_in_file(view, Sign.MODEL_ANSWER):
        if _place(each) is not None:
            groups.setdefault(each.text, []).append(each)
    for text, same in groups.items():
        first = same[0]
        place = _place(first)
        assert place is not None
        words = " ".join(text[slice(*place)].split())
        more = f", in {len(same)} prompts" if len(same) > 1 else ""
        yield Report(
            words_place(view.text, first.point, *place),
            f"no judge sees “{words}”{more}: write in the point what the answer must say",
            why=_why(first),
        )


def _place(each: TextPoint) -> tuple[int, int] | None:
    """The place of a reference to what no judge sees; None if there is none, or if the conversation shows it."""
    reference = reference_in(each.text)
    if reference is not None and not _is_shown(each.prompt, each.text, reference):
        return reference.start, reference.end
    unseen = unseen_text(each.text) if reference is None else None
    return None if unseen is None or _is_seen(each.prompt, unseen) else (unseen.start, unseen.end)


def _is_seen(prompt: Prompt, unseen: UnseenText) -> bool:
    """Whether the conversation has what a reference may mean, or the prompt has no ideal that it could mean."""
    texts = [message.content.lower() for message in prompt.messages if message.content is not None]
    match unseen.meant:
        case Meant.OTHER_POINT:
            return False
        case Meant.EARLIER_ANSWER:
            return len(texts) > 1 or any(unseen.kind in text for text in texts)
        case Meant.ATTACHMENT:
            return any(unseen.kind in text or "attach" in text for text in texts) or len(" ".join(texts)) > _LONG
        case Meant.IDEAL:
            return prompt.ideal is None or any(unseen.kind.strip("`'\"") in text for text in texts)


def _is_shown(prompt: Prompt, text: str, reference: Reference) -> bool:
    """Whether the conversation mentions the reference, so that it is likely to contain it.

    “The provided answer” is shown if the conversation has any answer; “the ideal” only if it says so.
    """
    noun = text[reference.start : reference.end].lower().split()[-1].rstrip("s`")
    kinds = {reference.kind} if reference.kind in _STRONG else {reference.kind, noun}
    texts = [message.content for message in prompt.messages if message.content is not None]
    system = prompt.system if isinstance(prompt.system, str) else ""
    return any(
        kind in found[0].lower() for shown in (*texts, system) for found in _SHOWN.finditer(shown) for kind in kinds
    )


def _why(each: TextPoint) -> str:
    worth = points_of_100(each.prompt, each.point)
    if worth is None:
        return ""
    return f"A judge sees the conversation, the answer and this point: {worth} points of 100 depend on its guess."


RULES = (
    Rule(
        code="R030",
        slug="refers-to-ideal",
        title="Criterion that needs the ideal answer",
        severity=Severity.WARNING,
        why="A judge sees the answer and this point, not the ideal: it guesses.",
        on_file=_check,
    ),
)
