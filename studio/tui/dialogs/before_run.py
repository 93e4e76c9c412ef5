"""The dialog before a run, or before one criterion is judged: who receives which texts, at what cost, and the cap."""

from __future__ import annotations

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from engine.asking.run_plan import (
    LOCAL_SERVICE_WARNING,
    Part,
    amounts,
    dollars_text,
    one_line,
    requests_text,
    share_text,
    warnings,
)
from engine.asking.spending import Cap
from engine.scoring.explanation import listed
from engine.text.spans import visible
from studio.session.host import Choice, CriterionQuestion, RunDecision, RunQuestion
from studio.tui.dialogs.ask import Choices
from studio.tui.dialogs.hanging import Hanging
from studio.tui.option_lists import Options

_SAME_JUDGES = "go to the same judges without a question, as long as they cost no more in all."


class BeforeRun(Choices[RunDecision], asks=RunQuestion):
    """Answers with the decision to send; None sends nothing."""

    DEFAULT_CSS = """
    BeforeRun > .dialog { width: 88; }
    BeforeRun .plan { padding: 1 1 0 1; }
    BeforeRun .plan:focus { background-tint: transparent; }
    BeforeRun .plan > Static { height: auto; }
    BeforeRun .cap { height: 1; padding: 0 1; margin: 1 0 0 0; }
    BeforeRun .cap Static { width: auto; }
    BeforeRun .cap Input { width: 10; height: 1; border: none; margin: 0 1; padding: 0 1; background: $row-selected; }
    BeforeRun .cap Input:focus { border: none; background: $row-selected; text-style: underline; }
    BeforeRun .wrong { height: auto; padding: 0 1; color: $ink-error; display: none; }
    BeforeRun .wrong.-shown { display: block; padding: 0 1; }
    """

    def __init__(self, question: RunQuestion) -> None:
        title = "Texts would leave this machine" if question.new else "Before this run"
        if isinstance(question, CriterionQuestion):
            title = question.title
        keys = "Enter chooses · Tab to the cap · Esc sends nothing"
        super().__init__(title, "", list(_choices(question)), keys)
        self._question = question

    def content(self) -> ComposeResult:
        of_criterion, cap = isinstance(self._question, CriterionQuestion), self._question.cap
        with VerticalScroll(classes="plan fits", can_focus=False):
            yield Static(Hanging(*_plan_lines(self._question)), markup=False)
        with Horizontal(classes="cap"):
            yield Static("In all, up to $" if of_criterion else "Stop at   $", markup=False)
            yield Input(cap.amount, placeholder="no cap", id="dollars", select_on_focus=True)
            yield Static("or after", markup=False)
            requests = "" if cap.requests is None else str(cap.requests)
            yield Input(requests, placeholder="no cap", id="requests", select_on_focus=True)
            yield Static("requests", markup=False)
        yield Static("", classes="wrong", markup=False)
        options = self.options()
        options.remove_class("fits")
        yield options

    def on_mount(self) -> None:
        """Focus the choices."""
        self.query_one(Options).focus()

    def fit(self) -> None:
        super().fit()
        self.call_after_refresh(self._let_scroll)

    def _let_scroll(self) -> None:
        plan = self.query_one(".plan", VerticalScroll)
        plan.can_focus = plan.max_scroll_y > 0

    def take(self, id: str) -> None:
        """Answer with the choice and the cap, unless the cap is none."""
        if id == "stay":
            self.dismiss(None)
            return
        cap = self._read_cap()
        if isinstance(cap, Cap):
            self.dismiss(RunDecision(cap, id == "remember", id != "apart"))
        else:
            warning = self.query_one(".wrong", Static)
            warning.update(cap)
            warning.add_class("-shown")
            self.query_one("#dollars", Input).focus()

    def _read_cap(self) -> Cap | str:
        """The cap as entered, or a message about what is wrong with it."""
        dollars = self.query_one("#dollars", Input).value.strip().removeprefix("$").replace(",", ".")
        requests = self.query_one("#requests", Input).value.strip()
        try:
            cap = Cap(float(dollars) if dollars else None, int(requests) if requests else None)
        except ValueError:
            return "Write an amount such as 0.50, a whole number of requests, or leave them empty."
        if not 0 <= (cap.dollars or 0) < float("inf") or (cap.requests or 0) < 0:
            return "A cap cannot be negative."
        if missed := cap.misses(self._question.plan):
            return f"A cap in dollars does not count {visible(listed(missed))}: set a cap in requests as well."
        return cap


def _choices(question: RunQuestion) -> Iterator[Choice]:
    plan, services = question.plan, [host.recipient for host in question.hosts]
    of_criterion = isinstance(question, CriterionQuestion)
    if question.only_show:
        yield Choice("send", "Keep this cap", "Nothing is sent before you run it.")
        return
    yield Choice("send", f"Send: {one_line(plan)}", f"{question.later} {_SAME_JUDGES}" if of_criterion else "")
    if question.new and not of_criterion:
        named = dict.fromkeys((*(each.name for each in plan.leaving), *services))
        limit = dollars_text(question.ask_above)
        detail = f"Still asks before other texts, or if a run may cost over {limit}."
        yield Choice("remember", f"Send, and do not ask again about {listed(named)}", detail)
    if question.hosts:
        calls = sum(host.calls for host in question.hosts)
        stays = "Its criterion stays open." if calls == 1 else f"The {calls} criteria with such calls stay open."
        yield Choice("apart", f"Send, but do not ask {listed(services)}", stays)
    yield Choice("stay", "Do not send")


def _plan_lines(question: RunQuestion) -> Iterator[tuple[int | Content, Content]]:
    """What stands above the cap: who receives what, and the figures of the plan."""
    plan = question.plan
    so_far = question.so_far if isinstance(question, CriterionQuestion) else ""
    for text in filter(None, (question.note, so_far and f"Criteria of this file: {so_far}.")):
        yield from ((0, Content(visible(text))), (0, Content(" ")))
    for recipient in plan.recipients:
        mark = (" · new recipient", "$ink-warning") if recipient.name in question.new else ("", "")
        yield 0, Content.assemble((visible(recipient.name), "bold"), mark)
        for share in recipient.shares:
            requests = requests_text(share.requests).replace(" ", "\u00a0")
            text = visible(f"{share_text(plan, share)} ")
            yield 2, Content.assemble(text, (f"·\u00a0{requests}", "$ink-dim"))
        if any(host.is_here and host.recipient == recipient.name for host in question.hosts):
            yield 2, Content.styled(LOCAL_SERVICE_WARNING, "$ink-warning")
    if all(share.part is Part.ANSWER for share in plan.shares):
        yield 0, Content("Nothing else is sent: not the rubric, not the ideal.")
    for warning in warnings(plan):
        yield 0, Content.styled(f"▲ {visible(warning)}", "$ink-warning")
    yield 0, Content(" ")
    for row in amounts(plan):
        yield Content.styled(f"{row.label:<10}", "$ink-dim"), Content(visible(row.text))
