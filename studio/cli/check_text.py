"""Diagnostics as text: each with its line, a mark under the place, the reason and the fixes; and their counts."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

import click

from engine.models.secret import without_keys
from engine.rules.causes import Cause, by_cause
from engine.rules.fixes import safe_fix
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.record import Record
from engine.text.spans import LineIndex, Span, count, visible
from studio.cli.check_files import CheckedFile

COLOURS: Mapping[Severity, str] = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.HINT: "cyan"}
"""The colour of each level."""
_WIDTHS = (60, 160)
_IN_A_PIPE = 120
_ROOM_FOR_A_WORD = 30
_SOURCE_LINE = 80
"""Cells of a line of the source that are shown beside its place."""
_MOST_RELATED = 3
"""How many related places of a problem are shown with their lines."""


class Summary(Record):
    """The last line. `incomplete`: something could not be checked. `only_new`: known problems are left out.

    `was_fixed`: `--fix` has applied the fixes that it applies, so the line offers none.
    """

    incomplete: bool = False
    only_new: bool = False
    was_fixed: bool = False


WHOLE = Summary()
"""Of files that could all be checked."""


def as_text(files: Sequence[CheckedFile], stream: TextIO | None = None, *, summary: Summary | None = WHOLE) -> str:
    """All problems with their places in the source, hints on one line each, and a summary unless left out.

    A cause that a file repeats is shown once, with the list of its places. Laid out for `stream`, standard output
    unless given.
    """
    style = Style(stream)
    lines = [
        _repeated(file, cause, style) if cause.is_repeated else _problem(file, cause.reports[0], style)
        for file in files
        for cause in by_cause(file.diagnostics)
    ]
    if summary is not None and (files or not summary.incomplete):
        lines.append(_summary(files, summary))
    return "".join(f"{line}\n" for line in lines)


def painted_diff(line: str) -> str:
    """A line of a diff in the colour of its sign, if colours are enabled."""
    sign = line.removeprefix("# ")[:1]
    colour = {"+": "green", "-": "red", "@": "cyan"}.get(sign)
    return Style()(line, colour, bold=line.startswith("# ") and colour is None and sign != " ")


class Style:
    """Width and colours of the output; colours on a terminal, unless NO_COLOR is set or TERM is dumb."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """For `stream`; standard output unless given."""
        self.on_terminal = (sys.stdout if stream is None else stream).isatty()
        self._coloured = self.on_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        columns = shutil.get_terminal_size((_IN_A_PIPE, 24)).columns if self.on_terminal else _IN_A_PIPE
        self.width = min(max(columns, _WIDTHS[0]), _WIDTHS[1])

    def __call__(self, text: str, colour: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
        return click.style(text, fg=colour, bold=bold or None, dim=dim or None) if self._coloured else text

    def code(self, line: str) -> str:
        """A line of the source, coloured as YAML."""
        if not self._coloured:
            return line
        from pygments import highlight
        from pygments.formatters import TerminalFormatter
        from pygments.lexers.data import YamlLexer

        return highlight(line, YamlLexer(stripnl=False), TerminalFormatter()).rstrip("\n")

    def head(self, where: str, level: str, text: str) -> str:
        """The line that begins a problem: on a terminal broken between words."""
        if not self.on_terminal:
            return f"{where} {level} {text}"
        taken = (cells(where) + cells(click.unstyle(level)) + 2) % self.width
        has_room = taken <= self.width - _ROOM_FOR_A_WORD
        lines = textwrap.wrap(
            text,
            self.width,
            initial_indent=" " * taken if has_room else "  ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        first, *others = (self(line.strip(), bold=True) for line in lines)
        head = f"{where} {level} {first}" if has_room else f"{where} {level}\n  {first}"
        return "\n  ".join([head, *others])

    def place(self, where: str, text: str) -> str:
        """One of several places, on one line: on a terminal cut where it ends, unless the path leaves no room."""
        room = max(self.width - cells(where), _ROOM_FOR_A_WORD)
        return f"{where}{cut(text, room) if self.on_terminal else text}"

    def note(self, gutter: int, label: str, text: str) -> str:
        """A note below a frame: on a terminal broken between words, in a pipe one line."""
        ahead = f"{' ' * gutter} = "
        lines = [f"{label}{text}"]
        if self.on_terminal:
            room = self.width - len(ahead)
            lines = textwrap.wrap(lines[0], room, subsequent_indent=" " * len(label), break_on_hyphens=False)
        painted = f"{' ' * gutter} {self('=', dim=True)} "
        return "\n".join([f"{painted}{lines[0]}", *(f"{' ' * len(ahead)}{line}" for line in lines[1:])])


def _repeated(file: CheckedFile, cause: Cause, style: Style) -> str:
    """A cause with its places: each with its own message, or where all have one message with its line."""
    reports = [file.diagnostics[number] for number in cause.reports]
    level = style(reports[0].severity.value, COLOURS[reports[0].severity], bold=True)
    has_one_message = all(each.message == cause.message for each in reports)
    head = f"{reports[0].slug}: {_line(cause.message)} ({len(reports)} places)"
    texts = [
        frame(file.lines, each.span, _SOURCE_LINE).line.strip() if has_one_message else _line(each.message)
        for each in reports
    ]
    places = [
        style.place(f"  {_where(file, each)} ", f"{text}{_see(file, each)}")
        for each, text in zip(reports, texts, strict=True)
    ]
    notes = [] if reports[0].severity is Severity.HINT else [*_notes(cause.why, _titles(reports), 3, style), ""]
    return "\n".join([style.head(_where(file, reports[0]), level, head), *places, *notes])


def _titles(reports: Sequence[Diagnostic]) -> Iterator[tuple[bool, str]]:
    """The fixes of `reports`: whether each is safe, and its title, with the number of places unless it is for all."""
    counts = Counter((fix.safe, fix.title) for each in reports for fix in each.fixes)
    for (safe, title), number in counts.items():
        yield safe, title if number == len(reports) else f"{title} ({count(number, 'place')})"


def _where(file: CheckedFile, diagnostic: Diagnostic) -> str:
    place = file.place(diagnostic.span)
    return _line(f"{file.name}:{place.line}:{place.column}:")


def _see(file: CheckedFile, diagnostic: Diagnostic) -> str:
    lines = ", ".join(str(file.place(one.span).line) for one in diagnostic.related)
    return f" (see line{'s' * (len(diagnostic.related) > 1)} {lines})" if lines else ""


def _problem(file: CheckedFile, number: int, style: Style) -> str:
    diagnostic = file.diagnostics[number]
    colour = COLOURS[diagnostic.severity]
    level = style(diagnostic.severity.value, colour, bold=True)
    head = style.head(_where(file, diagnostic), level, f"{diagnostic.slug}: {_line(diagnostic.message)}")
    if diagnostic.severity is Severity.HINT:
        return head
    shown = diagnostic.related[:_MOST_RELATED]
    gutter = max(len(str(file.place(span).line)) for span in (diagnostic.span, *(one.span for one in shown)))
    titles = ((fix.safe, fix.title) for fix in diagnostic.fixes)
    notes = list(_notes(diagnostic.why, titles, gutter, style))
    for related in shown:
        at = file.place(related.span).line
        notes.append(style.note(gutter, f"see line {at}: ", _line(related.message)))
        notes += _framed(file, related.span, "-", "blue", gutter, style)
    if len(diagnostic.related) > len(shown):
        others = ", ".join(str(file.place(one.span).line) for one in diagnostic.related[len(shown) :])
        notes.append(style.note(gutter, "see also ", f"lines {others}"))
    return "\n".join([head, *_framed(file, diagnostic.span, "^", colour, gutter, style), *notes, ""])


def _notes(why: str, fixes: Iterable[tuple[bool, str]], gutter: int, style: Style) -> Iterator[str]:
    if why:
        yield style.note(gutter, "why: ", _line(why))
    for safe, title in fixes:
        yield style.note(gutter, "fix: " if safe else "fix (unsafe): ", _line(title))


def _line(text: str) -> str:
    return visible(" ".join(text.split("\n")))


def _framed(file: CheckedFile, span: Span, mark: str, colour: str, gutter: int, style: Style) -> list[str]:
    """The first line of `span` with marks under it."""
    bar = style("|", dim=True)
    number = file.place(span).line
    shown: Frame = frame(file.lines, span, style.width - gutter - 3)
    goes_on = f" … to line {shown.last_line + 1}" if shown.last_line + 1 > number else ""
    marks = style(mark * shown.length, colour, bold=True) + style(goes_on, dim=True)
    return [
        f"{style(f'{number:>{gutter}}', dim=True)} {bar} {style.code(shown.line)}".rstrip(),
        f"{' ' * gutter} {bar} {' ' * shown.start}{marks}",
    ]


def _summary(files: Sequence[CheckedFile], summary: Summary) -> str:
    counts = Counter(each.severity for file in files for each in file.diagnostics)
    fixable = sum(safe_fix(each) is not None for file in files for each in file.diagnostics)
    looked_at = count(len(files), "file")
    hints = f", {count(counts[Severity.HINT], 'hint')}" if counts[Severity.HINT] else ""
    if not counts[Severity.ERROR] and not counts[Severity.WARNING]:
        rest = " Not everything could be checked." if summary.incomplete else ""
        return f"No {'new ' if summary.only_new else ''}problems in {looked_at}{hints}.{rest}"
    concerned = sum(any(each.severity is not Severity.HINT for each in file.diagnostics) for file in files)
    levels = (Severity.ERROR, Severity.WARNING)
    tally = " and ".join(count(counts[level], level.value) for level in levels if counts[level])
    fix_text = f" {fixable} can be fixed with --fix." if fixable and not summary.was_fixed else ""
    return f"{tally} in {concerned} of {looked_at}{hints}.{fix_text}"


# --- A line of the source, cut to fit around a place in it


_TAB = "    "
_CUT = "…"


class Frame(Record):
    """`line` as shown; the mark begins `start` cells into it and is `length` cells long, at least one.

    `last_line` is the line on which the marked span ends, from 0.
    """

    line: str
    start: int
    length: int
    last_line: int


def frame(lines: LineIndex, span: Span, width: int) -> Frame:
    """The first line of `span` in at most `width` cells of a terminal (at least 20), control characters made visible.

    A long line is cut around the place, with `…` for the parts that are left out.
    """
    place = lines.position(span.start)
    last = lines.position(max(span.end - 1, span.start)).line
    source = without_keys(lines.line(place.line))
    end = len(source) if last > place.line else min(len(source), place.column + span.end - span.start)
    before, marked, after = (
        visible(part).replace("\t", _TAB) for part in (source[: place.column], source[place.column : end], source[end:])
    )
    if cells(before) + cells(marked) + cells(after) > width:
        if cells(before) > width // 3 and cells(before) + cells(marked) > width * 2 // 3:
            before = _CUT + _last_cells(before, width // 3 - 1)
        marked = cut(marked, width - cells(before))
        after = cut(after, width - cells(before) - cells(marked))
    return Frame(before + marked + after, cells(before), max(1, cells(marked)), last)


def cut(text: str, room: int) -> str:
    """The start of `text` in at most `room` cells, with an ellipsis where it is cut."""
    if cells(text) <= room:
        return text
    return _first_cells(text, room - 1) + _CUT if room > 0 else ""


def _first_cells(text: str, room: int) -> str:
    """The start of `text`, without a part of a character that would be hidden at the cut."""
    if text.isascii():
        return text[: max(room, 0)]
    cut = text[: max(room, 0)]
    while cells(cut) > room or visible(cut) != cut:
        cut = cut[:-1]
    return cut


def _last_cells(text: str, room: int) -> str:
    """The end of `text`, without a part of a character that would be hidden at the cut."""
    cut = text[max(len(text) - room, 0) :]
    while cells(cut) > room or visible(cut) != cut:
        cut = cut[1:]
    return cut


def cells(text: str) -> int:
    """How many cells of a terminal `text` takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


# --- Counts


def as_table(files: Sequence[CheckedFile], stream: TextIO | None = None) -> list[str]:
    """A row for all problems, then one for each rule and level: its problems, the files that have them, and the
    problems that --fix removes.

    The worst level first, the most frequent rule first in each; nothing if there are no problems. Colours as `stream`
    can show them.
    """
    style = Style(stream)
    found = [(file, each) for file in files for each in file.diagnostics]
    by_rule: dict[tuple[Severity, str], list[tuple[CheckedFile, Diagnostic]]] = {}
    for file, each in found:
        by_rule.setdefault((each.severity, each.slug), []).append((file, each))
    rows = [("all    ", "all rules", found)]
    for (level, slug), of_rule in sorted(by_rule.items(), key=lambda row: (row[0][0].rank, -len(row[1]), row[0][1])):
        rows.append((style(f"{level.value:<7}", COLOURS[level]), slug, of_rule))
    lines = [style(f"{'problems':>8} {'files':>5} {'fixable':>7}  level    rule", dim=True)]
    for level, rule, reports in rows:
        concerned, fixable = {id(file) for file, _ in reports}, sum(safe_fix(each) is not None for _, each in reports)
        lines.append(f"{len(reports):>8} {len(concerned):>5} {fixable:>7}  {level}  {rule}")
    return lines if found else []
