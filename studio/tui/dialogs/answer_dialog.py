"""The choice of answer sources: the ideal, the author's own, test answers, saved answers, models and their variants."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets.option_list import Option

from engine.evaluation.sources import (
    MOST_MAX_TOKENS,
    AnswerSource,
    ControlKind,
    ControlSource,
    IdealSource,
    ModelSource,
    WrittenSource,
)
from engine.models.chat import USUAL_MAX_TOKENS
from engine.text.spans import visible
from studio.session import model_status
from studio.session.host import Host
from studio.session.model_status import ReadyModel
from studio.session.questions import AnswerQuestion
from studio.session.run_configuration import AnswerChoice
from studio.tui.dialogs.ask import AskText, Dialog
from studio.tui.dialogs.variant_marks import VariantMarks, VariantRow
from studio.tui.option_lists import Options

_CONTROLS = {
    ControlKind.EMPTY: ("Empty", "nothing at all: no point should be met"),
    ControlKind.REFUSAL: ("Refusal", "“I'm sorry, but I can't help with that.”"),
    ControlKind.ECHO: ("Prompt repeated", "it should earn little"),
    ControlKind.STUFFING: ("Criteria pasted", "all of them: what keywords alone earn"),
}


class ChooseAnswers(Dialog[AnswerChoice]):
    """Answers with one or more sources, the variants in which models are run, and a token limit.

    Enter chooses the highlighted row alone, or all marked rows once Space has marked one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "mark", "Mark", show=False)]
    DEFAULT_CSS = """
    ChooseAnswers > .dialog { width: 90; }
    ChooseAnswers OptionList { max-height: 26; margin: 1 0 0 0; }
    """

    def __init__(self, question: AnswerQuestion, host: Host) -> None:
        """Further questions, such as the name of a file, go through `host`."""
        super().__init__()
        current = question.current
        self._host = host
        self._path = question.path
        self._has_ideal = question.has_ideal
        self._named = question.models
        self._ready = question.ready
        self._sources: dict[str, AnswerSource] = {}
        self._labels: dict[str, tuple[str, str]] = {}
        self._marked = list((current or AnswerChoice((IdealSource(),))).sources)
        self._usual_tokens = question.usual_tokens
        self._max_tokens = None if current is None else current.max_tokens
        self._variants = VariantMarks(question.header, () if current is None else current.suffixes)
        self._has_marked = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content("Where do answers come from?")
            dialog.border_subtitle = Content("Enter chooses · Space marks several · Esc keeps the current choice")
            yield Options(*self._options(), markup=False)

    def on_mount(self) -> None:
        """Highlight the current choice, and look for servers on this machine."""
        options = self.query_one(Options)
        for index, option in enumerate(options.options):
            if option.id is not None and self._sources.get(option.id) == self._marked[0]:
                options.highlighted = index
        self._look_for_servers()

    def _options(self) -> list[Option]:
        no_ideal = "this prompt has none yet: write `ideal:` beside `prompt:`"
        rows = [
            self._row(IdealSource(), "The ideal", "the blueprint's own answer" if self._has_ideal else no_ideal),
            self._row(WrittenSource(""), "Your answer", "typed or pasted in the place of the answer"),
            Option(_one_line("Saved answers …", "a fixtures file, JSON or YAML"), id="fixtures"),
            Option(_one_line("A result file …", "what Weval published: its answers and verdicts"), id="published"),
            _heading("Test answers: what a rubric must not reward"),
            *(self._row(ControlSource(kind), label, detail) for kind, (label, detail) in _CONTROLS.items()),
            _heading("Models"),
        ]
        rows += [self._model(model) for model in self._ready]
        rows += [
            Option(_one_line("Another model …", "PROVIDER:MODEL, such as openai:gpt-4o-mini"), id="other"),
            Option(_one_line("A server …", "any with an OpenAI-compatible API"), id="address"),
            Option(_one_line("Token limit …", self._token_limit), id="tokens"),
        ]
        for title, group in self._variants.groups():
            rows.append(_heading(title))
            rows += [Option(self._variant_line(row), id=row.id) for row in group]
        return rows

    def _row(self, source: AnswerSource, label: str, detail: str, *, is_ready: bool = True) -> Option:
        id = f"source-{len(self._sources)}"
        self._sources[id], self._labels[id] = source, (label, detail)
        line = _one_line(label, detail, is_ready=is_ready, marked=source in self._marked)
        return Option(line, id=id, disabled=not is_ready)

    def _variant_line(self, row: VariantRow) -> Content:
        return _one_line(row.label, row.detail, marked=self._variants.is_marked(row.id))

    def _model(self, model: ReadyModel) -> Option:
        return self._row(model.source, model.source.label, model.detail, is_ready=model.ready)

    @work
    async def _look_for_servers(self) -> None:
        found = await model_status.on_loopback()
        options = self.query_one(Options)
        if found:
            options.add_option(_heading("Found on this machine"))
        for model in found:
            options.add_option(self._model(model))

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """Answer with the source, after asking for the rest of what it needs."""
        match event.option_id:
            case "fixtures":
                self._ask_for_fixtures()
            case "published":
                self._ask_for_result()
            case "other":
                self._ask_for_model()
            case "address":
                self._ask_for_address()
            case "tokens":
                self._ask_for_tokens()
            case str(id):
                self._choose(id)
            case None:
                pass

    def _choose(self, id: str) -> None:
        if not self._has_marked and id in self._sources:
            self._marked = [self._sources[id]]
        elif not self._has_marked or not self._marked:
            self._variants.mark_only(id)
        self._answer(*(self._marked or [IdealSource()]))

    def _answer(self, *sources: AnswerSource) -> None:
        self.dismiss(AnswerChoice(sources, self._variants.suffixes, self._max_tokens))

    @property
    def _token_limit(self) -> str:
        """The limit of an answer, in words."""
        most = self._max_tokens or self._usual_tokens or USUAL_MAX_TOKENS
        return f"{most:,} for each answer of a model{', as on Weval' if most == USUAL_MAX_TOKENS else ''}"

    def action_mark(self) -> None:
        """Mark the highlighted row, or unmark it."""
        options = self.query_one(Options)
        option = options.highlighted_option
        if option is None or option.id is None:
            return
        if option.id in self._sources:
            self._toggle(self._sources[option.id])
        elif not self._variants.toggle(option.id):
            return
        self._has_marked = True
        self._draw_marks(options)

    def _toggle(self, source: AnswerSource) -> None:
        """Mark or unmark a source. The first mark replaces a single source that was chosen earlier."""
        if source in self._marked:
            self._marked.remove(source)
        elif len(self._marked) == 1 and not self._has_marked:
            self._marked = [source]
        else:
            self._marked.append(source)

    def _draw_marks(self, options: Options) -> None:
        for id, (label, detail) in self._labels.items():
            ready = not options.get_option(id).disabled
            line = _one_line(label, detail, is_ready=ready, marked=self._sources[id] in self._marked)
            options.replace_option_prompt(id, line)
        for _, group in self._variants.groups():
            for row in group:
                options.replace_option_prompt(row.id, self._variant_line(row))

    @work
    async def _ask_for_fixtures(self) -> None:
        from studio.session.published_results import ask_for_saved

        source = await ask_for_saved(self._host, self._path, self._named)
        if source is not None:
            self._answer(source)

    @work
    async def _ask_for_result(self) -> None:
        from studio.session.published_results import ask_for_result

        source = await ask_for_result(self._host, self._path)
        if source is not None:
            self._answer(source)

    @work
    async def _ask_for_model(self) -> None:
        model = await self.app.push_screen_wait(
            AskText("Another model", "PROVIDER:MODEL, as in a blueprint's `models`.", placeholder="openai:gpt-4o-mini")
        )
        if model is not None:
            self._answer(ModelSource(model))

    @work
    async def _ask_for_tokens(self) -> None:
        text = f"The most tokens that an answer may have, thinking included. Weval allows {USUAL_MAX_TOKENS:,}."
        written = await self.app.push_screen_wait(AskText("Token limit", text, placeholder=f"{USUAL_MAX_TOKENS}"))
        if written is None:
            return
        most = int(written) if written.isascii() and written.isdigit() else 0
        if 1 <= most <= MOST_MAX_TOKENS:
            self._max_tokens = most
            self._answer(*(self._marked or [IdealSource()]))
        else:
            self.notify(f"Write a whole number from 1 to {MOST_MAX_TOKENS:,}.", severity="warning", markup=False)

    @work
    async def _ask_for_address(self) -> None:
        text = (
            "The address up to /v1. If the server needs a key, set the environment variable BLUEPRINT_STUDIO_API_KEY."
        )
        address = await self.app.push_screen_wait(AskText("A server", text, placeholder="http://127.0.0.1:8080/v1"))
        if address is None:
            return
        model = await self.app.push_screen_wait(AskText("A server", f"The name of the model at {address}."))
        if model is not None:
            self._answer(ModelSource(model, address))


def _one_line(label: str, detail: str, *, is_ready: bool = True, marked: bool = False) -> Content:
    name = visible(label)
    mark = ("✓ " if marked else "  ", "bold")
    return Content.assemble(mark, (f"{name:<18} ", "" if is_ready else "$ink-dim"), (visible(detail), "$ink-dim"))


def _heading(words: str) -> Option:
    return Option(Content.assemble("\n", (words, "$ink-dim")), disabled=True)
