"""The pictures of the screens: one table of states, with the keys that lead to each and what must be seen in it.

A state is drawn at three sizes, as text with the names of styles (`screens/`); a dozen are SVGs as well. Changed
pictures are looked at and recorded with `pytest tests/studio/test_pictures.py --snapshot-update`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pytest_httpserver import HTTPServer
from pytest_textual_snapshot import SVGImageExtension
from ruamel.yaml import YAML
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
from tests.studio.driving import LARGE, NARROW, SECONDS, WIDE, Page, opened, studio_on
from tests.studio.driving.alone import Alone
from tests.studio.histories import IDEAL, MODEL, NOW, ran
from tests.studio.model_server import ModelServer, verdict
from tests.studio.pictures import FOLDER, differences, keep, kept, painting, picture
from tests.studio.published import BLUEPRINT, published_in, studio_with

Step = str | Callable[[Page], Awaitable[object]]
SIZES = (LARGE, WIDE, NARROW)


class State(NamedTuple):
    """A state that is drawn: its name, what leads to it from the state before, and words that must be seen in it."""

    name: str
    steps: Sequence[Step]
    shows: Sequence[str]


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


# --- Openings


@asynccontextmanager
async def shown(app: Any, size: tuple[int, int] = NARROW) -> AsyncIterator[Page]:
    async with app.run_test(size=size) as pilot:
        yield Page(app, pilot)


def example(world: World) -> Any:
    return shown(Studio(new_file(Path(EXAMPLE.file), read(EXAMPLE.file))))


def mended(world: World) -> Any:
    return example(world)


def run(world: World) -> Any:
    return example(world)


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
    return opened(world.folder / "rights.yml", text.SIX_PROMPTS, size=NARROW)


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


def steps_of(written: str | dict[str, Any]) -> Iterator[Step]:
    """The steps that are written so in `pictures.yml`."""
    match written:
        case str():
            yield written
        case {"type": letters}:
            yield from letters
        case {"write": answer}:
            yield from ("ctrl+a", "delete", *answer, "ctrl+s")
        case {"do": name}:
            yield (vars(text) | globals())[name]
        case _:
            ((how, what),) = written.items()
            yield STEPS[how](what)


STEPS: dict[str, Callable[[Any], Step]] = {"at": at, "tab": tab, "select": selected, "turn": turn, "asked": asked}
WALKS = {
    globals()[opening]: [
        State(each["name"], [step for written in each.get("steps", ()) for step in steps_of(written)], each["shows"])
        for each in states
    ]
    for opening, states in YAML(typ="safe").load(Path(__file__).with_name("pictures.yml").read_text("utf-8")).items()
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


STILL = 10
"""How often a picture is the same before it is taken for the last one."""


async def drawn(page: Page, size: tuple[int, int], wanted: list[str], *shows: str) -> list[str]:
    """The picture at this size: the one that is wanted, or the one that stands still, in which `shows` are seen."""
    if page.app.size != size:
        await page.pilot.resize_terminal(*size)
    found, times, ends = picture(page.app), 0, time.monotonic() + SECONDS
    with painting():
        while found != wanted and times < STILL and time.monotonic() < ends:
            for each in page.app.screen.walk_children(with_self=True):  # a list that nobody saw lays its rows out
                each.refresh(layout=True)
            await page.pilot.pause(0.05)
            before, found = found, picture(page.app)
            is_seen = all(any(text in row for row in found) for text in shows)
            times = times + 1 if is_seen and found == before else 0
    assert [text for text in shows if not any(text in row for row in found)] == []
    return found


@pytest.mark.parametrize("opening", WALKS, ids=lambda each: each.__name__)
async def test_pictures(opening: Callable[[World], Any], world: World, snapshot: SnapshotAssertion) -> None:
    """The first size is the one at which all that must be seen is there; it ends in the last one."""
    updates = snapshot.session.update_snapshots
    told: list[str] = []
    async with opening(world) as page:
        if page.has_file:  # a run may be held
            await page.until(page.screen.filled.is_set)
        for state in WALKS[opening]:
            with painting():
                for step in state.steps:
                    await (page.pilot.press(step) if isinstance(step, str) else step(page))
                    await (page.settle() if page.has_file else page.pilot.pause())
            wanted, found = kept(state.name), {}
            for size in sizes_of(opening):
                shows = () if found else state.shows
                found[name_of(size)] = await drawn(page, size, wanted.get(name_of(size), []), *shows)
            if updates:
                keep(state.name, found)
            told += [f"{state.name}, {row}" for row in differences(wanted, found)]
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
