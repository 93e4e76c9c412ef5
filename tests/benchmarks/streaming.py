"""What the interface does while four responses stream into it, 200 tokens a second each."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.model_server import Pace, running
from tests.benchmarks.table import Row, row
from tests.benchmarks.window import Window
from tests.studio.driving import analysis_of, is_ready, runs_of

RESPONSES = 4
TOKENS = 2000
PACE = 0.005
"""Seconds between two tokens of one response."""
FRAME = 16
"""Milliseconds that a frame may take."""


def measure() -> Iterator[Row]:
    """Frames, and all that keeps the screen waiting, in a real terminal; beside them what typing alone needs."""
    of = f"{RESPONSES} × {1 / PACE:.0f} tokens a second"
    with TemporaryDirectory() as name, ExitStack() as stack:
        home = Path(name)
        url = stack.enter_context(running(Pace(0.0, 0.0, PACE, TOKENS)))
        file = home / "streaming.yml"
        file.write_text(_blueprint(url), "utf-8")
        out = home / "out.json"
        command = [sys.executable, "-m", "tests.benchmarks.streaming", str(file), str(out)]
        with Window(command, home) as window:
            window.start()
            deadline = time.monotonic() + 120
            while not out.exists():
                if time.monotonic() > deadline:
                    raise RuntimeError(f"no figures; on the screen:\n{window.screen()}")
                time.sleep(0.2)
        figures = json.loads(out.read_text("utf-8"))
    yield row("frames: while nothing runs", "one key a frame", "ms", figures["typing"])
    yield row("frames: responses stream in", of, "ms", figures["frames"], (FRAME, FRAME))
    yield row("busy: responses stream in", of, "ms", figures["busy"], (FRAME, FRAME))


def _blueprint(url: str) -> str:
    models = [
        {"id": f"own:m{number}", "url": f"{url}/chat/completions", "modelName": f"m{number}", "inherit": "openai"}
        for number in range(RESPONSES)
    ]
    points = [f"Tells of matter {number}" for number in range(10)]
    prompts = [{"id": f"p{number}", "prompt": "Tell me.", "should": points} for number in range(50)]
    lines = "\n".join(f"- {json.dumps(prompt)}" for prompt in prompts)
    return f"models: {json.dumps(models)}\n---\n{lines}\n"


def _play(file: Path, out: Path) -> None:
    """Run the studio on `file`, type, let all models answer, and write how long each frame took to `out`."""
    import asyncio
    import os

    os.environ["TEXTUAL_FPS"] = "120"  # read when Textual is imported
    from textual.screen import Screen

    from engine.evaluation.sources import ModelSource
    from engine.files.open_files import open_file
    from studio.session.run_configuration import AnswerChoice
    from studio.tui.app import Studio
    from studio.tui.screens.blueprint_screen import BlueprintScreen
    from studio.tui.screens.side import RESPONSE

    painted = False
    frames: list[float] = []
    busy: list[float] = []
    run, refresh = asyncio.Handle._run, Screen._compositor_refresh  # pyright: ignore[reportAttributeAccessIssue]

    def timed_refresh(screen: Screen[object]) -> None:
        nonlocal painted
        painted = True
        refresh(screen)

    def timed_run(handle: asyncio.Handle) -> None:
        nonlocal painted
        painted = False
        began = time.perf_counter()
        run(handle)
        took = (time.perf_counter() - began) * 1000
        busy.append(took)
        if painted:
            frames.append(took)

    asyncio.Handle._run = timed_run  # pyright: ignore[reportAttributeAccessIssue]
    Screen._compositor_refresh = timed_refresh  # pyright: ignore[reportAttributeAccessIssue]

    async def drive(app: Studio) -> None:
        screen = app.screen
        while not (isinstance(screen, BlueprintScreen) and is_ready(screen) and screen.side_filled.is_set()):
            await asyncio.sleep(0.05)
            screen = app.screen
        await asyncio.sleep(2)
        screen.editor.go_to(analysis_of(screen).parsed.text.index("Tell me."))
        frames.clear()
        for _ in range(50):
            screen.editor.insert("x")
            await asyncio.sleep(0.05)
        typing = list(frames)
        await asyncio.sleep(1)
        runs_of(screen).configuration.answers = AnswerChoice(
            tuple(ModelSource(f"own:m{number}") for number in range(RESPONSES))
        )
        screen.show_tab(RESPONSE)
        await asyncio.sleep(0.5)
        screen.action_run()
        while not runs_of(screen).queue.is_running:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.5)
        frames.clear()
        busy.clear()
        while runs_of(screen).queue.is_running:
            await asyncio.sleep(0.05)
        figures = {"typing": typing, "frames": list(frames), "busy": [each for each in busy if each > 1]}
        staged = out.with_suffix(".part")
        staged.write_text(json.dumps(figures), "utf-8")
        staged.rename(out)
        app.exit()

    app = Studio(open_file(file))
    app.call_later(lambda: app.run_worker(drive(app)))
    app.run()


if __name__ == "__main__":
    _play(Path(sys.argv[1]), Path(sys.argv[2]))
