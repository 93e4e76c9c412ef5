"""`studio parse`: how Weval reads a blueprint, one line of JSON for each file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from engine.yaml.nodes import Data


_MAX_BYTES = 256 << 20


@click.command(name="parse")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.pass_context
def parse_command(ctx: click.Context, files: tuple[Path, ...]) -> None:
    """Print how Weval reads each FILE, as one line of JSON for each.

    \b
    file     the path as given
    ok       whether Weval reads it
    config   the normalised blueprint, null where Weval refuses it
    error    null, or {message, line, column}, counted from 1
    reading  our normalised blueprint, only where it differs from Weval's

    A name that ends in .json is read as JSON, any other as YAML.

    Exit code: 0 when Weval reads all files, 1 when it does not, 2 for a usage error.
    """
    all_ok = True
    for file in files:
        line = answer(file)
        all_ok = all_ok and line["ok"] is True
        click.echo(json.dumps(line, ensure_ascii=True))
    if not all_ok:
        ctx.exit(1)


def answer(file: Path) -> dict[str, Data]:
    """The line for one file. A file that cannot be opened is not ok, and its error has no place."""
    from engine.files.atomic import TooLong, read_regular
    from engine.parsing import parse, reading, weval_config
    from engine.text.text_limits import FILE_BYTES, too_many_bytes

    try:
        text = read_regular(file, FILE_BYTES).decode("utf-8", "replace")
    except TooLong:
        return _line(file, None, {"message": too_many_bytes(file.stat().st_size).message, "line": 1, "column": 1})
    except OSError as error:
        message = f"{file} cannot be opened: {error.strerror or error}."
        return _line(file, None, {"message": message, "line": None, "column": None})
    parsed = parse(text, file)
    refusal = parsed.weval.error
    place: Data = None
    if refusal is not None:
        position = parsed.lines.position(refusal.offset)
        place = {"message": refusal.message, "line": position.line + 1, "column": position.column + 1}
    ours = reading(parsed)
    return {**_line(file, weval_config(parsed), place), **({} if ours is None else {"reading": ours})}


def _line(file: Path, config: Data, error: Data) -> dict[str, Data]:
    return {"file": str(file), "ok": error is None, "config": config, "error": error}
