"""Canary keys, planted wherever the studio takes a key, are looked for in all that it puts out.

The servers send everything back that they are sent, in the answer, in errors, in redirects and headers, escaped,
encoded, in part and in pieces (`tests/fire/echo_server.py`). What is searched: all that the commands print, in every
format, and write; pictures and texts of the screens; what is copied; what a real terminal is sent, up to the report of
a fault; and the commands and environments of child processes. Linux only for those; a real terminal needs tmux.
"""

from __future__ import annotations

import asyncio
import random
import traceback
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from studio.cli import main
from studio.faults import masked
from tests.fire import canary_screens
from tests.fire.canaries import MODELS, Found, Planted, blueprint, environment, leaks, planted
from tests.fire.echo_server import MODES, running
from tests.fire.figures import Figures

ROUNDS = 3
"""How often everything is put out, each time with new keys."""
TROUBLED = ("own:proxied", "own:absent", "own:malformed", "own:unset", "own:nothing")
"""Models that cannot be asked, each for another reason."""
SHOWN = ("an answer", "401", "facts of an answer")
"""How servers answer while screens are looked at."""
FORMATS = ("text", "json", "github", "sarif")
REPORTS = ("html", "markdown", "json")


def run(seed: int, rounds: int) -> Figures:
    """Put everything out `rounds` times, with keys that `seed` makes."""
    printed, written = Found("printed by commands"), Found("written: results, database, journals, settings, names")
    pictures, copied = Found("pictures and texts of the screens"), Found("copied, and the title")
    sent, told = Found("sent to a real terminal, with reports of faults"), Found("told to child processes")
    chance = random.Random(seed)
    for number in range(rounds):
        for mode in MODES:
            command_line(mode, chance, printed, written)
        for mode in SHOWN:
            screens(mode, chance, pictures, copied, written)
        real_terminal(number, chance, sent, told, written)
    rows = (printed, written, pictures, copied, sent, told)
    return Figures("canary_keys", seed, rounds, tuple(each.figure for each in rows))


def command_line(mode: str, chance: random.Random, printed: Found, written: Found) -> None:
    """Run every command against a server that answers in this way, and search what is printed and written."""
    with TemporaryDirectory() as name, running(MODES[mode], chance) as host:
        keys = planted(host, chance)
        folder = Path(name)
        with environment(keys.variables, folder / "home"):
            for arguments, output in outputs(folder, host, keys):
                printed.search(keys.canaries, output, f"{mode}: studio {' '.join(arguments)}".replace(name, ""))
        search_files(folder, keys, mode, written)


def outputs(folder: Path, host: str, keys: Planted) -> Iterator[tuple[tuple[str, ...], str]]:
    """What each command prints, on both streams."""
    file, out = blueprint_in(folder, host), folder / "out.json"
    for arguments in commands(file, out, host, keys):
        if arguments[0] not in ("explain", "report", "compare") or Path(arguments[1]).exists():
            yield arguments, _printed(arguments)


def commands(file: Path, out: Path, host: str, keys: Planted) -> Iterator[tuple[str, ...]]:
    """Every command that may show a key, with its formats."""
    run = ("run", str(file))
    allowed = ("--allow-host", host, "--allow-host", "127.0.0.1:9", "--allow-private")
    asked = (word for model in MODELS for word in ("--model", model))
    written = ("--json", str(out), "--record", str(out.with_suffix(".yml")))
    yield (*run, *asked, "--judge", "configured", *allowed, *written)
    yield from (("explain", str(out), "--format", form) for form in ("text", "json"))
    yield from (("report", str(out), "--format", form) for form in REPORTS)
    yield from ((*run, "--prompt", "bare", "--model", model, "--judge", "configured") for model in TROUBLED)
    yield (*run, "--ideal", *allowed)
    password = keys.variables["URL_PASSWORD"]
    given = ("--base-url", f"http://me:{password}@{host}/v1", "--model", "any")
    yield (*run, *given)
    yield (*run, *given, "--dry-run")
    yield (*run, "--model", MODELS[0], "--judge", "configured", "--dry-run", *allowed)
    yield ("explain", str(file), "--prompt", "asked", "--ideal", "--format", "json")
    yield from (("report", str(file), "--format", form) for form in REPORTS)
    yield ("report", str(file), "--out", str(out.with_suffix(".html")))
    yield from (("review", str(file), "--format", form) for form in ("text", "markdown", "json"))
    yield from (("compare", str(out), "--format", form) for form in ("text", "json"))
    yield from (("diff", str(file), str(file)), ("test", str(file)), ("grading", str(file)))
    yield ("draft", str(file), "--prompt", "bare")
    yield from (("check", str(file), "--format", form) for form in FORMATS)
    yield from (("parse", str(file)), ("models",), ("check", str(file), "--for", "weval", "--diff"))


def _printed(arguments: tuple[str, ...]) -> str:
    done = CliRunner().invoke(main, list(arguments))
    fault = ""
    if done.exc_info is not None and not isinstance(done.exception, SystemExit | None):
        fault = masked("".join(traceback.format_exception(*done.exc_info)))
    return f"{done.stdout}\n{done.stderr}\n{fault}"


def screens(mode: str, chance: random.Random, pictures: Found, copied: Found, written: Found) -> None:
    """Walk through the application, and search its pictures, its copies and its files."""
    with TemporaryDirectory() as name, running(MODES[mode], chance) as host:
        keys, folder = planted(host, chance), Path(name)
        with environment(keys.variables, folder / "home"):
            asyncio.run(canary_screens.walk(blueprint_in(folder, host), keys, mode, pictures, copied))
        search_files(folder, keys, mode, written)


def real_terminal(number: int, chance: random.Random, sent: Found, told: Found, written: Found) -> None:
    """Walk through the studio in a real terminal, and let it fail at a place of `number`."""
    with TemporaryDirectory() as name, running(MODES["an answer"], chance) as host:
        keys, folder = planted(host, chance), Path(name)
        file = blueprint_in(folder, host)
        canary_screens.in_terminal(file, folder / "home", keys, sent, told)
        canary_screens.fail(canary_screens.PLACES[number % len(canary_screens.PLACES)], file, folder, keys, sent)
        search_files(folder, keys, "in a terminal", written)


def blueprint_in(folder: Path, host: str) -> Path:
    """The file of the blueprint, written to `folder`."""
    file = folder / "canaries.yml"
    file.write_text(blueprint(host), "utf-8")
    return file


def search_files(folder: Path, keys: Planted, what: str, written: Found) -> None:
    """Search all files below `folder`, and their names."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            written.search(keys.canaries, path.read_bytes(), f"{what}: {path.relative_to(folder)}")
        written.leaks += leaks(keys.canaries, str(path.relative_to(folder)), f"{what}: the name of a file")
