"""What `studio check` found, for people: each problem with its line, a mark under it, the reason and the fixes."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from engine.diagnostics import Diagnostic, Severity
from engine.text import LineIndex, Span, visible
from studio.cli.check_formats import CheckedFile

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.HINT: "cyan"}
_WIDEST = 120
_TAB = "    "


def as_text(files: Sequence[CheckedFile]) -> str:
    """Every problem with its place in the source, hints on one line each, and a summary."""
    paint = _Paint(sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    told = [_problem(file, diagnostic, paint) for file in files for diagnostic in file.diagnostics]
    return "".join(f"{problem}\n" for problem in [*told, _summary(files)])


class _Paint:
    """Colours, where they are wanted."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted

    def __call__(self, text: str, colour: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
        return click.style(text, fg=colour, bold=bold or None, dim=dim or None) if self._wanted else text

    def code(self, line: str) -> str:
        """A line of the source, coloured as YAML."""
        if not self._wanted:
            return line
        from pygments import highlight
        from pygments.formatters import TerminalFormatter
        from pygments.lexers.data import YamlLexer

        return highlight(line, YamlLexer(stripnl=False), TerminalFormatter()).rstrip("\n")


def _problem(file: CheckedFile, diagnostic: Diagnostic, paint: _Paint) -> str:
    place = file.place(diagnostic.span)
    colour = _COLOURS[diagnostic.severity]
    level = paint(diagnostic.severity.value, colour, bold=True)
    where = visible(f"{file.name}:{place.line}:{place.column}")
    head = f"{where}: {level} {diagnostic.slug}: {paint(_line(diagnostic.message), bold=True)}"
    if diagnostic.severity is Severity.HINT:
        return head
    gutter = " " * len(str(place.line))
    notes = [f"{gutter} {paint('=', dim=True)} {note}" for note in _notes(file, diagnostic)]
    return "\n".join([head, *_frame(file.lines, diagnostic.span, colour, paint), *notes, ""])


def _notes(file: CheckedFile, diagnostic: Diagnostic) -> Iterator[str]:
    if diagnostic.why:
        yield f"why: {_line(diagnostic.why)}"
    for related in diagnostic.related:
        yield f"see line {file.place(related.span).line}: {_line(related.message)}"
    for fix in diagnostic.fixes:
        yield f"{'fix' if fix.safe else 'fix (unsafe)'}: {_line(fix.title)}"


def _line(text: str) -> str:
    return visible(" ".join(text.split("\n")))


def _frame(lines: LineIndex, span: Span, colour: str, paint: _Paint) -> list[str]:
    """The first line of `span` with a mark under it, cut to what fits."""
    position = lines.position(span.start)
    source = lines.line(position.line)
    end = min(len(source), position.column + span.end - span.start)
    before, marked, after = (
        visible(part).replace("\t", _TAB)
        for part in (source[: position.column], source[position.column : end], source[end:])
    )
    if _width(before) > _WIDEST // 2:
        before = f"…{before[len(before) - _WIDEST // 3 :]}"
    room = max(20, _WIDEST - _width(before))
    if _width(marked) > room:
        marked, after = f"{marked[: room - 1]}…", ""
    after = after if len(after) <= room - min(room, _width(marked)) else f"{after[: max(0, room - _width(marked))]}…"
    number = str(position.line + 1)
    bar = paint("|", dim=True)
    mark = paint("^" * max(1, _width(marked)), colour, bold=True)
    return [
        f"{paint(number, dim=True)} {bar} {paint.code(before + marked + after)}",
        f"{' ' * len(number)} {bar} {' ' * _width(before)}{mark}",
    ]


def _width(text: str) -> int:
    """How many cells of a terminal `text` takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _summary(files: Sequence[CheckedFile]) -> str:
    counts = Counter(each.severity for file in files for each in file.diagnostics)
    fixable = sum(any(fix.safe for fix in each.fixes) for file in files for each in file.diagnostics)
    looked_at = _count(len(files), "file")
    hints = f", {_count(counts[Severity.HINT], 'hint')}" if counts[Severity.HINT] else ""
    if not counts[Severity.ERROR] and not counts[Severity.WARNING]:
        return f"Nothing wrong in {looked_at}{hints}."
    concerned = sum(any(each.severity is not Severity.HINT for each in file.diagnostics) for file in files)
    told = f"{_count(counts[Severity.ERROR], 'error')} and {_count(counts[Severity.WARNING], 'warning')}"
    mend = f" {fixable} can be mended by --fix." if fixable else ""
    return f"{told} in {concerned} of {looked_at}{hints}.{mend}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
