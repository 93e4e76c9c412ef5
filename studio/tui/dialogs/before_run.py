"""The dialog before a run, or before one criterion is judged: who receives which texts, at what cost, and the cap."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from engine.asking.run_plan import (
    LOCAL_SERVICE_WARNING,
    Part,
    Recipient,
    RunPlan,
    Share,
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
from studio.session.questions import CriterionQuestion, RunDecision, RunQuestion
from studio.tui.dialogs.ask import Dialog, choice_prompt
from studio.tui.option_lists import Options

if TYPE_CHECKING:
    from engine.models.service_client import Host

_SAME_JUDGES = "go to the same judges without a question, as long as they cost no more in all."


class BeforeRun(Dialog[RunDecision]):
    """Answers with the decision to send; None sends nothing."""

    DEFAULT_CSS = """
    BeforeRun > .dialog { width: 88; }
    BeforeRun .plan { padding: 1 1 0 1; }
    BeforeRun .plan:focus { background-tint: transparent; }
    BeforeRun .plan > Static { height: auto; }
    BeforeRun .share { padding: 0 0 0 2; }
    BeforeRun .row { height: auto; }
    BeforeRun .gap { height: 1; }
    BeforeRun .label { width: 10; color: $ink-dim; }
    BeforeRun .value { width: 1fr; height: auto; }
    BeforeRun .cap { height: 1; padding: 0 1; margin: 1 0 0 0; }
    BeforeRun .cap Static { width: auto; }
    BeforeRun .cap Input { width: 10; height: 1; border: none; margin: 0 1; padding: 0 1; background: $row-selected; }
    BeforeRun .cap Input:focus { border: none; background: $row-selected; text-style: underline; }
    BeforeRun .wrong { height: auto; padding: 0 1; color: $ink-error; display: none; }
    BeforeRun .wrong.-shown { display: block; padding: 0 1; }
    """

    def __init__(self, question: RunQuestion) -> None:
        of_criterion = question if isinstance(question, CriterionQuestion) else None
        title = "Texts would leave this machine" if question.new else "Before this run"
        keys = "Enter chooses · Tab to the cap · Esc sends nothing"
        super().__init__(title if of_criterion is None else of_criterion.title, keys)
        self._question = question
        self._of_criterion = of_criterion
        self._plan = question.plan
        self._cap = question.cap
        self._new = question.new
        self._hosts = question.hosts

    def content(self) -> ComposeResult:
        with VerticalScroll(classes="plan fits", can_focus=False):
            yield from self._above_receivers()
            yield from self._receivers()
            yield Static("", classes="gap")
            for row in amounts(self._plan):
                with Horizontal(classes="row"):
                    yield Static(row.label, classes="label", markup=False)
                    yield Static(Content(visible(row.text)), classes="value", markup=False)
        with Horizontal(classes="cap"):
            yield Static("Stop at   $" if self._of_criterion is None else "In all, up to $", markup=False)
            yield Input(self._cap.amount, placeholder="no cap", id="dollars", select_on_focus=True)
            yield Static("or after", markup=False)
            yield Input(_requests(self._cap), placeholder="no cap", id="requests", select_on_focus=True)
            yield Static("requests", markup=False)
        yield Static("", classes="wrong", markup=False)
        yield Options(*self._choices())

    def _above_receivers(self) -> ComposeResult:
        so_far = "" if self._of_criterion is None else self._of_criterion.so_far
        for text in filter(None, (self._question.note, so_far and f"Criteria of this file: {so_far}.")):
            yield Static(Content(visible(text)), markup=False)
            yield Static("", classes="gap")

    def _receivers(self) -> ComposeResult:
        for recipient in self._plan.recipients:
            yield Static(_heading(recipient, is_new=recipient.name in self._new), markup=False)
            for share in recipient.shares:
                yield Static(share_content(self._plan, share), classes="share", markup=False)
            if any(host.is_here and host.recipient == recipient.name for host in self._hosts):
                yield Static(Content.styled(LOCAL_SERVICE_WARNING, "$ink-warning"), classes="share", markup=False)
        if all(share.part is Part.ANSWER for share in self._plan.shares):
            yield Static("Nothing else is sent: not the rubric, not the ideal.", markup=False)
        for warning in warnings(self._plan):
            yield Static(Content.styled(f"▲ {visible(warning)}", "$ink-warning"), markup=False)

    def on_mount(self) -> None:
        """Focus the choices."""
        self.query_one(Options).focus()

    def fit(self) -> None:
        super().fit()
        self.call_after_refresh(self._let_scroll)

    def _let_scroll(self) -> None:
        plan = self.query_one(".plan", VerticalScroll)
        plan.can_focus = plan.max_scroll_y > 0

    @property
    def is_unfinished(self) -> bool:
        typed = [field.value for field in self.query(Input)]
        return typed != [self._cap.amount, _requests(self._cap)]

    def on_input_submitted(self) -> None:
        """Back to the choices."""
        self.query_one(Options).focus()

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """Answer with the choice and the cap."""
        if event.option_id == "stay":
            self.dismiss(None)
            return
        cap = self._read_cap()
        if isinstance(cap, Cap):
            self.dismiss(RunDecision(cap, event.option_id == "remember", event.option_id != "apart"))
        else:
            warning = self.query_one(".wrong", Static)
            warning.update(cap)
            warning.add_class("-shown")
            self.query_one("#dollars", Input).focus()

    def _choices(self) -> Iterator[Option]:
        if self._question.only_show:
            yield Option(choice_prompt("Keep this cap", "Nothing is sent before you run it."), id="send")
            return
        later = "" if self._of_criterion is None else f"{self._of_criterion.later} {_SAME_JUDGES}"
        yield Option(choice_prompt(f"Send: {one_line(self._plan)}", later), id="send")
        if self._new and self._of_criterion is None:
            named = dict.fromkeys((*(each.name for each in self._plan.leaving), *self._recipients_of_services))
            label = f"Send, and do not ask again about {listed(named)}"
            limit = dollars_text(self._question.ask_above)
            detail = f"Still asks before other texts, or if a run may cost over {limit}."
            yield Option(choice_prompt(label, detail), id="remember")
        if self._hosts:
            label = f"Send, but do not ask {listed(self._recipients_of_services)}"
            yield Option(choice_prompt(label, stays_open(self._hosts)), id="apart")
        yield Option(choice_prompt("Do not send"), id="stay")

    @property
    def _recipients_of_services(self) -> tuple[str, ...]:
        return tuple(host.recipient for host in self._hosts)

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
        if missed := cap.misses(self._plan):
            return f"A cap in dollars does not count {visible(listed(missed))}: set a cap in requests as well."
        return cap


def stays_open(hosts: Collection[Host]) -> str:
    """What happens to the criteria that call these hosts if the calls are not made."""
    calls = sum(host.calls for host in hosts)
    return "Its criterion stays open." if calls == 1 else f"The {calls} criteria with such calls stay open."


def share_content(plan: RunPlan, share: Share) -> Content:
    """`openai:tiny answers: gets the prompt's messages · 12 requests`."""
    requests = requests_text(share.requests).replace(" ", "\u00a0")
    return Content.assemble(visible(f"{share_text(plan, share)} "), (f"·\u00a0{requests}", "$ink-dim"))


def _heading(recipient: Recipient, *, is_new: bool) -> Content:
    mark = (" · new recipient", "$ink-warning") if is_new else ("", "")
    return Content.assemble((visible(recipient.name), "bold"), mark)


def _requests(cap: Cap) -> str:
    return "" if cap.requests is None else str(cap.requests)
