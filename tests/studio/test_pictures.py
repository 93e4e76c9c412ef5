"""The pictures of the screens: one table of states, with the keys that lead to each and what must be seen in it.

A state is drawn at three sizes, as text with the names of styles (`screens/`); a dozen are SVGs as well. Changed
pictures are looked at and recorded with `pytest tests/studio/test_pictures.py --snapshot-update`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pytest_httpserver import HTTPServer
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion

from engine.blueprint.conversation import Stop, StopReason, Variant
from engine.evaluation.sources import Candidate, ControlKind, ControlSource, ModelSource
from engine.files.open_files import CannotOpen, OpenedFile, new_file
from engine.files.user_settings import SavedCap, Settings
from engine.models.http import recipient_of
from engine.store import RunState
from engine.study.file_places import beside
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Span
from studio.example import EXAMPLE, read
from studio.session import run_configuration
from studio.session.run_configuration import Offer, Readiness
from studio.tui.app import Studio
from studio.tui.editor import BlueprintEditor
from studio.tui.theme import LIGHT
from tests.engine.provider_server import answers, said
from tests.repeated_problems import quoted_checks
from tests.session.test_what_if import CASES as WHAT_IF_CASES
from tests.session.test_what_if import TEXT as WHAT_IF
from tests.studio import blueprints as text
from tests.studio.driving import LARGE, NARROW, WIDE, Page, opened, studio_on
from tests.studio.driving.alone import Alone
from tests.studio.histories import IDEAL, MODEL, NOW, ran
from tests.studio.model_server import ModelServer, verdict
from tests.studio.pictures import FOLDER, differences, keep, kept, picture
from tests.studio.published import BLUEPRINT, published_in, studio_with

pytestmark = pytest.mark.every_frame

Step = str | Callable[[Page], Awaitable[object]]
SIZES = (LARGE, WIDE, NARROW)


class State(NamedTuple):
    """A state that is drawn: its name, what leads to it from the state before, and words that must be seen in it."""

    name: str
    steps: tuple[Step, ...]
    shows: tuple[str, ...]


class World(NamedTuple):
    """What an opening may use: a folder, a server on loopback, and what is to be patched."""

    folder: Path
    http: HTTPServer
    patch: pytest.MonkeyPatch


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """No server answers and no model is installed, whatever is on the machine that draws; it is always the same day."""

    async def nobody() -> list[Offer]:
        return []

    async def ready(_: object) -> Readiness:
        always = "the ideal, your own answers, test answers"
        return Readiness((always, "OpenAI by OPENAI_API_KEY"), ("the embedded model: `studio models install`",))

    none = Offer("smollm2", "studio models install", ModelSource("embedded:smollm2"), is_ready=False)
    monkeypatch.setattr(run_configuration, "on_loopback", nobody)
    monkeypatch.setattr(run_configuration, "readiness", ready)
    monkeypatch.setattr(run_configuration, "embedded", lambda: none)
    monkeypatch.setattr("studio.session.views.figures.now", lambda: NOW)
    monkeypatch.setattr("studio.session.second_runs.now", lambda: NOW)
    monkeypatch.setattr("engine.study.judged_pairs.new_seed", lambda: 3)
    monkeypatch.setattr("engine.models.server.recipient_of", lambda url: recipient_of(url).partition(" (")[0])
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "RIVER_KEY", "FACTS_KEY"):
        monkeypatch.setenv(name, "sk-of-a-test-123")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    with HTTPServer(threaded=True) as server:
        yield World(tmp_path, server, monkeypatch)
    monkeypatch.undo()
    time.tzset()


# --- Steps that are no keys


def at(written: str) -> Step:
    return lambda page: page.at(written)


def tab(name: str) -> Step:
    return lambda page: page.show(name)


def selected(key: str) -> Step:
    return lambda page: page.select(key)


def turn(number: int) -> Step:
    return lambda page: page.turn(number)


def asked(*texts: str) -> Step:
    return lambda page: page.asked(*texts)


def typed(written: str) -> tuple[str, ...]:
    return ("ctrl+a", "delete", *written, "ctrl+s")


# --- Openings


@asynccontextmanager
async def shown(app: Any, size: tuple[int, int] = NARROW) -> AsyncIterator[Page]:
    async with app.run_test(size=size) as pilot:
        yield Page(app, pilot)


def example(world: World) -> Any:
    return shown(Studio(new_file(Path(EXAMPLE.file), read(EXAMPLE.file))))


def start(world: World) -> Any:
    return shown(Studio())


def folder_named(world: World) -> Any:
    return shown(Studio(problem=CannotOpen(Path("/evaluations"), "This is a folder.", "Name a file in it.")))


def read_only(world: World) -> Any:
    reason = "Line 1 is not UTF-8. The file is shown read-only."
    return shown(Studio(OpenedFile(Path("old.yml"), "title: caf\xe9\n", read_only=reason)))


def repeated(world: World) -> Any:
    return opened(world.folder / "repeated.yml", quoted_checks(12), size=NARROW)


def judge_choice(world: World) -> Any:
    world.patch.delenv("OPENROUTER_API_KEY")
    return opened(world.folder / "tenancy.yml", text.TENANCY, at="ideal", size=NARROW)


@asynccontextmanager
async def one_model(world: World) -> AsyncIterator[Page]:
    async with opened(world.folder / "rivers.yml", text.RIVERS, at="Which river", size=NARROW) as page:
        await page.choose(ModelSource("openai:gpt-4o-mini"))
        yield page


@asynccontextmanager
async def two_models_and_judges(world: World) -> AsyncIterator[Page]:
    Settings(cap=SavedCap(dollars=0.5, requests=200), consented=["api.openai.com"]).save()
    async with opened(world.folder / "rivers.yml", text.RIVERS, at="Which river", size=NARROW) as page:
        await page.choose(ModelSource("openai:gpt-4o-mini"), ModelSource("school:river-guide"))
        page.judged()
        yield page


@asynccontextmanager
async def model_and_service(world: World) -> AsyncIterator[Page]:
    capitals = text.CAPITALS.format(host="facts.example").replace("http:", "https:")
    async with opened(world.folder / "capitals.yml", capitals, at="What is the capital", size=NARROW) as page:
        await page.choose(ModelSource("openai:gpt-4o-mini"))
        yield page


def service(world: World) -> Any:
    capitals = text.CAPITALS.format(host="facts.example").replace("http:", "https:")
    return opened(world.folder / "capitals.yml", capitals, at="What is the capital", size=NARROW)


def service_that_answers(world: World) -> Any:
    host = f"127.0.0.1:{world.http.port}"
    answers(world.http, said({"score": 0.5, "explain": "Half \x1b[31mof it is so."}))
    world.patch.setenv("FACTS", f"http://{host}")
    Settings(consented=[f"service at this machine ({host}) (FACTS, FACTS_KEY)"]).save()
    capitals = text.CAPITALS.format(host="${FACTS}").replace("http://${FACTS}", "${FACTS}")
    return opened(world.folder / "capitals.yml", capitals, at="What is the capital", size=NARROW)


@asynccontextmanager
async def criterion(world: World) -> AsyncIterator[Page]:
    path = world.folder / "deposit.yml"
    beside(path).write_text(text.DEPOSIT_CASES, "utf-8")
    server = ModelServer(world.http, text.quoting_judge)
    async with opened(path, text.with_judges(server, text.DEPOSIT), at="ideal", size=NARROW) as page:
        page.judged()
        yield page


@asynccontextmanager
async def criterion_elsewhere(world: World) -> AsyncIterator[Page]:
    async with opened(world.folder, text.DEPOSIT, at=text.CRITERION, size=NARROW) as page:
        page.judged()
        yield page


@asynccontextmanager
async def matrix(world: World) -> AsyncIterator[Page]:
    async with opened(world.folder / "tenancy.yml", text.TENANCY, size=NARROW) as page:
        await text.answer_all(page)
        yield page


@asynccontextmanager
async def second_run(world: World) -> AsyncIterator[Page]:
    async with opened(world.folder / "tenancy.yml", text.TENANCY, keys=("f6",), size=NARROW) as page:
        await page.rewrite(text.TENANCY_LATER)
        await page.press("f6")
        yield page


@asynccontextmanager
async def two_runs(world: World) -> AsyncIterator[Page]:
    async with opened(world.folder / "rent.yml", text.OLD_RENT, at="rent", keys=("f5",), size=NARROW) as page:
        await page.rewrite(text.NEW_RENT)
        await page.at("rent")
        await page.press("f5")
        await page.open_history()
        yield page


def judged_answers(world: World) -> Any:
    path = world.folder / "rights.yml"
    text.save_judged_answers(path)
    return opened(path, text.RIGHTS, size=NARROW)


class Bench:
    """Two judges; `kind` waits until it is let go."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def said(self, body: dict[str, Any]) -> str:
        wanted = body["messages"][1]["content"].rpartition("<criterion")[2]
        if body["model"] == "kind":
            self.go_on.wait(60)
        if "next" in wanted:
            return "I'm sorry, but I can't help with that."
        if "avoid paying" in wanted:
            return verdict("CLASS_ABSENT", "Nothing of the kind is said.")
        if body["model"] == "kind":
            return verdict("CLASS_PARTIALLY_PRESENT", "It is there, though only in passing.")
        return verdict("CLASS_MAJORLY_PRESENT", "Named in so many words, but without the reason for it.")


bench = Bench()


@asynccontextmanager
async def judges(world: World) -> AsyncIterator[Page]:
    bench.go_on.clear()
    server = ModelServer(world.http, bench.said)
    try:
        notice = text.with_judges(server, text.NOTICE)
        async with opened(world.folder / "notice.yml", notice, at="May my landlord", size=NARROW) as page:
            page.judged()
            await page.hit("f5", until=lambda: page.shown and len(page.shown.judgements) == 4)
            await page.hit("ctrl+r", "down")
            yield page
    finally:
        bench.go_on.set()


async def all_judged(page: Page) -> None:
    bench.go_on.set()
    await page.settle()


def tools(world: World) -> Any:
    return opened(world.folder / "sums.yml", text.SUMS, at="prompt:", keys=("f5",), size=NARROW)


@asynccontextmanager
async def talk(world: World) -> AsyncIterator[Page]:
    """A thread whose first answer waits behind its first word."""
    replies = iter(text.TALK_REPLIES)
    server = ModelServer(world.http, lambda _: next(replies))
    async with opened(world.folder / "tenants.yml", text.TALK, at="- id:", size=NARROW) as page:
        await page.choose(server.source())
        await page.show("Answer")
        server.held = True
        await page.hit("f5", until=lambda: page.turn_texts()[2][0] == "Since ")
        held.append(server)
        yield page
        server.release()


held: list[ModelServer] = []
"""The server of a thread that waits."""


async def all_said(page: Page) -> None:
    held.pop().release()
    await page.settle()


def markdown(world: World) -> Any:
    return opened(world.folder / "tenants.yml", text.MARKDOWN, at="- id:", keys=("f5",), size=NARROW)


def week_of_runs(world: World) -> Any:
    path = world.folder / "x.yml"
    app = studio_on(path, text.PERIOD)
    large = Candidate(ModelSource("anthropic:claude-3-5-sonnet"), Variant(0, 0.0, suffix="[temp:0]"))
    ran(path, ago=timedelta(days=21), score=0.5, candidate=large, rubric="another")
    ran(path, ago=timedelta(days=20), score=0.6667, candidate=large, rubric="another")
    for days, score in zip(range(9, 0, -1), [0.1, 0.25, 0.25, 0.5, 0.4, 0.75, 0.25, 0.5, 1.0], strict=True):
        ran(path, ago=timedelta(days=days), score=score, candidate=MODEL if days > 3 else IDEAL)
    words = "The server has too many requests (429). It asks to wait a minute. Run it again then."
    ran(path, ago=timedelta(hours=5), candidate=large, state=RunState.FAILED, answer="", words=words)
    ran(path, ago=timedelta(hours=2), score=0.0, candidate=Candidate(ControlSource(ControlKind.REFUSAL)))
    ran(path, ago=timedelta(minutes=12), candidate=large, state=RunState.INTERRUPTED, answer="It is 30")
    ran(path, ago=timedelta(minutes=3), score=0.75, bounds=(0.5, 1.0), candidate=large)
    return shown(app)


def cut_runs(world: World) -> Any:
    path = world.folder / "tenants.yml"
    app = studio_on(path, text.TENANTS)
    cut, withheld = Stop(StopReason.LENGTH, "length"), Stop(StopReason.WITHHELD, "content_filter")
    ran(path, ago=timedelta(days=3), score=1.0)
    by = "openai:gpt-4o-mini at api.openai.com"
    words = f"{by}: the answer was withheld by the provider's safety filter content_filter"
    ran(path, ago=timedelta(hours=5), state=RunState.FAILED, stop=withheld, words=words)
    ran(path, ago=timedelta(hours=2), score=0.5, stop=cut)
    return shown(app)


@asynccontextmanager
async def cut_answers(world: World) -> AsyncIterator[Page]:
    server = ModelServer(world.http, lambda _: "The notice period is 30 days. It runs from the")
    server.finish_of = {"cut": "length", "withheld": "content_filter"}
    async with opened(world.folder / "tenants.yml", text.TENANTS, at="notice-period", size=NARROW) as page:
        await page.choose(*map(server.source, ("cut", "whole", "withheld")))
        await page.press("f5")
        page.app.clear_notifications()
        yield page


def overview(world: World) -> Any:
    (world.folder / "models").mkdir()
    listed = ["openai:gpt-4.1", "anthropic:claude-sonnet-4", "google:gemini-2.5-flash"]
    (world.folder / "models" / "CORE.json").write_text(json.dumps(listed), "utf-8")
    return opened(world.folder / "rights.yml", text.overview_blueprint(), size=NARROW)


def what_if(world: World) -> Any:
    path = world.folder / "rent.yml"
    beside(path).write_text(WHAT_IF_CASES, "utf-8")
    return opened(path, WHAT_IF, at="ideal", keys=("f5",), size=NARROW)


@asynccontextmanager
async def published(world: World, *, blueprint: str | None = BLUEPRINT) -> AsyncIterator[Page]:
    async with shown(studio_with(published_in(world.folder, blueprint=blueprint))) as page:
        await page.settle()
        await page.until(lambda: len(page.figures) == 2)
        await page.at("notice")
        yield page


def published_alone(world: World) -> Any:
    return published(world, blueprint=None)


def target(world: World) -> Any:
    return opened(world.folder / "march.yml", text.MARCH, at="- $contains: covenant", keys=("f5",), size=NARROW)


class EditorAlone(Alone):
    """The editor in one of the studio's themes, with one mark of each severity, one over two lines, one empty."""

    CSS = "Screen { background: $background; color: $foreground; }"

    def __init__(self) -> None:
        super().__init__(BlueprintEditor())

    def on_mount(self) -> None:
        self.load(text.ASSEMBLY, *text.ASSEMBLY_MARKS)
        self.query_one(BlueprintEditor).focus()

    def load(self, written: str, *marks: tuple[Severity, str, int | None]) -> BlueprintEditor:
        """Show `written`, with marks on these texts, each of its own length or of another."""
        editor = self.query_one(BlueprintEditor)
        editor.load(written)
        spans = ((severity, written.index(on), len(on) if length is None else length) for severity, on, length in marks)
        found = [
            Diagnostic("E1", "a-rule", severity, Span(start, start + length), "Something is wrong.", "Because.")
            for severity, start, length in spans
        ]
        editor.show_diagnostics(editor.revision, found)
        return editor


def editor(world: World) -> Any:
    return shown(EditorAlone(), (64, 18))


async def long_line(page: Page) -> None:
    page.app.load("short: 1\nlong: " + " ".join(f"word{number}" for number in range(40)) + "\n")


async def wrapped_and_selected(page: Page) -> None:
    marks = ((Severity.WARNING, "within a week", None), (Severity.ERROR, "period is set by the lease", None))
    page.app.load(text.LONG_LINES, *marks).select_span(
        Span(text.LONG_LINES.index("else by"), text.LONG_LINES.index("control"))
    )


async def at_the_bracket(page: Page) -> None:
    page.app.load(text.LONG_LINES).go_to(text.LONG_LINES.index("(he"))


async def before_a_check(page: Page) -> None:
    written = text.ASSEMBLY.replace("    - - $icontains: covenant\n", "    - \n")
    page.app.load(written).go_to(written.index("    - \n") + 6)


# --- The table

WALKS: dict[Callable[[World], Any], tuple[State, ...]] = {
    start: (State("start", (), ("New from template",)),),
    folder_named: (State("start_with_a_problem", (), ("This is a folder.",)),),
    read_only: (State("read_only", (), ("Line 1 is not UTF-8",)),),
    example: (
        State("opened", (), ("prompts", "Tenants")),
        State("in_the_problems", ("f3", "down"), ("Problems", "Alternatives of one criterion")),
        State("help", ("f1",), ("Go to this problem",)),
        State("in_the_outline", ("escape", "escape", "f2", "down"), ("prompts",)),
        State("palette", ("escape", "ctrl+p"), ("Choose where answers come from",)),
        State("palette_by_meaning", (*"colour",), ("Switch between dark and light",)),
        State("choosing_answers", ("escape", "f9"), ("Test answers",)),
        State("at_the_first_problem", ("escape", "ctrl+home", "f8"), ("any one of these 2",)),
        State("choosing_a_fix", ("f4",), ("the score stays",)),
        State("run_of_the_ideal", ("escape", "f5", tab("Criteria")), ("way 1 counts", "−50.0")),
        State("arithmetic", ("home", "enter"), ("their mean: 50.0",)),
        State("criteria_zoomed", ("enter", "z"), ("−50.0",)),
        State("answer", ("z", tab("Answer")), ("environmental health",)),
        State("check_never_ran", ("escape", "f8", "f8", "f5", tab("Criteria")), ("could not be checked",)),
        State("graded", ("home", "down", "down", "4", "down", "3"), ("55.0",)),
        State("quitting", ("escape", "x", "ctrl+q"), ("Leave without saving",)),
    ),
    repeated: (
        State("repeated", ("f3", "home"), ("×12", "Enter goes to line 4, 1 of 12")),
        State("repeated_difference", ("a", asked("Applies to 12 of 12")), ("Applies to 12",)),
        State("repeated_changed", ("enter", asked("line 4")), ("line 4",)),
    ),
    judge_choice: (State("choosing_judges", ("ctrl+r", "w"), ("One model alone", "No key: set OPENROUTER_API_KEY")),),
    one_model: (State("before_a_run", ("f5",), ("api.openai.com", "1 request", "Send", "Do not send")),),
    two_models_and_judges: (
        State("before_a_dear_run", ("f5",), ("models.school.example", "RIVER_KEY", "Do not send", "not known")),
    ),
    model_and_service: (State("before_a_run_with_a_service", ("f6",), ("facts.example", "new recipient")),),
    service: (State("before_a_call", ("f5",), ("at facts.example gets the answer",)),),
    service_that_answers: (State("service", ("f5", tab("Criteria")), ("Half ␛[31mof it is so.", "gives 0.5 of 1")),),
    criterion: (
        State("no_criterion", (tab("All answers"),), ("Put the cursor on a criterion",)),
        State("criterion", (at(text.CRITERION), "ctrl+k", "f5"), ("1st wording", "catches 0 of 1 bad")),
        State("side_by_side", ("home", "space", "down", "space"), ("⟦protected⟧", "⟦deposit⟧")),
        State(
            "criterion_reworded",
            ("escape", "escape", text.shortened, "ctrl+k", "f5", "down", "3"),
            ("2nd wording", "requests, $0 so far", "↓"),
        ),
    ),
    criterion_elsewhere: (
        State("before_a_criterion", ("ctrl+k", "f5"), ("Judge this criterion", "Rewordings go to the same judges")),
    ),
    matrix: (
        State("matrix", (tab("Criteria"), "g"), ("all pass 1 criterion and all fail 0, of 7 that are judged for all",)),
        State("matrix_of_criteria", ("down", "right", "tab"), ("▸▾ 0 none", "prescribed information")),
        State("matrix_of_differences", ("d",), ("difference", "+33.3")),
    ),
    second_run: (
        State("matrix_of_two_runs", (tab("Criteria"), "g", "c", "enter"), ("each less the runs before these", "−16.7")),
    ),
    two_runs: (
        State(
            "comparison",
            ("down", "c"),
            ("+16.7 both", "old answer on the new rubric 33.3", "0.0 new", "{+monthly, in advance+}"),
        ),
    ),
    judged_answers: (
        State("grading_blind", (at("Says that"), "ctrl+k", "h", *"4n"), ("answer 3", "verdicts are hidden", "you 4")),
        State("graded_blind", (*"5n5", "h"), ("Graded blind: the judges agree", "gpt-1")),
    ),
    judges: (
        State("verdicts_arriving", (), ("waiting for more judges", "Named in so")),
        State("two_judges", (all_judged,), ("judges",)),
        State("judges_that_declined", (selected("point:3"),), ("declined to judge",)),
    ),
    tools: (State("tools", (tab("Criteria"), selected("call:0")), ("does not meet $tool_args_match",)),),
    talk: (
        State("thread_that_grows", (), ("being generated", "to be generated")),
        State(
            "thread_of_turns",
            (all_said, turn(2), "e", *typed("Since when? And does the water run warm?")),
            ("edited by you", "generated"),
        ),
    ),
    markdown: (
        State("answer_with_evidence", (tab("Criteria"), "down", tab("Answer")), ("⟦", "☑")),
        State("editing_an_answer", ("e",), ("Edit the answer",)),
        State("edited_answer", typed("It is 30 days."), ("edited by you",)),
    ),
    week_of_runs: (
        State("history", (at("notice-period"), tab("Answer"), "r"), ("gpt-4o-mini",)),
        State("history_failed", ("down", "down", "down"), ("too many requests (429)",)),
        State("earlier_run", ("end", "enter"), ("it scored 50.0 then",)),
    ),
    cut_runs: (State("history_of_cut_answers", (at("notice-period"), tab("Answer"), "r", "down"), ("withheld",)),),
    cut_answers: (State("cut_answer", (tab("Criteria"), "home"), ("cut off", "withheld")),),
    overview: (
        State("file_before_a_run", (tab("Criteria"),), ("no score yet", "F6 runs all prompts with the ideal")),
        State("file", ("f6",), ("from 5 of 6 prompts with the ideal", "−12.5")),
        State("arithmetic_of_the_file", ("home", "enter"), ("the mean of 5 scores by weight",)),
    ),
    what_if: (State("what_if", (tab("Criteria"), "i", "5", "right", "down", "l", "down"), ("lease",)),),
    published: (
        State("published", (tab("Criteria"),), ("Says who pays",)),
        State("published_point", ("down",), ("Only in passing.",)),
        State("published_answer", (tab("Answer"),), ("two weeks",)),
    ),
    published_alone: (State("published_alone", (tab("Criteria"),), ("rebuilt from",)),),
    target: (State("target", (tab("Criteria"), "t", *"60", "enter"), ("expected 60",)),),
    editor: (
        State("marks", ("down", "down", "end", "shift+home"), ("temperatures: [0.0, 0.7]",)),
        State("find_bar", ("ctrl+f", *"ma", "down"), ("ma",)),
        State("long_line", ("escape", long_line, "f10", "down", "end"), ("word39",)),
        State("wrapped_lines", ("f10", wrapped_and_selected), ("within a week",)),
        State("bracket", (at_the_bracket,), ("(he told me so",)),
        State("completions", (before_a_check, *"$mat", "down", "down", "down"), ("$matches",)),
    ),
}
SVG = {
    "opened", "choosing_a_fix", "graded", "marks", "wrapped_lines", "completions", "criterion_reworded", "matrix",
    "comparison", "side_by_side", "thread_of_turns",
}  # fmt: skip
"""The states that are SVGs as well, with the colours as they are."""


def sizes_of(opening: object) -> tuple[tuple[int, int], ...]:
    return ((64, 18),) if opening is editor else SIZES


def name_of(size: tuple[int, int]) -> str:
    return f"{size[0]}×{size[1]}"


async def drawn(page: Page, size: tuple[int, int], *shows: str) -> list[str]:
    """The picture at this size, in which all of `shows` are seen."""
    if page.app.size != size:
        await page.pilot.resize_terminal(*size)
    await page.see(*shows)
    return picture(page.app)


@pytest.mark.parametrize("opening", WALKS, ids=lambda each: each.__name__)
async def test_pictures(opening: Callable[[World], Any], world: World, snapshot: SnapshotAssertion) -> None:
    """The first size is the one at which all that must be seen is there; it ends in the last one."""
    updates = snapshot.session.update_snapshots
    told: list[str] = []
    async with opening(world) as page:
        if page.has_file:  # a run may be held
            await page.until(page.screen.filled.is_set)
        for state in WALKS[opening]:
            for step in state.steps:
                await (page.pilot.press(step) if isinstance(step, str) else step(page))
                await (page.settle() if page.has_file else page.pilot.pause())
            whole, *others = sizes_of(opening)
            found = {name_of(whole): await drawn(page, whole, *state.shows)}
            found |= {name_of(size): await drawn(page, size) for size in others}
            if updates:
                keep(state.name, found)
            told += [f"{state.name}, {row}" for row in differences(kept(state.name), found)]
            if state.name in SVG:
                svg = page.app.export_screenshot(simplify=True)
                assert svg == snapshot(name=state.name, extension_class=SVGImageExtension)
    assert told == [], "\n".join(told)


@pytest.mark.parametrize("opening", [example, overview, week_of_runs, markdown], ids=lambda each: each.__name__)
async def test_another_theme_moves_nothing(opening: Callable[[World], Any], world: World) -> None:
    async with opening(world) as page:
        await page.settle()
        await page.press("f6")
        await page.show("Criteria")
        await page.see()
        dark = page.lines
        page.app.theme = LIGHT
        await page.see()
        assert page.lines == dark


def test_there_is_a_picture_of_each_state_and_no_other() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {
        "next_step",
        *(state.name for walk in WALKS.values() for state in walk),
    }
