"""`load`: a whole text → its tree, with a diagnostic for each part that cannot be read.

The modules for JSON and for errors are imported when they are needed: importing them takes longer than reading most
texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.text.diagnostics import Diagnostic
from engine.text.record import replace
from engine.text.spans import Span, TextEdit
from engine.text.text_limits import Excess, TooManyValues, excess, too_many_values
from engine.yaml.cursor import Refusal
from engine.yaml.nodes import Document, NodeTree, YamlError
from engine.yaml.reader import Reader
from engine.yaml.tagged_nodes import Duplicate

_MOST_TRIED = 40_000
"""How many characters are read to try the fixes of a text with several errors; those of a longer text are kept."""
_MOST_ERRORS = 8
"""How many errors a text may have for its fixes to be tried."""
_LONE_RETURN = re.compile(r"\r(?!\n)")


def load(text: str, *, is_json: bool = False) -> NodeTree:
    """`text` as a tree of nodes: YAML as js-yaml 4.1.0 reads it, or JSON as `JSON.parse` does.

    Never raises: problems are in the tree's `diagnostics` and `error`. A JSON tree has one document, and equal keys in
    an object are not an error there: the last one wins.
    """
    try:
        beyond = excess(text)
        if beyond is None:
            return _load_json(text) if is_json else _load_yaml(text)
    except TooManyValues as error:
        beyond = too_many_values(error.offset)
    return load_refused(text, beyond, is_json=is_json)


def load_refused(text: str, beyond: Excess, *, is_json: bool = False) -> NodeTree:
    """The tree of a text that is too large to be read, or of the part of it that is shown."""
    from engine.yaml import diagnosis

    found = diagnosis.diagnose_excess(text, beyond)
    error = YamlError(beyond.message, found.span.start)
    return NodeTree(text, (), (found,), error, is_json=is_json, is_refused=True)


def _load_json(text: str) -> NodeTree:
    from engine.yaml.json_reader import BadJson, read_json

    whole = Span(0, len(text))
    try:
        return NodeTree(text, (Document(whole, read_json(text)),), is_json=True)
    except BadJson as error:
        from engine.yaml import diagnosis

        found = diagnosis.json_slip(text, error.reason, error.offset).diagnostic
        refused = YamlError(error.reason, error.offset)
        return NodeTree(text, (Document(whole, error.partial),), (found,), refused, is_json=True)


def _load_yaml(text: str, *, is_trial: bool = False) -> NodeTree:
    # All line breaks mean the same; with lone carriage returns replaced, little code has to know them.
    lined = _LONE_RETURN.sub("\n", text) if "\r" in text else text
    reader = Reader(lined, 0, len(lined), {})
    try:
        reader.read()
    except Refusal as refusal:
        return _load_broken(text, lined, reader, refusal, is_trial=is_trial)
    if reader.duplicates:
        from engine.yaml.repeated_keys import late_closing

        return _load_broken(text, lined, reader, late_closing(lined, reader.documents), is_trial=is_trial)
    return NodeTree(text, tuple(reader.documents))


def _load_broken(text: str, lined: str, reader: Reader, refusal: Refusal | None, *, is_trial: bool) -> NodeTree:
    """The tree of a `text` that js-yaml refuses, for `refusal` or for duplicate keys that the `reader` found.

    Fixes are tried, unless this `is_trial` of one.
    """
    from engine.yaml import diagnosis
    from engine.yaml.recovery import Recovered, recover
    from engine.yaml.refusal_messages import with_anchor
    from engine.yaml.repeated_keys import add_dashes

    if refusal is not None:
        read = recover(lined, refusal, reader.duplicates, is_trial=is_trial)
    else:
        read = Recovered()
        read.documents = reader.documents
        read.duplicates = read.early_duplicates = reader.duplicates
    add_dashes(lined, read)
    found = [*read.diagnostics, *map(diagnosis.diagnose_duplicate, read.duplicates)]
    found = [with_anchor(each, lined) if each.slug == "ended-alias" else each for each in found]
    found.sort(key=lambda diagnostic: diagnostic.span)
    if not is_trial and 1 < len(found) <= _MOST_ERRORS and len(found) * len(text) <= _MOST_TRIED:
        found = [_with_fixes_that_work(each, found, text) for each in found]
    if "\r\n" in text:
        found = [_with_windows_line_ends(each) for each in found]
    error = _error(text, read.refusal, read.early_duplicates)
    return NodeTree(text, tuple(read.documents), tuple(found), error, lost=tuple(sorted(read.lost)))


def _with_fixes_that_work(diagnostic: Diagnostic, found: Sequence[Diagnostic], text: str) -> Diagnostic:
    """`diagnostic`, without its fix if that alone leaves as many errors of its rule as `found` has."""
    from engine.yaml.trial import works

    def ends(after: str) -> bool:
        left = _load_yaml(after, is_trial=True).diagnostics
        return _count_of(diagnostic.slug, left) < _count_of(diagnostic.slug, found)

    if not diagnostic.fixes:
        return diagnostic
    return diagnostic if works(text, diagnostic.fixes[0].edits, ends) else replace(diagnostic, fixes=())


def _with_windows_line_ends(diagnostic: Diagnostic) -> Diagnostic:
    """`diagnostic` with fixes that write line breaks as the text has them."""
    if not any("\n" in edit.text for fix in diagnostic.fixes for edit in fix.edits):
        return diagnostic
    fixes = [replace(fix, edits=tuple(map(_with_windows_line_end, fix.edits))) for fix in diagnostic.fixes]
    return replace(diagnostic, fixes=tuple(fixes))


def _with_windows_line_end(edit: TextEdit) -> TextEdit:
    return replace(edit, text=edit.text.replace("\r\n", "\n").replace("\n", "\r\n"))


def _count_of(slug: str, diagnostics: Sequence[Diagnostic]) -> int:
    return sum(each.slug == slug for each in diagnostics)


def _error(text: str, refusal: Refusal | None, early_duplicates: list[Duplicate]) -> YamlError | None:
    """The error with which js-yaml refuses the whole text; it finds a duplicate key once the value is read."""
    first = min(early_duplicates, key=lambda duplicate: duplicate.pair.span.end, default=None)
    if first is not None:
        return YamlError("duplicated mapping key", first.pair.key.span.start)
    return None if refusal is None else YamlError(refusal.reason, min(refusal.offset, len(text)))
