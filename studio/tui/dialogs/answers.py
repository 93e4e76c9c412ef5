"""Who answers and who judges: the ideal, the author, test answers, saved answers, models and their variants."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Iterator, Sequence
from typing import ClassVar, TypeAlias

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets.option_list import Option

from engine.blueprint import Header
from engine.blueprint.conversation import Variant, variants
from engine.evaluation.sources import (
    MOST_MAX_TOKENS,
    AnswerSource,
    ControlKind,
    ControlSource,
    IdealSource,
    ModelSource,
    WrittenSource,
    variant_words,
)
from engine.judging.panel import BackupWhen, JudgesAs, OneJudge, Panel, PanelJudge, panel
from engine.models.chat import USUAL_MAX_TOKENS
from engine.models.provider_registry import unset_variables
from engine.scoring.explanation import listed
from engine.text.record import replace
from studio.session import run_configuration
from studio.session.host import AnswerQuestion, Choice, EnterText, JudgeChoice, JudgeQuestion, telling
from studio.session.run_configuration import AnswerChoice, Offer
from studio.tui.dialogs.ask import Answer, Dialog, column_prompt, said
from studio.tui.option_lists import Options
from studio.tui.pieces import fit

_WIDEST_LABEL = 26
_WIDEST_SYSTEM = 50
"""How many cells of a system prompt are shown."""


Group: TypeAlias = tuple[str, Sequence[Choice]]
"""Rows below a heading, or below none."""

_ANY = Choice("any", "Another model …", "PROVIDER:MODEL, such as openai:gpt-4o-mini")
_SERVER = Choice("server", "A server …", "any with an OpenAI-compatible API; its models stay listed")


class ModelDialog(Dialog[Answer]):
    """A choice with models among its rows. Those on servers come while the dialog is open, below the others."""

    DEFAULT_CSS = """
    ModelDialog > .dialog { width: 90; }
    ModelDialog OptionList { margin: 1 0 0 0; }
    """

    def __init__(self, title: str, keys: str, offers: Iterable[Offer], servers: Sequence[str]) -> None:
        super().__init__(title, keys)
        self._offers = {each.choice: each for each in offers}
        self._known = len(self._offers)
        self._servers = servers

    def content(self) -> ComposeResult:
        yield Options(classes="fits")

    def on_mount(self) -> None:
        """Show the rows, highlight what is chosen now, and look for servers."""
        self.draw()
        options = self.query_one(Options)
        ready = [each.id for each in options.options if each.id is not None and not each.disabled]
        options.highlighted = options.get_option_index(next(filter(self.is_chosen, ready), ready[0]))
        self._look_for(run_configuration.on_loopback())
        self._look_for(run_configuration.on_servers(self._servers))

    @work
    async def _look_for(self, finding: Awaitable[Sequence[Offer]]) -> None:
        if found := await finding:
            self._offers |= {each.choice: each for each in found}
            self.draw()

    def groups(self) -> Iterator[Group]:
        """The rows."""
        raise NotImplementedError

    def is_chosen(self, id: str) -> bool:
        """Whether the row is what answers or judges now."""
        raise NotImplementedError

    def is_marked(self, id: str) -> bool:
        """Whether the row has a tick: it is a part of the choice."""
        return self.is_chosen(id)

    def take(self, id: str) -> None:
        """Answer with a row, after asking for the rest of what it needs."""
        raise NotImplementedError

    def take_source(self, source: AnswerSource) -> None:
        """Answer with what the author named."""
        raise NotImplementedError

    def models(self) -> dict[str, ModelSource]:
        """The models that can be chosen, by the ids of their rows."""
        return {id: each.choice for id, each in self._rows() if isinstance(each.choice, ModelSource)}

    def model_groups(self, title: str, *others: Choice) -> Iterator[Group]:
        """The models that can be chosen now, with `others` among them."""
        rows = self._model_rows()
        yield title, [*(row for row in rows[: self._known] if row.is_ready), _ANY, _SERVER, *others]
        yield "On servers", [row for row in rows[self._known :] if row.is_ready]

    def idle(self) -> list[Choice]:
        """The models that cannot be chosen now, those with one reason together: it is said of the first."""
        rows = [row for row in self._model_rows() if not row.is_ready]
        by_reason: dict[str, list[Choice]] = {row.detail: [] for row in rows}
        for row in rows:
            same = by_reason[row.detail]
            same.append(replace(row, detail="the same") if same else row)
        return [row for same in by_reason.values() for row in same]

    def _model_rows(self) -> list[Choice]:
        return [Choice(id, each.label, each.detail, each.is_ready) for id, each in self._rows()]

    def _rows(self) -> Iterator[tuple[str, Offer]]:
        return ((f"offer-{number}", each) for number, each in enumerate(self._offers.values()))

    def draw(self) -> None:
        """Show the rows as they are now. What is highlighted stays, and where it stands."""
        options = self.query_one(Options)
        before, top = options.highlighted_option, options.scroll_offset.y
        groups = [(title, rows) for title, rows in self.groups() if rows]
        column = max(len(row.label) for _, rows in groups for row in rows if len(row.label) <= _WIDEST_LABEL) + 4
        options.set_options([option for title, rows in groups for option in self._options(title, rows, column)])
        if before is not None and before.id is not None:
            options.highlighted = options.get_option_index(before.id)
            options.scroll_to(y=top, animate=False, immediate=True)
        self.call_after_refresh(self.fit)

    def _options(self, title: str, rows: Sequence[Choice], column: int) -> Iterator[Option]:
        if title:
            yield Option(Content.assemble("\n", (title, "$ink-dim")), disabled=True)
        for row in rows:
            yield Option(column_prompt(row, column, is_marked=self.is_marked(row.id)), row.id, not row.is_ready)

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """Answer with the row, after asking which model it is where that is open."""
        match event.option_id or "", dict(self._rows()).get(event.option_id or ""):
            case _ANY.id, _:
                self.ask_for(run_configuration.ask_for_any(self.host))
            case _SERVER.id, _:
                self.ask_for(run_configuration.ask_for_server(self.host))
            case _, Offer(choice=str(place)):
                self.ask_for(run_configuration.ask_for_model_of(self.host, place))
            case id, _:
                self.take(id)

    @work
    async def ask_for(self, asking: Awaitable[AnswerSource]) -> None:
        """Answer with the source that the author names, if they do."""
        with telling(self.host):
            self.take_source(await asking)


# --- Who answers


_OWN = (
    Choice("response", "Your answer", "typed or pasted in the place of the answer"),
    Choice("fixtures", "Saved answers …", "a fixtures file, JSON or YAML"),
    Choice("published", "A result file …", "what Weval published: its answers and verdicts"),
)
_CONTROLS = (
    Choice(ControlKind.EMPTY, "Empty", "nothing at all: no criterion should be met"),
    Choice(ControlKind.REFUSAL, "Refusal", "“I'm sorry, but I can't help with that.”"),
    Choice(ControlKind.ECHO, "Prompt repeated", "it should earn little"),
    Choice(ControlKind.STUFFING, "Criteria pasted", "all of them: what keywords alone earn"),
)
_SOURCES = {
    "ideal": IdealSource(), "response": WrittenSource(), **{kind.value: ControlSource(kind) for kind in ControlKind},
}  # fmt: skip
"""The sources of rows that are no models."""


class ChooseAnswers(ModelDialog[AnswerChoice], asks=AnswerQuestion):
    """Answers with one or more sources, the variants in which models are run, and a token limit.

    Enter chooses the highlighted row alone, or all marked rows once Space has marked one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "mark", "Mark", show=False)]

    def __init__(self, question: AnswerQuestion) -> None:
        keys = "Enter chooses · Space marks several · Esc keeps the current choice"
        super().__init__("Where do answers come from?", keys, question.offers, question.servers)
        self._question = question
        current = question.current or AnswerChoice((IdealSource(),) if question.has_ideal else ())
        self._marked = list(current.sources)
        self._max_tokens = current.max_tokens
        self._variants = {each.suffix: each for each in variants(question.header)}
        first, *_ = self._variants
        self._suffixes = self._variants.keys() & current.suffixes or {first}
        self._has_marked = False

    def groups(self) -> Iterator[Group]:
        has_ideal = self._question.has_ideal
        detail = "the blueprint's own answer" if has_ideal else "this prompt has none yet: write `ideal:`"
        ideal = [Choice("ideal", "The ideal", detail)]
        yield "", [*(ideal if has_ideal else []), *_OWN]
        yield "Test answers: what a rubric must not reward", _CONTROLS
        most = self._max_tokens or self._question.usual_tokens or USUAL_MAX_TOKENS
        limit = f"{most:,} for each answer of a model{', as on Weval' if most == USUAL_MAX_TOKENS else ''}"
        yield from self.model_groups("Models", Choice("tokens", "Token limit …", limit))
        yield "Cannot answer yet", [*([] if has_ideal else ideal), *self.idle()]
        if len(self._variants) > 1:
            yield "Variants for models", [_variant_row(each) for each in self._variants.values()]

    def _source(self, id: str) -> AnswerSource | None:
        """The source of a row; None where it has none of its own."""
        return _SOURCES.get(id) or self.models().get(id)

    def is_chosen(self, id: str) -> bool:
        return self._source(id) in self._marked

    def is_marked(self, id: str) -> bool:
        return self.is_chosen(id) or id in self._suffixes

    def take(self, id: str) -> None:
        from studio.session.result_files import ask_for_result, ask_for_saved

        source = self._source(id)
        match id:
            case "fixtures":
                self.ask_for(ask_for_saved(self.host, self._question.path, self._question.models))
            case "published":
                self.ask_for(ask_for_result(self.host, self._question.path))
            case "tokens":
                self._ask_for_tokens()
            case _ if source is not None and not self._has_marked:
                self._answer(source)
            case _:
                if not self._has_marked:
                    self._suffixes = {id}
                self._answer(*self._marked)

    def take_source(self, source: AnswerSource) -> None:
        self._answer(source)

    def _answer(self, *sources: AnswerSource) -> None:
        several = len(self._variants) > 1
        suffixes = tuple(each for each in self._variants if each in self._suffixes) if several else ()
        self.dismiss(AnswerChoice(sources or (IdealSource(),), suffixes, self._max_tokens))

    def action_mark(self) -> None:
        """Mark the highlighted row, or unmark it. The first mark replaces a single source that was chosen earlier."""
        option = self.query_one(Options).highlighted_option
        if option is None or option.id is None:
            return
        source = self._source(option.id)
        if option.id in self._variants:
            self._suffixes = self._suffixes ^ {option.id} or self._suffixes
        elif source is None:
            return
        elif source in self._marked:
            self._marked.remove(source)
        else:
            keeps = self._has_marked or len(self._marked) > 1
            self._marked = [*(self._marked if keeps else []), source]
        self._has_marked = True
        self.draw()

    @work
    async def _ask_for_tokens(self) -> None:
        text = f"The most tokens that an answer may have, thinking included. Weval allows {USUAL_MAX_TOKENS:,}."
        written = await self.host.ask(EnterText("Token limit", text, placeholder=f"{USUAL_MAX_TOKENS}"))
        if written is None:
            return
        most = int(written) if written.isascii() and written.isdigit() else 0
        if 1 <= most <= MOST_MAX_TOKENS:
            self._max_tokens = most
            self._answer(*self._marked)
        else:
            self.notify(f"Write a whole number from 1 to {MOST_MAX_TOKENS:,}.", severity="warning", markup=False)


def _variant_row(variant: Variant) -> Choice:
    system = "no system prompt" if variant.system is None else ""
    if isinstance(variant.system, str):
        system = fit(variant.system, _WIDEST_SYSTEM)
    return Choice(variant.suffix, ", ".join(variant_words(variant)), system)


# --- Who judges


_NOBODY = "nobody"
_HELP = "A criterion in words stays open until someone judges it. Your own grades count before any judge's."
_CLOSEST = (
    "For the selected criterion, the closest sentence of the answer is lit up: a place to look, not a verdict. It is "
    "found on this machine."
)
_LABELS = {JudgesAs.DOCUMENTED: "Judges as documented", JudgesAs.WEVAL_TODAY: "Judges as on Weval"}
_WHEN = {
    BackupWhen.ALL_FAILED: "where none of them judges a criterion",
    BackupWhen.ANY_FAILED: "where one of them does not judge a criterion",
}


class ChooseJudges(ModelDialog[JudgeChoice], asks=JudgeQuestion):
    """Answers with who judges the criteria in words of this file."""

    def __init__(self, question: JudgeQuestion) -> None:
        keys = "Enter chooses, for this file · Esc keeps the current choice"
        super().__init__("Who judges criteria in words?", keys, question.offers, question.servers)
        self._question = question

    def content(self) -> ComposeResult:
        yield said(_HELP)
        yield from super().content()
        yield said(_CLOSEST)

    def groups(self) -> Iterator[Group]:
        yield "", [Choice(_NOBODY, "You alone", "keys 1 to 5 in the criteria; nothing is sent"), *self._panels()]
        yield from self.model_groups("One model alone")
        yield "Cannot judge yet", self.idle()

    def _panels(self) -> Iterator[Choice]:
        for judges_as in JudgesAs:
            found = panel(self._question.header, judges_as)
            detail = judges_text(found, self._question.header)
            yield Choice(judges_as.value, _LABELS[judges_as], detail, bool(found.judges))

    def is_chosen(self, id: str) -> bool:
        chosen = self._question.current
        if isinstance(chosen, OneJudge):
            return self.models().get(id) == ModelSource(chosen.model, chosen.base_url)
        return id == (chosen or _NOBODY)

    def take(self, id: str) -> None:
        source = self.models().get(id)
        if source is not None:
            self.take_source(source)
        else:
            self.dismiss(JudgeChoice(None if id == _NOBODY else JudgesAs(id)))

    def take_source(self, source: AnswerSource) -> None:
        assert isinstance(source, ModelSource)
        self.dismiss(JudgeChoice(OneJudge(source.model, source.base_url)))


def judges_text(found: Panel, header: Header) -> str:
    """The judges, the size of their scale, the backup judge, and the keys that are missing."""
    if not found.judges:
        return f"none can be asked: {'; '.join(found.left_out)}"
    whose = "this blueprint names " if found.custom else ""
    text = f"{whose}{listed(map(_name, found.judges))}; {len(found.scale.steps)} classes"
    if found.backup is not None:
        text += f"; {_name(found.backup)} {_WHEN[found.backup_when]}"
    missing = dict.fromkeys(
        name for judge in found.judges for name in unset_variables(judge.model, custom=header.models)
    )
    return f"{text}. No key: set {listed(missing)} and start again" if missing else text


def _name(judge: PanelJudge) -> str:
    """A judge by its model, without provider and maker."""
    return judge.model.partition(":")[2].rpartition("/")[2] or judge.model
