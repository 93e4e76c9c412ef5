"""The attacks under `tests/fire` run by name, notice what they look for, and find nothing in a small part of a run."""

from __future__ import annotations

import asyncio
import base64
import html
import json
import os
import random
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from urllib.parse import quote

import pytest

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.point_function import Subject
from engine.functions.tasks import RegexTask
from engine.functions.v8 import JavaScript
from engine.models.secret import Secret
from engine.text.spans import Span, TextEdit
from tests.fire import __main__ as fire
from tests.fire import (
    canary_keys,
    event_streams,
    fixtures,
    held,
    json_bodies,
    judge_replies,
    large,
    latency,
    result_files,
    soak,
    texts,
)
from tests.fire.canaries import Canary, Found, Planted, canary, leaks
from tests.fire.figures import Figure, Figures
from tests.fire.held import MEGABYTE, Held
from tests.fire.hostile_texts import HostileText, hostile_text
from tests.fire.large import Cost
from tests.fire.large_texts import SHAPES
from tests.fire.latency import Seen
from tests.fire.soak_author import PROMPTS, Servers, blueprint
from tests.fire.texts import TextReader, wrong_edits
from tests.loop_io import watched_loop
from tests.many_cases import every
from tests.terminal import needs_tmux
from tests.thoroughness import tried

ROOT = Path(__file__).parents[1]
needs_processes = pytest.mark.skipif(not Path("/proc/self").exists(), reason="no processes are shown under /proc")
needs_costs = pytest.mark.skipif(sys.platform == "win32", reason="os.wait4 of POSIX")


def missed(figures: Figures) -> list[Figure]:
    return [row for row in figures.rows if row.met is False]


# --- Harnesses


def harness(*, met: bool | None) -> ModuleType:
    made = ModuleType("harness")
    made.__dict__.update(
        ROUNDS=7, run=lambda seed, rounds: Figures("harness", seed, rounds, (Figure("all", "0 lost", "0 lost", met),))
    )
    return made


def test_every_harness_says_how_often_it_runs() -> None:
    assert all(module.ROUNDS > 0 for module in fire.harnesses().values())


@pytest.mark.parametrize(("given", "rounds"), [(None, 7), (2, 2)])
def test_a_harness_runs_with_the_rounds_given_or_its_own(given: int | None, rounds: int) -> None:
    (figures,) = fire.run({"harness": harness(met=True)}, 3, given)
    assert (figures.seed, figures.rounds) == (3, rounds)


@pytest.mark.parametrize(("met", "code", "told"), [(True, 0, "yes"), (None, 0, ""), (False, 1, "NO")])
def test_a_missed_figure_is_told_and_is_the_exit_code(
    met: bool | None, code: int, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fire, "harnesses", lambda: {"harness": harness(met=met)})
    assert fire.main(["harness", "--seed", "5"]) == code
    assert f"| harness | 5 | 7 | all | 0 lost | 0 lost | {told} |" in capsys.readouterr().out


def test_an_unknown_name_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        fire.main(["nothing"])
    assert "no harness nothing" in capsys.readouterr().err


def test_v8_is_noticed_on_the_event_loop_alone() -> None:
    async def on_the_loop(javascript: JavaScript) -> None:
        functions.run([FunctionCall("matches", "^z")], Subject("z"), javascript)

    with JavaScript() as javascript, watched_loop() as seen:
        asyncio.run(asyncio.to_thread(javascript.run, [RegexTask("a", "", "a")]))
        assert seen == []
        asyncio.run(on_the_loop(javascript))
        assert any("V8" in line for line in seen)


# --- Readers


@pytest.mark.parametrize(
    "attack", [judge_replies, event_streams, json_bodies, fixtures, result_files], ids=lambda attack: attack.__name__
)
def test_no_input_breaks_a_reader(attack: ModuleType) -> None:
    assert missed(attack.run(0, tried(60, 200))) == []


def made(seed: int, count: int) -> list[HostileText]:
    return [hostile_text(random.Random(f"{seed} {number}"), has_fixes=number % 10 == 0) for number in range(count)]


@pytest.mark.parametrize("seed", range(1, tried(2, 4)))
def test_hostile_texts_are_read_checked_shown_and_fixed(seed: int) -> None:
    # A machine that is busy with something else disturbs one measurement of time, not two.
    assert any(missed(texts.run(seed, tried(40, 100))) == [] for _ in range(2))


def test_a_step_that_takes_too_long_is_objected_to_and_misses_a_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fire.texts.LIMIT", 0.0)
    monkeypatch.setattr("tests.fire.texts._SHORT", 0.0)
    assert "malformed results" in {row.what for row in missed(texts.run(1, 1))}


def test_control_characters_in_a_report_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.cli.check_text.visible", lambda text: text)
    hostile = HostileText("escape", "- id: a\n  prompt: b\n  \x1b[2J: c\n", Path("\x1b.yml"), has_fixes=False)
    with TextReader() as reader:
        assert "the report as text holds raw control characters" in reader.objections(hostile)


@pytest.mark.thorough
def test_another_process_makes_the_same_texts() -> None:
    """Hashes differ from process to process, so no order may depend on them: a failure is repeated by its number."""
    script = "from tests.test_fire import made\nprint(ascii(made(3, 60)))"
    hashed = dict(os.environ, PYTHONHASHSEED="1")
    done = subprocess.run([sys.executable, "-c", script], env=hashed, cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.decode("ascii").strip() == ascii(made(3, 60)) != ascii(made(4, 60))


def test_every_kind_of_text_is_made() -> None:
    assert len({each.kind.removeprefix("large ") for each in made(1, 1500)}) == 9


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([TextEdit(Span(3, 9), "")], "outside"),
        ([TextEdit(Span(0, 1), ""), TextEdit(Span(0, 3), "")], "overlap"),
        ([TextEdit(Span(2, 2), "x")], "splits"),
    ],
)
def test_edits_at_wrong_places_are_noticed(edits: list[TextEdit], words: str) -> None:
    (what,) = wrong_edits("a\r\nb", edits, "fix")
    assert words in what


# --- Large files, and keys in a terminal

CHEAP = Cost("check", 0.1, 0.1, 50.0, 0, False)
MEASURING = """
import sys, pathlib
from tests.fire.large import measured
cost = measured(sys.argv[1], pathlib.Path(sys.argv[2]))
print(cost.code, cost.is_met)
"""


@needs_costs
@pytest.mark.thorough
def test_a_million_items_in_brackets_are_refused_in_time(tmp_path: Path) -> None:
    file = tmp_path / "large.yml"
    large.written("a flow list", 1_000_000, file)
    # In a small process: a child of this one would begin with the peak of its memory.
    arguments = [sys.executable, "-c", MEASURING, "check", str(file)]
    done = subprocess.run(arguments, cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == "2 True\n"


@every(
    "cost",
    [
        Cost("check", 9.0, 5.1, 50.0, 0, False),
        Cost("check", 0.1, 0.1, 301.0, 0, False),
        Cost("check", 0.1, 0.1, 50.0, -9, False),
        Cost("check", 0.1, 0.1, 50.0, 1, True),
    ],
)
def test_a_file_that_is_too_dear_is_told(cost: Cost) -> None:
    assert large.figure("tabs", [CHEAP, cost, CHEAP]).met is False
    assert large.summary(246, 1).met is False


def test_a_shape_is_tried_beyond_the_limits_and_within_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "written", lambda name, entries, file: entries or 7)
    rows = list(large.rows(["tabs"], 1, lambda command, file: CHEAP))
    assert [(row.what, row.met) for row in rows] == [("tabs, 1,000,000 entries", True), ("tabs, 7 entries", True)]


@every(
    ("seen", "met"),
    [
        (Seen(1.0, (5.0, 100.0), 1000.0, 90.0), True),
        (Seen(5.1, (5.0,), 200.0, 90.0), False),
        (Seen(1.0, (5.0, 101.0), 200.0, 90.0), False),
        (Seen(1.0, (5.0,), 1001.0, 90.0), False),
        (Seen(1.0, (5.0,), 200.0, 301.0), False),
    ],
)
def test_one_late_key_misses_the_figure_of_a_file(seen: Seen, met: bool) -> None:
    assert seen.is_met is met


def test_keys_are_pressed_in_texts_and_shapes_that_exist() -> None:
    written = [each.text for each in latency.situations() if each.large is None]
    assert {text.splitlines()[latency.TYPED_ROW - 1] for text in written} == {"  prompt: Say it"}
    assert all(each.large is None or each.large[0] in SHAPES for each in latency.situations())


@needs_tmux
@pytest.mark.thorough
def test_keys_are_answered_in_a_small_file_in_a_terminal() -> None:
    (small,) = (each for each in latency.situations() if each.name == "300 points")
    seen = latency.measured(small, random.Random(0), 1)
    assert len(seen.keys) == 4 + 2 + 1
    assert 10 < seen.megabytes < large.MEGABYTES


# --- Canaries

CANARY = Canary("OPENAI_API_KEY", 'sk-7Hq2+/x&"<Zk40vW9pLmT1', '7Hq2+/x&"<Zk40vW9pLmT1')
FORMS: dict[str, Callable[[str], str | bytes]] = {
    "as it is": str,
    "as bytes": str.encode,
    "its beginning": lambda key: key[:14],
    "its end": lambda key: key[-8:],
    "backwards": lambda key: key[::-1],
    "in a URL": lambda key: quote(key, safe=""),
    "in JSON in JSON": lambda key: json.dumps(json.dumps(key)),
    "in HTML": html.escape,
    "in Base64": lambda key: base64.b64encode(f"me:{key}".encode()).decode(),
    "in Base64 for URLs": lambda key: base64.urlsafe_b64encode(f"Bearer {key}".encode()).decode(),
    "in hexadecimal digits": lambda key: key.encode().hex(),
    "in UTF-16": lambda key: key.encode("utf-16-le"),
    "wrapped": lambda key: f"{key[:6]}  │\n│  {key[6:]}",
    "in spans of a picture": lambda key: "".join(f'<tspan x="1">{html.escape(each)}</tspan>' for each in key),
    "in colours of a terminal": lambda key: "".join(f"\x1b[38;2;1;2;3m{each}\x1b[0m" for each in key),
}


@every("form", FORMS.values())
def test_a_canary_is_found_in_this_form(form: Callable[[str], str | bytes]) -> None:
    written = form(CANARY.value)
    around: str | bytes = b"see " if isinstance(written, bytes) else "see "
    assert leaks([CANARY], around + written, "it")  # type: ignore[operator]


@every("text", ["sk-7Hq2+/x and 1TmLp9W", canary("other", random.Random(1)).value])
def test_seven_characters_or_another_canary_are_no_leak(text: str) -> None:
    assert leaks([CANARY], text, "it") == []


def test_nothing_searched_is_no_success() -> None:
    assert Found("nothing").figure.met is False


def one_command(file: Path, _out: Path, _host: str, _keys: Planted) -> Iterator[tuple[str, ...]]:
    yield ("run", str(file), "--prompt", "bare", "--model", "own:headers", "--model", "own:basic")


def searched(monkeypatch: pytest.MonkeyPatch, mode: str) -> list[Found]:
    """What was found in one command's output and files, with a server that answers in this way."""
    monkeypatch.setattr(canary_keys, "commands", one_command)
    printed, written = Found("printed"), Found("written")
    canary_keys.command_line(mode, random.Random(7), printed, written)
    return [printed, written]


@pytest.mark.parametrize("mode", ["401", "an answer cut off", "a redirect"])
def test_a_command_shows_and_writes_no_key(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [each.leaks for each in searched(monkeypatch, mode)] == [[], []]


def test_keys_that_are_not_masked_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Secret, "scrub", lambda _, text: text)
    monkeypatch.setattr(Secret, "scrub_parts", lambda _, text: text)
    assert all(each.leaks for each in searched(monkeypatch, "401"))


# --- What a soak measures; `tests/studio/test_memory.py` has the leaks that it found


@pytest.mark.parametrize(
    ("curve", "met"), [((100, 97), True), ((100, 110), True), ((100, 111), False), ((100, 140, 101), True)]
)
def test_memory_may_grow_by_ten_megabytes_in_the_end(curve: tuple[int, ...], met: bool) -> None:
    assert soak.memory_figure([each * MEGABYTE for each in curve]).met is met


def test_what_there_is_more_of_is_told() -> None:
    figure = soak.counts_figure("left", Held(1, 5, 0, 9, 3).more_than(Held(1, 5, 1, 7, 2)), "two sockets")
    assert figure.met is False
    assert figure.result == "descriptors 7 → 9, tasks 2 → 3 (two sockets)"


@needs_processes
async def test_what_is_left_is_noticed() -> None:
    before, end = held.of_this_process(), threading.Event()
    thread, task = threading.Thread(target=end.wait), asyncio.create_task(asyncio.sleep(60))
    thread.start()
    with socket.socket():
        more = held.of_this_process().more_than(before)
    end.set()
    thread.join()
    task.cancel()
    counts = {"threads": before.threads, "descriptors": before.descriptors, "tasks": before.tasks}
    assert more == ", ".join(f"{name} {count} → {count + 1}" for name, count in counts.items())


LEAVES_ONE_BEHIND = """
import subprocess, sys, time
from tests.fire import held
held.adopt()
leaves = "import subprocess; print(subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL).pid)"
left = int(subprocess.run([sys.executable, "-c", leaves], stdout=subprocess.PIPE).stdout)
print(held.children_of(__import__("os").getpid()) == (left,))
__import__("os").kill(left, 9)
"""


@needs_processes
def test_a_process_that_a_child_leaves_behind_is_noticed() -> None:
    done = subprocess.run([sys.executable, "-c", LEAVES_ONE_BEHIND], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_the_text_of_the_author_has_the_places_that_the_steps_look_for() -> None:
    text = blueprint("Bread", Servers("http://quick/v1", "http://slow/v1", "http://absent/v1"))
    assert all(f"Say word {number}, please." in text and f"Names word {number}" in text for number in range(PROMPTS))
    assert "ideal: It is word1, and word1." in text
