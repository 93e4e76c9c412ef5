"""Diagnostics for text that YAML or JSON cannot read: the cause in an author's words, and a fix where only one fits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.text.diagnostics import Diagnostic, Fix, Related, Severity
from engine.text.spans import Span, TextEdit, apply_edits
from engine.text.text_limits import ADVICE, Excess
from engine.yaml.cursor import Refusal
from engine.yaml.line_slips import false_spaces, sign_slips, spoilt_head
from engine.yaml.line_spans import first_line, line_end, line_start, margin
from engine.yaml.margin_slips import margin_slips
from engine.yaml.missing_dashes import separator_below_head
from engine.yaml.piece_trial import Trial
from engine.yaml.point_slips import LostPoints, keys_under_text
from engine.yaml.quoting import add_colon, add_quotes, quotable_spans, quoted_check, unclosed
from engine.yaml.refusal_messages import ended_alias, layout_text, needs_quotes, reason_text
from engine.yaml.slips import Lines, Slip, or_slip
from engine.yaml.tagged_nodes import Duplicate
from engine.yaml.trial import levels

_WHY = "Weval refuses the whole file: none of its prompts is run or scored."
_NOT_READ = f"Nothing in this file is checked or run here. {ADVICE}"
_COMMA_AT_END = re.compile(r",\s*\Z")
_BAD_ESCAPE = re.compile(r"\\([^0abt\tnvfre \"/\\N_LPxuU\r\n])|\\(.)", re.DOTALL)
_JSON_ESCAPE = re.compile(r"\\([\"\\/bfnrt]|u[0-9a-fA-F]{4})?")
_TAB_MARGIN = re.compile(r"^(?:[ ]|-(?=[ \t]))*\t(?:[ \t]|-(?=[ \t]))*(?=[^\s])", re.MULTILINE)
_TAB_WIDTHS = (2, 4, 8, 0)
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ITEM_OR_KEY = re.compile(r"- |[\w$]+:(?=\s)")


def diagnose_json(text: str, reason: str, offset: int) -> Diagnostic:
    """The diagnostic for the first error of a JSON text: `BadJson.reason` and `BadJson.offset`."""
    offset = min(offset, len(text))
    if text[offset : offset + 1] == "\\" and "escape" in reason:
        places = [escape.start() for escape in _JSON_ESCAPE.finditer(text) if escape[1] is None]
        fix = Fix("write the backslash twice", True, tuple(TextEdit(Span(place, place), "\\") for place in places))
        return _backslash(Span(offset, min(offset + 2, len(text))), _lower_first(reason), fix)
    comma = _COMMA_AT_END.search(text, 0, offset)
    if comma is not None and text[offset : offset + 1] in ("]", "}"):
        place = Span(comma.start(), comma.start() + 1)
        fix = Fix("remove the comma", True, (TextEdit(place, ""),))
        return _diagnostic(place, "JSON allows no comma after the last entry: remove it", fix)
    return _diagnostic(Span(offset, min(offset + 1, len(text))), _lower_first(reason))


def diagnose_excess(text: str, beyond: Excess) -> Diagnostic:
    """The diagnostic for a text that is too large to be read."""
    start = min(beyond.offset, len(text))
    span = Span(start, min(start + 1, len(text)))
    return Diagnostic("Y001", "yaml-syntax", Severity.ERROR, span, beyond.message, _NOT_READ)


def diagnose_duplicate(duplicate: Duplicate) -> Diagnostic:
    """The diagnostic for a key that its mapping already has."""
    return Diagnostic(
        code="Y002",
        slug="duplicate-key",
        severity=Severity.ERROR,
        span=duplicate.pair.key.span,
        message=f"`{duplicate.name}` is already set: join the two, or remove one",
        why=_WHY,
        related=(Related(duplicate.first.key.span, f"the first `{duplicate.name}` is here"),),
    )


def diagnose_lost_dash(line: Span, edit: TextEdit) -> Diagnostic:
    """The diagnostic for a prompt that begins at `line` without a dash, or without the separator that `edit` adds."""
    sign, title = ("- ", "add the dash") if edit.text == "- " else ("---", "add `---`")
    message = f"put `{sign}` before this: a new prompt starts here, and it repeats keys without it"
    return _diagnostic(line, message, Fix(title, True, (edit,)))


def diagnose_lost_points(points: LostPoints) -> Diagnostic:
    """The diagnostic for points at the margin of the prompts."""
    return _diagnostic(points.first, points.message, Fix(points.title, True, points.edits))


def diagnose_lost_separator(text: str, piece: Span) -> Diagnostic | None:
    """The diagnostic for prompts in `piece` that begin a list below other lines; None if there are none."""
    slip = separator_below_head(text, piece)
    return None if slip is None else _of_slip(slip)


def diagnose_refusal(trial: Trial) -> Diagnostic:
    """The diagnostic for the error that makes the piece of `trial` unreadable, with offsets of the piece."""
    text, refusal = trial.text, trial.refusal
    offset = _inside(text, refusal.offset)
    reason = refusal.reason
    if (alias := ended_alias(text, refusal)) is not None:
        return _of_slip(alias)
    opening = _never_closed(text, refusal, offset)
    if opening is not None:
        return _first_that_works(trial, unclosed(text, opening)) or _unreadable(text, refusal, offset)
    if reason == "unknown escape sequence" or reason == "expected hexadecimal character":
        return _closed_below(trial, offset) or _bad_escape(trial, refusal.opening or offset, offset)
    if reason == "tab characters must not be used in indentation" or "\t" in margin(text, offset):
        return _tab(trial, offset)
    lines = Lines(text, offset)
    for head in spoilt_head(lines, lines.at):
        if trial.reaches(head.edits, offset):
            return _of_slip(head)
    suspects = _suspects(lines, refusal)
    signs = _first_that_works(trial, _signs(trial.text, lines, suspects, refusal, offset))
    if signs is not None:
        return signs
    begins_line = not text[line_start(text, offset) : offset].strip(" -")
    quoting = _badly_quoted(trial, refusal, offset)
    if quoting is not None and quoting.fixes and not begins_line:
        return quoting
    layout = (each for index in suspects for each in margin_slips(lines, index))
    return _first_that_works(trial, layout) or quoting or _unreadable(text, refusal, offset)


def _never_closed(text: str, refusal: Refusal, offset: int) -> int | None:
    """The offset of the quote or the bracket that is never closed, or closed too late; None if none is."""
    reason, opening, quoted = refusal.reason, refusal.opening, refusal.multiline_quote
    if opening is not None and reason.startswith("unexpected end"):
        return opening
    if quoted is not None and text.find("\n", quoted.end, offset) < 0 <= offset - quoted.end:
        return quoted.start
    if opening is not None and reason.startswith("missed comma") and _begins_item_or_key(text, offset):
        return opening
    return None


def _closed_below(trial: Trial, offset: int) -> Diagnostic | None:
    """The diagnostic where the quote around `offset` was to close above its line, which begins an item or a key."""
    text, opening = trial.text, trial.refusal.opening
    dashes = margin(text, offset)
    begins = line_start(text, offset) + len(dashes)
    if opening is None or opening >= begins or not ("-" in dashes or _ITEM_OR_KEY.match(text, begins)):
        return None
    return _first_that_works(trial, (slip for slip in unclosed(text, opening) if slip.edits))


def _suspects(lines: Lines, refusal: Refusal) -> list[int]:
    """The indices of the lines that may hold the slip: where reading stopped, the node read last, the line above."""
    above = lines.above(lines.at)
    found = [lines.at, lines.index(refusal.node_start)]
    return list(dict.fromkeys(found if above is None else [*found, above]))


def _signs(text: str, lines: Lines, suspects: list[int], refusal: Refusal, offset: int) -> Iterator[Slip]:
    """The slips that the signs on the lines around the error give away."""
    start, end = line_start(text, min(refusal.node_start, offset)), line_end(text, offset)
    yield from false_spaces(text, Span(start, end))
    for index in suspects:
        yield from or_slip(lines, index)
    for index in suspects:
        yield from keys_under_text(lines, index)
    for index in suspects:
        yield from sign_slips(lines, index)


def _first_that_works(trial: Trial, slips: Iterator[Slip]) -> Diagnostic | None:
    """The diagnostic of the first of `slips` whose edits work, or that has none to try; None if there is none."""
    for slip in slips:
        if not slip.edits or trial.works(slip.edits, is_safe=slip.is_safe):
            return _of_slip(slip)
    return None


def _of_slip(slip: Slip) -> Diagnostic:
    code, slug = slip.rule.value
    fixes = (Fix(slip.title, slip.is_safe, slip.edits),) if slip.edits else ()
    return Diagnostic(code, slug, Severity.ERROR, slip.span, slip.message, _WHY, fixes=fixes)


def _unreadable(text: str, refusal: Refusal, offset: int) -> Diagnostic:
    """The diagnostic of an error whose cause no edit shows."""
    found = layout_text(text, refusal.reason, refusal.node_start, offset)
    if found is not None:
        return _diagnostic(*found)
    return _diagnostic(_rest_of_line(text, offset), reason_text(text, refusal.reason, offset))


def _badly_quoted(trial: Trial, refusal: Refusal, offset: int) -> Diagnostic | None:
    """The diagnostic where a colon after a check's name, or quotes, make the piece readable."""
    text = trial.text
    if (colon := add_colon(trial, refusal)) is not None:
        fix, span, name = colon
        written = span.of(text).rstrip(" \t:：=;")
        message = f"`{written}` needs a `:` after it: a check is written `${name}: argument`"
        return _diagnostic(first_line(text, span.start, span.end), message, fix)
    for span in quotable_spans(text, refusal):
        place = first_line(text, span.start, span.end)
        fix = add_quotes(trial, span)
        if fix is not None:
            return _diagnostic(place, needs_quotes(text, span, offset), fix)
        if (name := quoted_check(span.of(text))) is not None:
            message = f"more text follows the closing quote of `${name}`: remove it, or start a new `- ` for it"
            return _diagnostic(place, message)
    return None


def _begins_item_or_key(text: str, offset: int) -> bool:
    """Whether a list item or a key begins at `offset`, the first on its line."""
    is_first = not text[line_start(text, offset) : offset].strip()
    return is_first and _ITEM_OR_KEY.match(text, offset) is not None


def _diagnostic(span: Span, message: str, *fixes: Fix) -> Diagnostic:
    return Diagnostic("Y001", "yaml-syntax", Severity.ERROR, span, message, _WHY, fixes=fixes)


def _lower_first(reason: str) -> str:
    message = reason.rstrip(".")
    return message[:1].lower() + message[1:]


def _inside(text: str, offset: int) -> int:
    """`offset`, or the last character of `text` where `offset` is its end."""
    return offset if offset < len(text) else max(len(text.rstrip()) - 1, 0)


def _rest_of_line(text: str, offset: int) -> Span:
    """The rest of the line from `offset` on, or the last character of the line."""
    if text[offset : offset + 1] in ("", "\n", "\r"):
        offset = max(offset - 1, 0)
    return first_line(text, offset, line_end(text, offset))


# Backslashes


def _backslash(span: Span, message: str, *fixes: Fix) -> Diagnostic:
    return Diagnostic("Y010", "backslash-in-double-quotes", Severity.ERROR, span, message, _WHY, fixes=fixes)


def _bad_escape(trial: Trial, opening: int, offset: int) -> Diagnostic:
    """The diagnostic for an escape that YAML does not have, in the double quotes that begin at `opening`."""
    text = trial.text
    if text[offset - 1 : offset] == "\\":
        message = f"`{text[offset - 1 : offset + 1]}` has no meaning in double quotes"
    else:
        message = "`\\x`, `\\u` and `\\U` need hexadecimal digits in double quotes"
    message += ": write the backslash twice, or use single quotes"
    span = Span(max(offset - 1, 0), min(offset + 1, len(text)))
    quoted = _DOUBLE_QUOTED.match(text, opening)
    if quoted is None:
        return _backslash(span, message)
    inner = quoted[0][1:-1]
    if "\n" in inner or any(escape[2] for escape in _BAD_ESCAPE.finditer(inner)):
        replacement = '"' + _BAD_ESCAPE.sub(lambda escape: "\\" + escape[0] if escape[1] else escape[0], inner) + '"'
        title = "write the backslash twice"
    else:
        replacement = "'" + inner.replace("'", "''") + "'"
        title = "use single quotes"
    line = text[line_start(text, offset) : offset]
    is_row = opening < offset - len(line) and line.lstrip().startswith("- ")  # the quotes took it in
    fix = Fix(title, not is_row, (TextEdit(Span(*quoted.span()), replacement),))
    is_fixed = trial.reaches(fix.edits, quoted.end())
    return _backslash(span, message, *([fix] if is_fixed else []))


# Tabs


def _tab(trial: Trial, offset: int) -> Diagnostic:
    text = trial.text
    start = line_start(text, offset)
    indentation = margin(text, offset)
    tab = start + indentation.find("\t")
    return Diagnostic(
        "Y011",
        "tab-indent",
        Severity.ERROR,
        Span(tab, max(start + len(indentation.rstrip("-")), tab + 1)),
        "this line is indented with a tab: YAML allows only spaces there",
        _WHY,
        fixes=tuple(_untabbed(trial, Span(start, start + len(indentation)))),
    )


def _untabbed(trial: Trial, here: Span) -> Iterator[Fix]:
    """The fix that indents every line of the piece with spaces, or else only the line of the margin `here`.

    It removes the tabs where only that makes the lines readable. There is none if widths of a tab differ in meaning.
    """
    text = trial.text
    margins = [Span(*found.span()) for found in _TAB_MARGIN.finditer(text)]
    for spans in (margins, [here]):
        found: dict[tuple[object, ...], Fix] = {}
        for width in _TAB_WIDTHS if spans else ():
            edits = tuple(TextEdit(span, _spaced(span.of(text), width)) for span in spans)
            if (width or not found) and trial.works(edits):
                meant = levels(apply_edits(text, edits))
                found.setdefault(meant, Fix("indent with spaces" if width else "remove the tab", True, edits))
        if found:
            most = max(map(len, found))
            best = [fix for meant, fix in found.items() if len(meant) == most]
            yield from best if len(best) == 1 else ()
            return


def _spaced(indentation: str, width: int) -> str:
    """`indentation` with each tab after a dash as one space, and every other as `width` spaces."""
    return re.sub(r"(?<=-)\t", " ", indentation).replace("\t", " " * width)
