"""The screen of blind grading: one answer and one criterion; the verdicts only once they are graded; then the rate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from engine.blueprint.conversation import ThreadTurn
from engine.scoring.assessment import Grade
from engine.store.run_records import PairId
from engine.text.spans import visible
from studio.session.blind_grading import BlindGrading
from studio.session.views.grading_view import (
    AskingView,
    FaultRow,
    GradingCard,
    GradingView,
    NothingToGrade,
    RateView,
    RevealedView,
)
from studio.tui.action import Place
from studio.tui.actions import at
from studio.tui.footer import footer_entries
from studio.tui.key_bindings import bindings
from studio.tui.panes.status import Footer
from studio.tui.pieces import Piece, fit
from studio.tui.row_list import Rows

_KIND, _DETAIL = 15, 38
_MOST_FAULTS = 20
_NOT_ASKING = frozenset({"grade_pair", "skip_pair"})
_NOT_REVEALED = frozenset({"take_back"})
_OF_RATE = frozenset({"draw_again"})
_ONWARD = frozenset({"go_on"})


class FaultRows(Rows[FaultRow]):
    """The pairs on which the author and the judges disagree."""

    def __init__(self) -> None:
        super().__init__("")

    def draw(self, row: FaultRow, width: int) -> list[Piece]:
        """`false pass     you: absent, judged 75.0          Names the day   rent`."""
        head = f"{row.kind:<{_KIND}}"
        detail = f"{row.detail:<{_DETAIL}}"
        room = width - len(head) - len(detail)
        prompt = fit(f"   {row.prompt}", room // 3)
        return [
            (head, "rows--warning"),
            (detail, "rows--dim"),
            (fit(row.criterion, room - cell_len(prompt)), ""),
            (prompt, "rows--dim"),
        ]


class GradingScreen(Screen[PairId | None]):
    """One sitting of blind grading, which has begun. Escape leaves it.

    Its result is the pair whose answer the author wants to see, None where it was left.
    """

    place = Place.GRADING
    AUTO_FOCUS = "#grading-body"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.GRADING)]
    DEFAULT_CSS = """
    GradingScreen {
        layout: vertical;
        background: $background;
        #grading-head { height: 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis; }
        #grading-body { height: 1fr; padding: 1 3 0 3; scrollbar-size-vertical: 1; }
        #grading-body > Static { height: auto; max-width: 100; padding: 0 0 1 0; }
        #grading-below { height: auto; max-height: 60%; border-top: solid $line; padding: 0 3; }
        #grading-below > Static { height: auto; max-width: 100; }
        #grading-below VerticalScroll { height: auto; max-height: 12; scrollbar-size-vertical: 1; }
    }
    """

    def __init__(self, grading: BlindGrading) -> None:
        super().__init__()
        self._grading = grading
        self._view: GradingView | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="grading-head", markup=False)
        with VerticalScroll(id="grading-body"):
            yield Static(id="grading-shown", markup=False)
            yield FaultRows()
        with VerticalScroll(id="grading-below", can_focus=False):
            yield Static(id="grading-asked", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Show the first pair."""
        self._draw()

    def on_resize(self) -> None:
        """Draw the head and the footer for the new width."""
        self.call_after_refresh(self._draw_edges)

    # --- What keys do

    def action_grade_pair(self, number: int) -> None:
        """Grade the pair, and show the verdicts."""
        self._grading.grade(list(Grade)[number - 1])
        self._draw()

    def action_skip_pair(self) -> None:
        """Skip the pair; from the rate, go on to the pairs in which a fault is likely."""
        if isinstance(self._view, RateView):
            self._grading.seek_faults()
        else:
            self._grading.skip()
        self._draw()

    def action_go_on(self) -> None:
        """Show the next pair; from the rate, leave for the answer of the selected disagreement."""
        fault = self.query_one(FaultRows).row
        if isinstance(self._view, RateView) and fault is not None:
            self._grading.end()
            self.dismiss(fault.pair)
            return
        self._grading.go_on()
        self._draw()

    def action_take_back(self) -> None:
        """Take the grade back whose verdicts are shown."""
        self._grading.take_back()
        self._draw()

    @work(group="drawing", exclusive=True)
    async def action_draw_again(self) -> None:
        """Draw a new sample."""
        await self._grading.draw_again()
        self._draw()

    def action_leave_grading(self) -> None:
        """Go back to the blueprint."""
        self._grading.end()
        self.dismiss(None)

    # --- Drawing

    def _draw(self) -> None:
        before, self._view = self._view, self._grading.view()
        if self._view == before:
            return
        shown, asked = _contents(self._view)
        self.query_one("#grading-shown", Static).update(shown)
        self.query_one("#grading-asked", Static).update(asked)
        self._draw_faults(self._view.faults if isinstance(self._view, RateView) else ())
        if _card(self._view) is None or _answer(self._view) != _answer(before):
            self.query_one("#grading-body", VerticalScroll).scroll_home(animate=False)
        self.query_one("#grading-below", VerticalScroll).scroll_home(animate=False)
        self._draw_edges()

    def _draw_faults(self, faults: Sequence[FaultRow]) -> None:
        rows = self.query_one(FaultRows)
        rows.show_rows(faults)
        rows.display = bool(faults)
        rows.styles.height = min(len(faults), _MOST_FAULTS)
        self.set_focus(rows if faults else self.query_one("#grading-body", VerticalScroll))

    def _draw_edges(self) -> None:
        if self._view is None:
            return
        card = _card(self._view)
        title = "" if card is None else f"  {visible(card.title)}"
        right = "" if card is None else f"{card.progress} "
        room = self.size.width - cell_len(right) - 1
        left = Content.assemble(" ", ("Blind grading", "bold"), (title, "$ink-dim")).truncate(room, ellipsis=True)
        gap = " " * max(1, self.size.width - left.cell_length - cell_len(right))
        self.query_one("#grading-head", Static).update(Content.assemble(left, gap, (right, "$ink-yours")))
        idle = _idle(self._view)
        actions = [action for place in (Place.GRADING, Place.APP) for action in at(place) if action.id not in idle]
        labels = _labels(self._view)
        shown = footer_entries((action, labels.get(action.id, action.footer)) for action in actions)
        self.query_one(Footer).show(shown)


def _idle(view: GradingView) -> frozenset[str]:
    """The actions that have nothing to act on."""
    match view:
        case AskingView():
            return _NOT_REVEALED | _OF_RATE | _ONWARD
        case RevealedView():
            return _NOT_ASKING | _OF_RATE
        case RateView(faults=faults, likely=likely):
            idle = frozenset({"grade_pair"}) | _NOT_REVEALED
            idle |= frozenset() if likely else frozenset({"skip_pair"})
            return idle | (frozenset() if likely or faults else _ONWARD)
        case NothingToGrade():
            return _NOT_ASKING | _NOT_REVEALED | _OF_RATE | _ONWARD


def _labels(view: GradingView) -> dict[str, str]:
    """What the footer calls actions that do something else in the rate."""
    if not isinstance(view, RateView):
        return {}
    return {"skip_pair": "look for faults", "go_on": "go to this answer" if view.faults else "look for faults"}


def _card(view: GradingView | None) -> GradingCard | None:
    return view.card if isinstance(view, AskingView | RevealedView) else None


def _answer(view: GradingView | None) -> tuple[tuple[ThreadTurn, ...], tuple[ThreadTurn, ...]] | None:
    card = _card(view)
    return None if card is None else (card.before, card.answer)


def _contents(view: GradingView) -> tuple[Content, Content]:
    """What is above and below the line."""
    match view:
        case AskingView(card):
            return _conversation(card), _lines([*_criterion(card), _grades()])
        case RevealedView(card):
            return _conversation(card), _lines([*_criterion(card), *_verdicts(view)])
        case RateView():
            return _rate(view), _below_rate(view)
        case NothingToGrade(teaching):
            return Content(visible(teaching)), Content()


def _conversation(card: GradingCard) -> Content:
    before = [_turn(turn, "$ink-dim") for turn in card.before]
    if len(card.answer) == 1:
        answer = [Content.assemble(("the answer", "$ink-yours"), "\n", visible(card.answer[0].content))]
    else:
        answer = [_turn(turn, "" if turn.generated else "$ink-dim") for turn in card.answer]
    return Content("\n\n").join([*before, *answer])


def _turn(turn: ThreadTurn, style: str) -> Content:
    label = "the answer" if turn.generated else turn.role.value
    return Content.assemble(
        (label, "$ink-yours" if turn.generated else "$ink-dim"), "\n", (visible(turn.content), style)
    )


def _criterion(card: GradingCard) -> Iterator[Content]:
    reason = (f"   {card.reason}", "$ink-dim") if card.reason else ""
    yield Content.assemble(("How far does the answer do this?", "$ink-dim"), reason)
    yield Content.styled(visible(card.criterion), "bold")
    yield Content()


def _grades() -> Content:
    named = [
        Content.assemble(
            (f"{number} ", "bold $ink-focus"), grade.label if grade is Grade.FULLY_PRESENT else _short(grade)
        )
        for number, grade in enumerate(Grade, 1)
    ]
    return Content("   ").join(named)


def _short(grade: Grade) -> str:
    return grade.label.removesuffix(" present")


def _verdicts(view: RevealedView) -> Iterator[Content]:
    yield Content.styled(visible(view.sentence), "$ink-met" if view.agrees else "bold $ink-warning")
    for word in view.words:
        head = (f"{visible(word.judge)}  ", "bold")
        reflection = " ".join(visible(word.reflection).split())
        yield Content.assemble(head, visible(word.label), (f"  {reflection}" if reflection else "", "$ink-dim"))


def _rate(view: RateView) -> Content:
    first, *others = view.lines
    lines = [Content.styled(first, "bold"), Content(), *map(Content, others), Content()]
    lines.append(Content.styled(view.drawn, "$ink-dim"))
    if view.faults:
        lines += [Content(), Content.styled("Where you and the judges disagree: Enter goes to the answer", "$ink-dim")]
    return _lines(lines)


def _below_rate(view: RateView) -> Content:
    if not view.likely:
        return Content.styled("Nothing else is in doubt: no judges differ, and none is undecided.", "$ink-dim")
    pairs = "1 more pair" if view.likely == 1 else f"{view.likely} more pairs"
    return Content.assemble(
        ("Space" if view.faults else "Enter", "bold $ink-focus"),
        f"  looks for faults: {pairs} on which judges differ or are undecided. These do not count in the rate.",
    )


def _lines(lines: Iterable[Content]) -> Content:
    return Content("\n").join(list(lines))
