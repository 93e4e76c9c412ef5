"""Recovery from errors: the text is split at `---` and at top-level `- ` lines, and each piece is read by itself.

Of a mapping that cannot be read, each key, and each item of a list under a key, is read by itself. A piece that cannot
be read is repaired in thought (`engine.yaml.repair`), so that all its errors are known. What only shows in what could
be read comes last: a quotation mark that is closed too late, and prompts without their dash, whose keys repeat those
above.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from engine.text import Diagnostic, Related, Severity, Span, TextEdit, replace
from engine.text.text_limits import VALUES, TooManyValues
from engine.yaml.diagnosis import Effort
from engine.yaml.layout import column
from engine.yaml.line_slips import SEPARATOR
from engine.yaml.margin_slips import begins_point, lost_points, separator_below_head
from engine.yaml.nodes import (
    Document,
    Duplicate,
    MappingNode,
    Node,
    Pair,
    SequenceNode,
    count_nodes,
    duplicates,
    last_scalar,
)
from engine.yaml.pieces import (
    content_start,
    ended_texts,
    joined_documents,
    joined_lists,
    list_items,
    may_continue,
    sections,
    split_pieces,
    with_list,
)
from engine.yaml.reader import Reader
from engine.yaml.repair import EditedText, PlacedNodes, Read, Recovered, with_guesses
from engine.yaml.scalar_text import Refusal
from engine.yaml.slips import WHY, Slip, line_end, line_start


def _by_keys(whole: Recovered, piece: Span) -> Read | None:
    """What `piece`, a mapping in `whole`, holds: each key, and each item of a list below, read by itself.

    None if all of them can be read, or if there is only one: splitting does not isolate the error.
    """
    text = whole.text
    parts = sections(text, piece)
    if not _is_divisible(text, piece, parts):
        return None
    found = Recovered(text, whole.effort, dict(whole.known))
    ended = ended_texts(text, parts)
    pairs: list[Pair] = []
    for part in parts:
        reported = len(found.diagnostics)
        documents, repeated = _read_part(found, part, ended, list_items(text, part))
        if part is not parts[-1]:
            found.diagnostics[reported:] = (_with_keys_below(each, text, part) for each in found.diagnostics[reported:])
        found.duplicates += repeated
        root = documents[0].root if documents else None
        pairs += root.pairs if isinstance(root, MappingNode) else ()
    if not found.broken or found.broken[0] == piece:
        return None
    whole.add(found)
    own = {id(pair) for pair in pairs}
    nested = [each for each in found.duplicates if id(each.pair) not in own]
    if not pairs:
        return [], nested
    root = MappingNode(Span(pairs[0].span.start, pairs[-1].span.end), tuple(pairs), False)
    return [Document(Span(root.span.start, piece.end), root)], nested + duplicates(pairs)


def _read_part(found: Recovered, part: Span, ended: Mapping[int, str], items: Sequence[Span] = ()) -> Read:
    """What `part` holds; where it is broken, each of its `items` by itself, or all of it, repaired in thought.

    `ended` are the `ended_texts` of parts. Nothing if it is broken, and no further broken piece is reported.
    """
    reader = Reader(ended.get(part.end, found.text), part.start, part.end, found.known)
    refusal = reader.read_to_refusal()
    if refusal is None:
        reader.add_anchors(found.known)
        return reader.documents, reader.duplicates
    if found.is_full:
        return [], []
    return _by_items(found, items) or found.repair(part, refusal)


def _is_divisible(text: str, piece: Span, parts: list[Span]) -> bool:
    """Whether `piece` is a mapping at the margin with several keys, or with a list."""
    first = content_start(text, piece)
    is_list = text.startswith("-", first)
    is_indented = text[first - 1 : first] == " "  # the keys at the margin are not beside the first one
    return not is_list and not is_indented and (parts != [piece] or bool(list_items(text, piece)))


def _by_items(whole: Recovered, items: Sequence[Span]) -> Read | None:
    """A key with its list, the key and each of `items` read by itself; None if there are none, or all can be read."""
    found = Recovered(whole.text, whole.effort, dict(whole.known))
    ended = ended_texts(whole.text, items)
    read = [_read_part(found, item, ended) for item in items]
    if not found.broken:
        return None
    whole.add(found)
    document = _with_list([document for documents, _ in read for document in documents[:1]], items[-1].end)
    return [] if document is None else [document], [each for _, repeated in read for each in repeated]


def _with_list(read: list[Document], end: int) -> Document | None:
    """The document of a key, the first of `read`, with the lists in the others as its value; None without a key."""
    head = read[0].root if read else None
    if not isinstance(head, MappingNode) or head.flow or not head.pairs:
        return None
    lists = [each.root for each in read[1:] if isinstance(each.root, SequenceNode) and each.root.items]
    if not lists:
        return read[0]
    return Document(Span(read[0].span.start, end), with_list(head, joined_lists(lists)))


def _with_keys_below(diagnostic: Diagnostic, text: str, part: Span) -> Diagnostic:
    """`diagnostic` of a key, without fixes that make a list of it or begin a document: further keys follow it."""
    fixes = [fix for fix in diagnostic.fixes if not any(_begins_list(edit, text, part) for edit in fix.edits)]
    return diagnostic if len(fixes) == len(diagnostic.fixes) else replace(diagnostic, fixes=tuple(fixes))


def _begins_list(edit: TextEdit, text: str, part: Span) -> bool:
    """Whether `edit` puts a separator into `part`, or a dash before its first line."""
    is_first = not text[part.start : edit.span.start].strip()
    return edit.text.startswith("---") or (is_first and edit.text.lstrip().startswith("- "))


_ITEM_LINE = re.compile(r"^- ", re.MULTILINE)


_EFFORT = 2_000_000
"""How many characters are read to find the fixes of one text: a third of a second, and many times what a slip takes."""
_TRIAL_EFFORT = 300_000
"""The same to try a fix, of which only the number of errors that it leaves counts."""


def recover(text: str, refused: Refusal, *, is_trial: bool = False) -> Recovered:
    """Read `text`, which js-yaml refuses with `refused`.

    A piece that can be read by itself means the same in the whole text, unless it ends in an empty item: js-yaml then
    continues the same list, whatever the indentation of the next item. Less is read if this `is_trial`.
    Raises `TooManyValues`.
    """
    recovered = Recovered(text, Effort(_TRIAL_EFFORT if is_trial else _EFFORT))
    recovery = _Recovery(refused, recovered)
    recovery.read_all()
    for piece in recovery.points:
        lost = None if begins_point(text, piece.end) else lost_points(text, piece.start)
        recovered.diagnostics += [] if lost is None else [lost.diagnostic]
    if recovered.is_torn:
        recovered.diagnostics = list(with_guesses(recovered.diagnostics, text))
    recovered.documents = joined_documents(text, recovery.readable)
    return recovered


class _Recovery:
    """Reads the pieces of a text one after the other.

    `readable` are the documents of the pieces, `points` the readable pieces that begin with a point at the margin.
    """

    def __init__(self, refused: Refusal, recovered: Recovered) -> None:
        self.readable: list[tuple[Span, Document]] = []
        self.points: list[Span] = []
        self._text = recovered.text
        self._refused, self._recovered = refused, recovered
        self._pieces: deque[Span] = deque()
        self._ended: dict[int, str] = {}
        """The `ended_texts` of the pieces."""
        self._values = 0

    def read_all(self) -> None:
        """Read all pieces. Raises `TooManyValues`."""
        self._insert(split_pieces(self._text, 0))
        is_first = True
        while self._pieces:
            self._read_piece(self._pieces.popleft(), is_first=is_first)
            is_first = False

    def _insert(self, pieces: Iterable[Span]) -> None:
        """Read `pieces` before all others."""
        pieces = list(pieces)
        self._pieces.extendleft(reversed(pieces))
        self._ended.update(ended_texts(self._text, pieces))

    def _read_piece(self, piece: Span, *, is_first: bool) -> None:
        text, recovered = self._text, self._recovered
        if text.startswith("---", piece.start):
            recovered.known = {}
        reader = Reader(self._ended.pop(piece.end, text), piece.start, piece.end, recovered.known)
        refusal = reader.read_to_refusal()
        if refusal is None:
            if begins_point(text, piece.start):
                self.points.append(piece)
            if is_first and may_continue(text, piece, reader.documents):
                # The piece can be read by itself, but js-yaml cannot read it together with the next ones.
                recovered.note(Span(piece.start, len(text)), self._refused)
            self._keep(piece, reader)
        elif not recovered.is_full:
            self._read_broken(piece, reader, refusal)

    def _read_broken(self, piece: Span, reader: Reader, refusal: Refusal) -> None:
        """Read the parts of `piece`, or all of it with its errors repaired."""
        text, recovered = self._text, self._recovered
        if (parted := _below_broken_head(text, piece, recovered.known)) is not None:
            # What stands above the list is broken too: each part is read by itself.
            found, head = parted
            recovered.diagnostics.append(found)
            self._insert([head, *split_pieces(text, head.end, piece.end)])
        elif _ITEM_LINE.match(text, refusal.offset, piece.end) is not None:
            # A list without `---` before it: its items can still be read.
            recovered.note(piece, refusal)
            self._insert(split_pieces(text, refusal.offset, piece.end))
            self._keep(piece, reader)
        else:
            is_mapping = len(reader.documents) == 1 and not _is_at_separator(text, refusal)
            by_keys = _by_keys(recovered, piece) if is_mapping else None
            self._add(piece, *(by_keys or recovered.repair(piece, refusal)))

    def _keep(self, piece: Span, reader: Reader) -> None:
        """Take what was read, with its anchors."""
        reader.add_anchors(self._recovered.known)
        self._add(piece, reader.documents, reader.duplicates)

    def _add(self, piece: Span, documents: list[Document], duplicates: list[Duplicate]) -> None:
        self._values += sum(count_nodes(document.root) for document in documents)
        if self._values > VALUES:
            raise TooManyValues(piece.start)
        self.readable += ((piece, document) for document in documents)
        self._recovered.duplicates += duplicates


def _below_broken_head(text: str, piece: Span, known: Mapping[str, Node]) -> tuple[Diagnostic, Span] | None:
    """The error of the first prompt of `piece` below lines that are no list and cannot be read, and those lines.

    None if there are none, or if the lines above the prompt can be read.
    """
    found = separator_below_head(text, piece)
    if found is None:
        return None
    head = Span(piece.start, found.span.start)
    is_sound = Reader(text, head.start, head.end, known).read_to_refusal() is None
    return None if is_sound else (found.diagnostic, head)


def _is_at_separator(text: str, refusal: Refusal) -> bool:
    """Whether reading stopped at a line that was meant as `---`: what follows is another document."""
    starts = (line_start(text, min(refusal.node_start, refusal.offset)), line_start(text, refusal.offset))
    starts = (*starts, line_start(text, max(starts[1] - 1, 0)))
    return any(SEPARATOR.match(text[start : line_end(text, start)].rstrip("\r")) is not None for start in starts)


def late_closing(text: str, documents: Iterable[Document]) -> Refusal | None:
    """The refusal that the first key behind such a text would deserve; None if there is none.

    js-yaml accepts a key on the line on which the value above it ends, if that value began on a line above.
    """
    for document in documents:
        for above, pair in _neighbours(document.root):
            quoted, at = last_scalar(above.value), pair.key.span.start
            if quoted is not None and quoted.span.start < line_start(text, at) < quoted.span.end:
                refusal = Refusal("bad indentation of a mapping entry", at)
                refusal.multiline_quote = Span(quoted.span.start, quoted.span.end)
                return refusal
    return None


def _neighbours(node: Node | None) -> Iterator[tuple[Pair, Pair]]:
    """Each two pairs of a block mapping that follow on each other, in `node` and all that it holds."""
    match node:
        case MappingNode(pairs=pairs, flow=False):
            for above, pair in pairwise(pairs):
                yield from _neighbours(above.value)
                yield above, pair
            yield from _neighbours(pairs[-1].value if pairs else None)
        case SequenceNode(items=items, flow=False):
            for item in items:
                yield from _neighbours(item)
        case _:
            return


_ASKS = ("prompt", "promptText", "messages")
_BEGINS = ("id", "description", *_ASKS)
_ASKING_LINE = re.compile(rf"^ *(?:- +)*(?P<quote>[\"']?)(?:{'|'.join(_ASKS)})(?P=quote):(?=\s|\Z)", re.MULTILINE)
"""The beginning of a line with a question's key."""
_MOST = 50
"""How many prompts without a dash are looked for in one text."""


_LostDash: TypeAlias = tuple[Slip, list[Duplicate]]
"""A prompt that begins without its dash, and the keys that are repeated for this."""


def add_dashes(read: Recovered, *, is_refused: bool) -> None:
    """Report the lost dashes of a text in `read`, in place of the repeated keys that they explain.

    A text that can be read but for those keys is read with the dashes.
    """
    text = read.text
    lost = _lost_dashes(text, read.duplicates)
    explained = {id(duplicate) for _, duplicates in lost for duplicate in duplicates}
    others = [each for each in read.duplicates if id(each) not in explained]
    if lost and not is_refused:
        edited = EditedText.of(text, Span(0, len(text))).edited([edit for slip, _ in lost for edit in slip.edits])
        reader = Reader(edited.text, 0, len(edited.text), {})
        if reader.read_to_refusal() is not None or len(reader.duplicates) > len(others):
            return
        read.documents = list(map(PlacedNodes(text, edited).document, reader.documents)) or read.documents
    read.duplicates = others
    read.diagnostics += (slip.diagnostic for slip, _ in lost)


def _lost_dashes(text: str, duplicates: Sequence[Duplicate]) -> list[_LostDash]:
    """The prompts whose keys are `duplicates` of those of the prompt above, in source order."""
    found: list[_LostDash] = []
    group: list[Duplicate] = []
    asking = [line.start() for line in _ASKING_LINE.finditer(text)] if duplicates else []
    for duplicate in sorted(duplicates, key=lambda each: each.pair.key.span.start):
        at = duplicate.pair.key.span.start
        if group and (
            column(text, at) != column(text, group[0].pair.key.span.start) or _parted(text, group[-1], duplicate)
        ):
            found += _of_group(text, asking, group)
            group = []
        group.append(duplicate)
    found += _of_group(text, asking, group)
    return found if len(found) <= _MOST else []


def _of_group(text: str, asking: Sequence[int], group: list[Duplicate]) -> list[_LostDash]:
    """The prompts of a group of repeated keys in one mapping: each begins where a key is repeated once more.

    `asking`: where the lines with a question's key begin. The first prompt is whole only if it has one.
    """
    found: list[_LostDash] = []
    own: list[Duplicate] = []
    names: set[str] = set()
    for duplicate in group:
        if duplicate.name in names:
            found += _begun_by(text, asking, own)
            own, names = [], set()
        own.append(duplicate)
        names.add(duplicate.name)
    return [*found, *_begun_by(text, asking, own)]


def _begun_by(text: str, asking: Sequence[int], own: list[Duplicate]) -> list[_LostDash]:
    if not own or own[0].name not in _BEGINS:
        return []
    first = own[0]
    at = first.pair.key.span.start
    start, indent = line_start(text, at), column(text, at)
    above = line_start(text, first.first.key.span.start)
    if text[start:at].strip() or not _any_within(asking, above, start):
        return []
    if len(own) < 2 and first.name != "id":
        return []
    if 0 < indent < 2 or (indent and first.first.key.span.start - above != indent):
        return []
    sign, title, edit = ("- ", "add the dash", TextEdit(Span(at - 2, at), "- "))
    if indent == 0:
        sign, title, edit = "---", "add `---`", TextEdit(Span(start, start), "---\n")
    message = f"put `{sign}` before this: a new prompt starts here, and it repeats keys without it"
    return [(Slip(Span(at, line_end(text, at)), message, title, (edit,)), own)]


def _any_within(offsets: Sequence[int], start: int, end: int) -> bool:
    """Whether one of the ascending `offsets` lies in `start` to `end`, excluded."""
    at = bisect_left(offsets, start)
    return at < len(offsets) and offsets[at] < end


def _parted(text: str, before: Duplicate, after: Duplicate) -> bool:
    """Whether the keys belong to different mappings: a line between them stands further to the left."""
    at = after.pair.key.span.start
    between = text[before.pair.key.span.end : at].split("\n")[1:-1]
    return any(
        line.strip() and len(line) - len(line.lstrip(" ")) < column(text, at) for line in between if line[:1] != "#"
    )


def diagnose_duplicate(duplicate: Duplicate) -> Diagnostic:
    """The diagnostic for a key that its mapping already has."""
    return Diagnostic(
        code="Y002",
        slug="duplicate-key",
        severity=Severity.ERROR,
        span=duplicate.pair.key.span,
        message=f"`{duplicate.name}` is already set: join the two, or remove one",
        why=WHY,
        related=(Related(duplicate.first.key.span, f"the first `{duplicate.name}` is here"),),
    )
