"""The views of the frame: the outline with problems and scores, the status line, the banner and the footer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from engine.text.record import Record
from studio.session.analysis import Analysis, Tally
from studio.session.prompt_names import GAP
from studio.session.views import figures
from studio.session.views.case_view import CasesView, PromptCases
from studio.session.views.figures import ago, from_prompts

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.evaluation.headline import Headline
    from studio.session.views.overview_view import PromptStanding


class OutlineRow(Record):
    """One row. `number` counts prompts from 1; None for the head, which is the file as a whole.

    `name` is what the row says, `id` that of the prompt. `score` is the whole figure, marked, of the present rubric, ""
    without one, and `least` what that is at least, from 0 to 100. `failed`: the newest run has no score, because its
    request failed or its answer was withheld. `notes` are what is to know of the score, and what is left to do.
    """

    number: int | None
    id: str
    name: str
    tally: Tally
    score: str = ""
    failed: bool = False
    notes: tuple[str, ...] = ()
    least: int | None = None


def outline_view(
    analysis: Analysis, standings: Sequence[PromptStanding] = (), cases: CasesView | None = None
) -> tuple[OutlineRow, ...]:
    """The rows of the outline of `analysis`, the head first; `standings` are those of its prompts, and `cases` says how
    its cases stand.

    Without them before these are known.
    """
    prompts = analysis.blueprint.prompts
    tallies = analysis.tallies or (Tally(),) * (len(prompts) + 1)
    known = {each.number: each for each in standings}
    named = zip(prompts, analysis.names.names, tallies[1:], strict=True)
    rows = (_row(number, *each, known.get(number), cases) for number, each in enumerate(named, 1))
    return (OutlineRow(None, "", _head(analysis, standings), tallies[0], notes=_of_file(analysis)), *rows)


def _row(
    number: int, prompt: Prompt, name: str, tally: Tally, standing: PromptStanding | None, cases: CasesView | None
) -> OutlineRow:
    headline = None if standing is None else standing.headline
    left = "" if cases is None else left_to_do(prompt, headline, cases)
    notes = (_score_note(standing) if standing else "", f"Left to do: {left}." if left else "")
    scored = None if headline is None or headline.is_unjudged else headline
    score, least = ("", None) if scored is None else (scored.marked_whole_figure, scored.counted[0])
    failed = standing is not None and standing.failed
    return OutlineRow(number, prompt.id, name, tally, score, failed, tuple(filter(None, notes)), least)


def _score_note(standing: PromptStanding) -> str:
    """What is to know of a score that its figure does not say: of which run it is, and how sure."""
    headline, last = standing.headline, standing.last
    age = "" if last is None else f"the last run, {ago(last.began, figures.now())}"
    if headline is not None:
        return _sentence(filter(None, (age, headline.details)))
    if last is not None:
        return _sentence((age, last.headline.said("scored", last.headline.whole), "by another rubric"))
    return f"The last request {standing.state}." if standing.failed else ""


def _sentence(parts: Iterable[str]) -> str:
    text = ", ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def left_to_do(prompt: Prompt, headline: Headline | None, cases: CasesView) -> str:
    """What the author of a prompt has not done yet, in a sentence; "" if nothing is left."""
    own = cases.prompts.get(prompt.index, PromptCases())
    open_points = (headline and headline.open_points) or 0
    label = "a good and a bad" if not own.good and not own.bad else "a bad" if own.good else "a good"
    left = (
        (not prompt.ideal, "write an ideal"),
        (not cases.read.get(prompt.index), "read an answer of a model"),
        (not own.good or not own.bad, f"label {label} answer"),
        (own.untested, f"test {_criteria(own.untested, 'should_not ')} on a bad answer"),
        (open_points, f"judge {_criteria(open_points)}"),
    )
    return ", ".join(words for is_left, words in left if is_left)


def _criteria(count: int, kind: str = "") -> str:
    return f"{count} {kind}{'criterion' if count == 1 else 'criteria'}"


def _head(analysis: Analysis, standings: Sequence[PromptStanding]) -> str:
    """`8 prompts · 61 · … = the UK Freedom of Information Act`."""
    unread = len(analysis.parsed.broken.unread)
    count = len(analysis.starts) + unread
    parts = [f"{count} prompt{'s' * (count != 1)}", *_total(standings, count, unread)]
    if analysis.names.phrase:
        parts.append(f"{GAP} = {analysis.names.phrase}")
    return " · ".join(parts)


def _total(standings: Sequence[PromptStanding], count: int, unread: int) -> Iterator[str]:
    """The score of the file, and from how many of its prompts if not all."""
    if not standings:
        return
    from studio.session.views.overview_view import Total  # it comes with the runs: the first frame has none

    total = Total.of(standings, unread)
    if total.headline is not None and not total.headline.is_unjudged:
        figure = total.headline.whole_figure
        yield figure if total.scored == count else f"{figure} {from_prompts(total.scored, count)}"


def _of_file(analysis: Analysis) -> tuple[str, ...]:
    """The title of the file, and how many models the header names if these come from collections."""
    title, count = analysis.header.title or "No title yet.", len(analysis.models)
    if not count or analysis.models == analysis.header.models:
        return (title,)
    return title, f"Its collections name {count} model{'s' * (count != 1)}."


class StatusView(Record):
    """The file at a glance. `note` is a word on it.

    `where` is the prompt that is shown, with its score: `1 of 8 · 72.5`; in the header, how many there are.
    """

    name: str
    unsaved: bool = False
    tally: Tally | None = None
    where: str = ""
    note: str = ""


class FooterView(Record):
    """The state that labels of keys depend on: what F5 runs or stops, whether the header is shown, and what is unsaved.

    `answers` is the name of what F5 runs, then shorter ones for where the room is missing; `is_priced`: it ends with
    the price. With `unsaved` changes, the key that saves stays in sight. `judges` says who judges criteria in words.
    `is_blind`: names and verdicts are hidden.
    """

    answers: tuple[str, ...] = ("the ideal",)
    is_running: bool = False
    of_header: bool = False
    unsaved: bool = False
    is_priced: bool = False
    judges: str = "you alone"
    is_blind: bool = False
