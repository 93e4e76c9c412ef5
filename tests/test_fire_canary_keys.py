"""The search for canary keys finds them however they are written, and a small part of the harness finds none."""

from __future__ import annotations

import base64
import html
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from engine.models.secret import Secret
from tests.fire import canary_keys
from tests.fire.canaries import Canary, Found, canary, leaks
from tests.fire.planted import Planted
from tests.many_cases import every

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


def test_seven_characters_are_no_leak() -> None:
    assert leaks([CANARY], "sk-7Hq2+/x and 1TmLp9W", "it") == []


def test_another_canary_is_no_leak() -> None:
    assert leaks([CANARY], canary("other", random.Random(1)).value, "it") == []


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
