"""Cases of the command line, in `command_cases/NAME.txt`: what is typed, and below it what is printed.

What stands above the first case is there for all of a file. A case begins with `## WORDS`; its steps are:

- `-- NAME --`: the file NAME is written, in the folder of the case or, behind `~/`, in the home of the program, with
  the lines up to the next step. `‹U+0020›` in them is that character, `‹end›` the end without a last line break.
- `-- NAME < OTHER --`: as OTHER, with changes: a line `OLD => NEW` for each, in which `⏎` is a line break.
- `-- server --`: what a server at `localhost:PORT` says to the models of OpenAI: lines `REGEX => ANSWER`, of which the
  first counts that finds path, model, temperature, limit of tokens or last message. An ANSWER `{…}` is sent as it
  stands, `404` as an error, `{"400": …}` as this one, and one behind `(length)` ends for that reason.
- `$ ARGUMENTS`: `studio` with these. `< FILE` is its standard input. Behind ` | ` stands what is shown of the output:
  `exit` nothing, `out` or `err` one stream, `grep REGEX` lines, `head N` lines, `json PATH` parts of its JSON, as in
  `cases/*/state`.
- `$ cat FILE`, `$ rm FILE`, `$ cd FOLDER`, `$ set NAME=VALUE`; `$ asked`: what came to the server since, sorted.

What is printed is written by `--snapshot-update`: `>` on stdout, `!` on stderr, `=` the exit code unless it is 0.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.text.spans import visible
from studio.cli import main
from tests.engine.short_cases import text_of

FILES = sorted(Path(__file__).with_suffix("").glob("*.txt"))

_STEP = re.compile(r"^(?=-- .+ --$|\$ )", re.MULTILINE)
_CASE = re.compile(r"^(?=## )", re.MULTILINE)
_PROGRESS = re.compile(r"^(\S+ · \S+ · criterion |)\d+ of (\d+):")
_PRINTED = re.compile(r"^[>!=].*\n", re.MULTILINE)


class Case(NamedTuple):
    """A case of a file, by its place in it."""

    file: Path
    number: int

    @property
    def title(self) -> str:
        """What it shows, behind the name of its file."""
        head, *_ = self._texts()[self.number].splitlines()
        return f"{self.file.stem}: {head.removeprefix('## ')}"

    def assert_prints(self, folder: CommandLine, *, update: bool) -> None:
        """The case prints what stands in the file; with `update` it does so from now on."""
        texts = self._texts()
        for step in _STEP.split(texts[0])[1:]:
            folder.do(step)
        head, *steps = _STEP.split(_PRINTED.sub("", texts[self.number]))
        now = "".join([head, *(_with_printed(step, folder.do(step)) for step in steps)])
        if update:
            texts[self.number] = now
            self.file.write_text("".join(texts), "utf-8")
        else:
            assert now == texts[self.number]

    def _texts(self) -> list[str]:
        return _CASE.split(self.file.read_text("utf-8"))


def cases() -> list[Case]:
    """All cases of all files."""
    texts = {file: _CASE.split(file.read_text("utf-8")) for file in FILES}
    return [Case(file, number) for file, parts in texts.items() for number in range(1, len(parts))]


def _with_printed(step: str, lines: Iterable[str]) -> str:
    typed, _, rest = step.partition("\n")
    return "".join(f"{line}\n" for line in [typed, *lines]) + rest


class CommandLine:
    """Does the steps of a case, in the working folder."""

    def __init__(self, home: Path, server: HTTPServer, patch: pytest.MonkeyPatch) -> None:
        self._home = home
        self._folder = Path.cwd()
        self._server = server
        self._patch = patch
        self._says: list[tuple[str, str]] = []
        self._asked: list[str] = []

    def do(self, step: str) -> Iterator[str]:
        """Do it; the lines that it prints."""
        head, _, text = step.replace("PORT", str(self._server.port)).partition("\n")
        if head.startswith("-- "):
            self._write(head.removeprefix("-- ").removesuffix(" --"), text)
            return iter(())
        shown = visible("\n".join(self._typed(head.removeprefix("$ ")))).split("\n")
        return (self._anywhere(line) for line in shown if line)

    def _anywhere(self, line: str) -> str:
        """`line` as it is on every machine."""
        folder, home, port = str(self._folder), str(self._home), str(self._server.port)
        for here, name in ((f"{folder}/", ""), (folder, "HERE"), (home, "~"), (port, "PORT")):
            line = line.replace(here, name)
        return line

    def _write(self, head: str, text: str) -> None:
        name, _, other = head.partition(" < ")
        if name == "server":
            self._serve(text)
            return
        bare = text.rstrip("\n")
        content = text_of(f"{bare}\n") if bare else ""
        if other:
            content = self._path(other).read_text("utf-8")
            for line in text.splitlines():
                old, _, new = text_of(line).replace("⏎", "\n").partition(" => ")
                assert old in content, f"nothing to change: {line}"
                content = content.replace(old, new)
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogateescape"))

    def _path(self, name: str) -> Path:
        return self._home / name.removeprefix("~/") if name.startswith("~/") else Path(name)

    def _typed(self, line: str) -> Iterator[str]:
        line, _, shown = line.partition(" | ")
        line, _, file = line.partition(" < ")
        match shlex.split(line):
            case ["cat", name]:
                yield from _shown(shown, self._path(name).read_text("utf-8"))
            case ["rm", name]:
                self._path(name).unlink()
            case ["cd", name]:
                self._patch.chdir(name)
            case ["set", setting]:
                name, _, value = setting.partition("=")
                self._patch.setenv(name, value)
            case ["asked"]:
                yield from (f"> {each}" for each in sorted(self._asked))
                self._asked.clear()
            case arguments:
                given = self._path(file).read_bytes() if file else None
                done = CliRunner().invoke(main, arguments, input=given)
                if done.exception is not None and not isinstance(done.exception, SystemExit):
                    raise done.exception
                yield from _shown(shown, done.stdout, done.stderr)
                yield from [f"= {done.exit_code}"] if done.exit_code else []

    def _serve(self, text: str) -> None:
        rows = (line.partition(" => ") for line in text_of(text).splitlines() if line)
        self._says = [(pattern, said) for pattern, _, said in rows]
        self._server.clear()
        self._server.expect_request(re.compile(".*")).respond_with_handler(self._answer)
        self._patch.setenv("OPENAI_BASE_URL", self._server.url_for("/v1"))
        self._patch.setenv("OPENAI_API_KEY", "sk-of-a-test-99XyZ")

    def _answer(self, request: Request) -> Response:
        body: Mapping[str, Any] = request.get_json(silent=True) or {}
        messages = body.get("messages") or [{"content": ""}]
        set_to = (f" {name}={body[name]}" for name in ("model", "temperature", "max_tokens") if name in body)
        asked = "".join([request.path, *set_to])
        self._asked.append(asked)
        where = f"{asked}\n{messages[-1]['content']}"
        said = next((said for pattern, said in self._says if re.search(pattern, where, re.DOTALL)), "404")
        if said.isdigit():
            error = {"error": {"message": "out of order"}}
            return Response(json.dumps(error), int(said), content_type="application/json")
        if said.startswith('{"400"'):
            return Response(json.dumps({"error": json.loads(said)["400"]}), 400, content_type="application/json")
        if said.startswith("{"):
            return Response(said, content_type="application/json")
        found = re.match(r"\((\w+)\) ?", said)
        reason, content = ("stop", said) if found is None else (found[1], said[found.end() :])
        choices = {"delta": {"content": content}}, {"delta": {}, "finish_reason": reason}
        chunks = (f"data: {json.dumps({'choices': [choice]})}\n\n" for choice in choices)
        return Response([*chunks, "data: [DONE]\n\n"], content_type="text/event-stream")


def _shown(shown: str, out: str, err: str = "") -> Iterator[str]:
    """What a filter leaves of two streams, with the mark of each."""
    how, _, what = shown.partition(" ")
    lines = [f"> {line}".rstrip() for line in _lines(out)]
    lines += [f"! {line}".rstrip() for line in _in_one_order(_lines(err))]
    match how:
        case "exit":
            return
        case "out" | "err":
            yield from (line for line in lines if line[0] == (">" if how == "out" else "!"))
        case "grep":
            yield from (line for line in lines if re.search(what, line))
        case "head":
            yield from lines[: int(what)]
        case "json":
            yield from (
                f"> {json.dumps(part, ensure_ascii=False)}" for part in _parts(json.loads(out), what.split("/"))
            )
        case _:
            yield from lines


def _in_one_order(lines: Iterable[str]) -> Iterator[str]:
    """Lines of progress that follow each other, sorted and without their numbers: runs end in any order."""
    for is_progress, group in groupby(lines, lambda line: _PROGRESS.match(line) is not None):
        of_group = list(group)
        yield from sorted(_PROGRESS.sub(r"\1… of \2:", line) for line in of_group) if is_progress else of_group


def _lines(text: str) -> list[str]:
    ended = text if not text or text.endswith("\n") else f"{text}‹end›\n"
    return ended.replace("\r\n", "‹U+000D›\n").split("\n")[:-1]


def _parts(data: Any, path: list[str]) -> Iterator[Any]:
    if not path:
        yield data
    elif path[0] == "*":
        for each in data.values() if isinstance(data, dict) else data:
            yield from _parts(each, path[1:])
    elif "," in path[0]:
        yield [data.get(name, "‹missing›") for name in path[0].split(",")]
    else:
        yield from _parts(data[int(path[0])] if isinstance(data, list) else data.get(path[0], "‹missing›"), path[1:])
