"""Questions about earlier wordings: which lineage a point continues, and which wording to go back to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher

from engine.functions import point_text
from engine.store import JudgeForm, Lineage, Wording
from engine.study.case_outcome import is_failed
from engine.study.wordings import FoundPoint, points_in, verdicts_like
from engine.text.spans import common_prefix, in_quotes
from studio.session.followed_criterion import FollowedCriterion
from studio.session.host import Choice, Choose, Host

NEW_LINEAGE = 0
"""The number of a lineage that does not exist yet."""
_LONGEST = 70
_LONGEST_WORDING = 150
_SAME_SHOWN = 30
"""How much of a long wording is shown before the first difference."""
_MOST_OFFERED = 5


async def continued_lineage(
    host: Host, saved: Sequence[Lineage], others: Mapping[int, FoundPoint], found: FoundPoint, name: str
) -> Lineage | None:
    """The lineage that the point `found`, whose wording is `name`, continues.

    It is the one with this wording; without one, the author is asked whether it is a rewording of an earlier criterion
    that is gone from the prompt. `others` are the points of other lineages, by number. Of several points with the same
    wording, the first continues the oldest lineage. A lineage with the number `NEW_LINEAGE` stands for a new one; None
    if the author cancels.
    """
    block = found.placed.rubric.block
    free = [each for each in saved if each.block is block and each.number not in others]
    same = [each for each in free if each.last_used.name == name] or [each for each in free if each.named(name)]
    if same:
        return same[min(_place_among_same(found, others.values()), len(same) - 1)]
    new = Lineage(NEW_LINEAGE, block, ())
    present = {point_text(each) for each in found.prompt.points()}
    gone = [each for each in free if each.last_used.name not in present]
    if not gone:
        return new
    offered = sorted(gone, key=lambda each: -_likeness(each.last_used.name, name))[:_MOST_OFFERED]
    choices = [
        *(Choice(str(each.number), _quoted_beside(each.last_used.name, name), _wordings(each)) for each in offered),
        Choice("new", "No, it is a new criterion"),
    ]
    text = f"{_quoted_beside(name)} was not run before. An earlier criterion of this prompt is no longer in the text."
    chosen = await host.ask(Choose("Is this a rewording of an earlier criterion?", text, choices))
    if chosen is None:
        return None
    return next((each for each in offered if str(each.number) == chosen), new)


def _place_among_same(found: FoundPoint, others: Collection[FoundPoint]) -> int:
    """How many points before `found`, with the same wording in the same block, are not among the `others`."""
    name, block = point_text(found.point), found.placed.rubric.block
    before = [each for each in points_in(found.prompt) if each.index < found.index and each not in others]
    return sum(each.placed.rubric.block is block and point_text(each.point) == name for each in before)


async def chosen_wording(
    host: Host, current: FollowedCriterion, earlier: Sequence[Wording], forms: Mapping[str, JudgeForm]
) -> Wording | None:
    """The wording that the author chooses among `earlier` ones; None if they cancel.

    `forms` are how judges are asked today, by label: of verdicts of one judge, those in its form count.
    """
    places = {each.number: place for place, each in enumerate(current.lineage.wordings, 1)}
    choices = [
        Choice(
            str(each.number),
            f"{places[each.number]}. {_quoted_beside(each.name, current.written.name)}",
            _verdicts(each, current, forms),
        )
        for each in earlier
    ]
    others = [each.name for each in earlier]
    title, text = "Back to an earlier wording", f"Now: {_quoted_beside(current.written.name, *others)}"
    chosen = await host.ask(Choose(title, text, choices))
    return next((each for each in earlier if str(each.number) == chosen), None)


def _quoted_beside(name: str, *others: str) -> str:
    """A wording in quotation marks on one line. A long one is shortened, but not where it first differs from others."""
    line = " ".join(name.split())
    if len(line) <= _LONGEST_WORDING:
        return in_quotes(line)
    same = min((common_prefix(line, " ".join(each.split())) for each in others), default=0)
    start = max(min(same - _SAME_SHOWN, len(line) - _LONGEST_WORDING), 0)
    end = start + _LONGEST_WORDING
    return in_quotes(f"{'…' if start else ''}{line[start:end]}{'' if end >= len(line) else '…'}")


def shortened(text: str) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold().split(), other.casefold().split(), autojunk=False).ratio()


def _wordings(lineage: Lineage) -> str:
    count = len(lineage.wordings)
    return "1 wording" if count == 1 else f"{count} wordings"


def _verdicts(wording: Wording, current: FollowedCriterion, forms: Mapping[str, JudgeForm]) -> str:
    """`fails 2 of 7 answers`, of those on which it was judged; "" if on none."""
    given = [like for each in wording.verdicts.values() if (like := verdicts_like(each, forms))]
    means = [sum(each.extent for each in verdicts) / len(verdicts) for verdicts in given]
    failing = sum(is_failed(1 - mean if current.lineage.block.inverted else mean) for mean in means)
    answers = "1 answer" if len(means) == 1 else f"{len(means)} answers"
    if not means:
        return "not judged"
    scales = {form.scale for form in forms.values()}
    is_other = any(each.form.scale not in ("", *scales) for like in given for each in like) and bool(scales)
    return f"fails {failing} of {answers}{', on another scale' if is_other else ''}"
