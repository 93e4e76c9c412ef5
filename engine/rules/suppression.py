"""Suppressions: comments `# studio: ignore[slug] reason`, for what the author intends; and what was meant as one.

`# studio: ignore-file[slug] reason` at the top of a file holds for all of it. `# studio: ignore` and `# studio
ignore[slug]` suppress nothing. They are found by the word after `#`: `studio` in any case, with or without its colon,
and then a word for "leave this out". A remark such as `# Studio ignores the draft` is none: without a colon, brackets
or the name of a rule must follow.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from engine.rules.rule import Report, RuleNames, grouped
from engine.text import Diagnostic, Fix, Record, Span, TextEdit, lazy, replace
from engine.text.spans import LineIndex
from engine.yaml.layout import line_end, line_start, newline_of
from engine.yaml.nodes import NodeTree, ScalarNode, Style
from engine.yaml.tree_loader import nodes_around

SIGN = "studio:"
"""Stands in each suppression."""
_FORM = lazy(r"#[ \t]*studio:[ \t]*ignore(?P<file>-file)?\[(?P<names>[^\]\r\n]*)\](?:(?!#[ \t]*studio:)[^\r\n])*")
"""A suppression as it is written, with its reason."""
_LEADING_LINE = lazy(r"[ \t]*(?:#.*)?|%.*|---[ \t]*(?:#.*)?", re.DOTALL)
"""A line that stands above the content: empty, a comment, a directive, or the mark where a document begins."""
_BREAK = lazy(r"\r\n|\r|\n")
_NAME = lazy(r"[^,\s](?:[^,]*[^,\s])?")
_MAX_LINE_LENGTH = 120
"""A comment that would make its line longer than this is written on a line of its own above."""
_BLOCKS = (Style.LITERAL, Style.FOLDED)


class Name(Record):
    """The name of a rule in a comment, a slug or a code, and where it is written."""

    text: str
    span: Span


class Suppression(Record):
    """A suppression comment: diagnostics of the named rules that begin within `span` are not reported.

    `comment` is the span of the comment itself, up to the next suppression on its line. It may follow other text of a
    comment. `of_file`: the comment holds for the whole file.
    """

    names: tuple[Name, ...]
    span: Span
    comment: Span
    of_file: bool = False

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether `diagnostic` begins within `span`."""
        return self.span.start <= diagnostic.span.start <= self.span.end


def suppressions(tree: NodeTree) -> tuple[Suppression, ...]:
    """All suppressions in a text, with the lines that they cover; none in JSON, which has no comments.

    A comment at the end of a line covers that line. A comment on a line of its own covers the item or key that
    follows, with everything indented below it. `ignore-file` covers the file, and counts only above the content.
    """
    found, text = _comments(tree, _FORM), tree.text
    if not found:
        return ()
    reaches, content = _Reaches(text), _content_start(text)
    return tuple(
        _suppression(match, reaches, text) for match in found if match["file"] is None or match.start() < content
    )


def _comments(tree: NodeTree, form: re.Pattern[str]) -> list[re.Match[str]]:
    """The comments of a form, in order; none in JSON."""
    return [] if tree.is_json else [match for match in form.finditer(tree.text) if _is_comment(tree, match.start())]


def _content_start(text: str) -> int:
    """Where the first line of content begins; above it are comments, directives and a `---`.

    A text without content has it beyond its end.
    """
    start = 0
    for line_break in _BREAK.finditer(text):
        if not _LEADING_LINE.fullmatch(text, start, line_break.start()):
            return start
        start = line_break.end()
    return len(text) + 1 if _LEADING_LINE.fullmatch(text, start) else start


def suppress(
    diagnostics: Iterable[Diagnostic], comments: Sequence[Suppression]
) -> tuple[list[Diagnostic], list[list[Name]]]:
    """`diagnostics` without those that one of `comments` suppresses, and the names in each that suppress nothing."""
    names = ((number, name) for number, comment in enumerate(comments) for name in comment.names)
    named = grouped((name.text.lower(), (number, name)) for number, name in names)
    reported: list[Diagnostic] = []
    used: set[tuple[int, Name]] = set()
    for diagnostic in diagnostics:
        meant = (*named.get(diagnostic.slug, ()), *named.get(diagnostic.code.lower(), ()))
        by = [(number, name) for number, name in meant if comments[number].covers(diagnostic)]
        used.update(by)
        if not by:
            reported.append(diagnostic)
    unused = [[name for name in one.names if (number, name) not in used] for number, one in enumerate(comments)]
    return reported, unused


def unused_report(comment: Suppression, idle: Sequence[Name], text: str) -> Report:
    """The report on a comment of which the names `idle` suppress nothing, or that names no rule."""
    listed, left = " and ".join(name.text for name in idle), [name.text for name in comment.names if name not in idle]
    removed, edit = "remove the comment", without_comment(text, comment.comment)
    if left:
        removed = f"remove {listed} from the comment"
        edit = TextEdit(Span(comment.names[0].span.start, comment.names[-1].span.end), ", ".join(left))
    message = "unused suppression: this comment names no rule"
    if comment.names:
        verb = "reports" if len(idle) == 1 else "report"
        message = f"unused suppression: {listed} {verb} nothing {'in this file' if comment.of_file else 'here'}"
    span = Span(idle[0].span.start, idle[-1].span.end) if idle else comment.comment
    return Report(span, message, fixes=(Fix(removed, True, (edit,)),))


def without_comment(text: str, comment: Span) -> TextEdit:
    """The edit that removes the comment at `comment`, with its line if nothing else stands there."""
    start, end = comment.start, comment.end
    if text[line_start(text, start) : start].strip():
        return TextEdit(Span(len(text[:start].rstrip(" \t")), end), "")
    first = line_start(text, start)
    return TextEdit(Span(first, end + len(newline_of(text[end : end + 2])) if end < len(text) else end), "")


def as_intended(tree: NodeTree, span: Span, slug: str) -> tuple[Fix, ...]:
    """The fix "as intended": it adds the comment that suppresses rule `slug` at `span`, and changes no meaning.

    Never safe, because only the author knows what is intended. No fix where a comment has no place.
    """
    edit = suppressing_edit(tree, span, slug)
    return () if edit is None else (Fix("as intended: say so in a comment", False, (edit,)),)


def suppressing_edit(tree: NodeTree, span: Span, slug: str, reason: str = "as intended") -> TextEdit | None:
    """The edit that adds `# studio: ignore[slug] reason` for a diagnostic at `span`, without changing the meaning.

    The comment goes to the end of the line if it fits and the line may have one, else above the item, in its column.
    None in JSON, in a text with a YAML error, and where no item begins on the line.
    """
    text = tree.text
    if tree.is_json or tree.error is not None:
        return None
    start = _start_of_item(tree, span.start)
    first, end = line_start(text, start), line_end(text, start)
    line = text[first:end]
    if not line.strip() or line.lstrip().startswith(("#", "%")):
        return None
    comment = f"# studio: ignore[{slug}] {reason}".rstrip()
    content = first + len(line.rstrip())
    fits = len(line.rstrip()) + 1 + len(comment) <= _MAX_LINE_LENGTH
    if fits and first == line_start(text, span.start) and not _is_within_scalar(tree, content):
        return TextEdit(Span(content, content), f" {comment}")
    if line.startswith(("---", "...")):
        return None
    indent = line[: len(line) - len(line.lstrip(" "))]
    return TextEdit(Span(first, first), f"{indent}{comment}{newline_of(text)}")


def _start_of_item(tree: NodeTree, offset: int) -> int:
    """`offset`, or the first line of a scalar if `offset` is on one of its later lines."""
    first = line_start(tree.text, offset)
    for node in nodes_around(tree, Span(first, first)):
        if isinstance(node, ScalarNode) and node.span.start < first < node.span.end:
            return line_start(tree.text, node.span.start)
    return offset


def _is_within_scalar(tree: NodeTree, offset: int) -> bool:
    """Whether a scalar goes on at `offset`, so that no comment can begin there."""
    return any(
        isinstance(node, ScalarNode)
        and node.span.start <= offset < node.span.end
        and not (node.style in _BLOCKS and offset <= line_end(tree.text, node.span.start))  # the line of the `|`
        for node in nodes_around(tree, Span(offset, offset))
    )


def _is_comment(tree: NodeTree, offset: int) -> bool:
    """Whether the `#` at `offset` begins a comment and is not part of a scalar."""
    return tree.text[offset - 1 : offset] in (" ", "\t", "\r", "\n", "") and not _is_within_scalar(tree, offset)


def _suppression(match: re.Match[str], reaches: _Reaches, text: str) -> Suppression:
    names = tuple(
        Name(found[0], Span(match.start("names") + found.start(), match.start("names") + found.end()))
        for found in _NAME.finditer(match["names"])
    )
    if match["file"] is not None:
        return Suppression(names, Span(0, len(text)), Span(*match.span()), of_file=True)
    return Suppression(names, reaches.of(match.start()), Span(*match.span()))


class _Reaches:
    """What suppressions of one text cover. Those above one item share the search for its end."""

    def __init__(self, text: str) -> None:
        self._lines = lines = LineIndex(text)
        written = (lines.line(number).lstrip() for number in range(lines.line_count))
        self._content = [number for number, line in enumerate(written) if line and not line.startswith("#")]
        self._ends: dict[int, int] = {}

    def of(self, offset: int) -> Span:
        """What a suppression at `offset` covers: its line if it follows content, else the item or key below."""
        line = self._lines.position(offset).line
        own = self._lines.line_span(line)
        ahead = self._lines.line(line)[: offset - own.start].lstrip()
        follows_content = ahead and not ahead.startswith("#")
        return own if follows_content else self._following_item(line)

    def _following_item(self, line: int) -> Span:
        at = bisect_right(self._content, line)
        if at == len(self._content):
            return self._lines.line_span(line)
        if at not in self._ends:
            self._ends[at] = self._lines.line_span(self._last_line(at)).end
        return Span(self._lines.line_span(line + 1).start, self._ends[at])  # with comments between

    def _last_line(self, at: int) -> int:
        """The last line of the item or key that begins on the line of content number `at`."""
        last = self._content[at]
        first = self._lines.line(last)
        indent, is_key = _indent(first), not first.lstrip().startswith("-")
        for number in self._content[at + 1 :]:
            below = self._lines.line(number)
            is_item = is_key and _indent(below) == indent and below.lstrip().startswith("- ")
            if not (is_item or _indent(below) > indent):
                break
            last = number
        return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


SIGNS = ("tudio", "TUDIO", "gnore[", "file[")
"""One of these stands in each such comment."""
_OWN_CODES = ("S090", "S091", "S092")
_WORDS = lazy(
    r"#[ \t]*(?:(?P<studio>(?:blueprint[ _-]?)?studio)(?P<colon>[ \t]*[:：])?[ \t;.,=|–—-]*)?"
    r"(?P<word>(?:file[-_]?|line[-_]?)?(?:ignore[sd]?|disabled?|suppress(?:ed)?|skip|noqa|off|allow)"
    r"(?:[-_ ]?(?:this[-_ ]?)?(?:file|next[-_ ]?line|line|next|rules?|all))?)(?![\w-])"
    r"(?P<rest>(?:(?!#[ \t]*studio)[^\r\n])*)",
    re.IGNORECASE,
)
_BRACKETED = lazy(r"[ \t]*[:：=]?[ \t]*[\[({<［（【](?P<names>[^\])}>］）】]*)(?:[\])}>］）】](?P<reason>.*))?")
_AHEAD = " \t:：="
"""What may stand between the word and bare names."""
_WORD = lazy(r"[^\s,;]+")
_CERTAIN = lazy(r"ignore[sd]?(?:[-_ ]?file)?|file[-_]?ignore", re.IGNORECASE)
"""Words that can mean one thing only."""


class MalformedSuppression(Record):
    """A comment that was meant as a suppression, at `comment`.

    `names` are the rules that it names, as far as they are known; `is_guessed`: they or the word may mean something
    else. `covers` is what it would cover if it were well-formed. `is_above_content`: a comment on the file may stand
    here. `is_misplaced`: nothing else is wrong with it.
    """

    comment: Span
    of_file: bool
    names: tuple[str, ...]
    is_guessed: bool
    reason: str
    covers: Span
    is_above_content: bool
    is_misplaced: bool = False

    def is_meant_for(self, diagnostic: Diagnostic) -> bool:
        """Whether it was meant to suppress `diagnostic`: one of its rules, or any rule if it names none."""
        if not self.covers.start <= diagnostic.span.start <= self.covers.end:
            return False
        return not self.names or diagnostic.slug in self.names or diagnostic.code in self.names

    def form(self, names: tuple[str, ...]) -> str:
        """The comment as it should be, for these rules, without its reason."""
        return f"# studio: {'ignore-file' if self.of_file else 'ignore'}[{', '.join(names)}]"

    def rewritten(self, names: tuple[str, ...], text: str) -> tuple[TextEdit, ...]:
        """The edits that write the comment in its form: in its place, or at the top for one on the file."""
        right = f"{self.form(names)} {self.reason}".rstrip()
        if not self.of_file or self.is_above_content:
            return (TextEdit(self.comment, right),)
        return (TextEdit(Span(0, 0), right + newline_of(text)), without_comment(text, self.comment))


def held_back(diagnostic: Diagnostic, comments: Sequence[MalformedSuppression]) -> Diagnostic:
    """`diagnostic` without safe fixes if one of `comments` was meant to suppress it: the author wants it as it is."""
    if not any(comment.is_meant_for(diagnostic) for comment in comments):
        return diagnostic
    return replace(diagnostic, fixes=tuple(replace(fix, safe=False) for fix in diagnostic.fixes))


def malformed_report(comment: MalformedSuppression, here: Sequence[Diagnostic], text: str) -> Report:
    """The report on such a comment, which may have been meant for the diagnostics that are `here`."""
    written, names = comment.comment.of(text), comment.names
    if comment.is_misplaced:
        title, safe = "move it to the top of the file", True
        message = "`ignore-file` stands below content, so nothing is suppressed: it counts only at the top of the file"
    elif names:
        title, safe = f"write {comment.form(names)}", not comment.is_guessed
        message = f"“{written}” suppresses nothing: write `{comment.form(names)}`"
    else:
        names = tuple(dict.fromkeys(each.slug for each in here if each.code not in _OWN_CODES))
        title, safe = f"name what is reported here: {', '.join(names)}", False
        message = f"“{written}” names no rule, so nothing is suppressed: write `{comment.form(('rule',))}`"
    edits = comment.rewritten(names, text)
    if not names and not comment.is_misplaced:
        title, edits = "remove the comment", (without_comment(text, comment.comment),)
    return Report(comment.comment, message, fixes=(Fix(title, safe, edits),))


def malformed_suppressions(tree: NodeTree, known: RuleNames) -> Iterator[MalformedSuppression]:
    """All such comments in a text, in order; none in JSON."""
    meant, text = _comments(tree, _WORDS), tree.text
    if not meant:
        return
    sound = {match.start(): match for match in _FORM.finditer(text)}
    reaches, content = _Reaches(text), _content_start(text)
    for match in meant:
        well_formed = sound.get(match.start())
        if well_formed is not None and (well_formed["file"] is None or match.start() < content):
            continue
        found = _malformed(match, known, reaches, content)
        if found is not None and well_formed is not None:
            written = tuple(_WORD.findall(well_formed["names"]))
            found = replace(found, names=written, is_guessed=False, is_misplaced=True)
        if found is not None:
            yield found


def _malformed(match: re.Match[str], known: RuleNames, reaches: _Reaches, content: int) -> MalformedSuppression | None:
    rest = match["rest"]
    named, reason, has_brackets = _named(rest, known)
    names, is_guessed = _known_names(named, known)
    if not _is_meant(match, names=names, has_brackets=has_brackets):
        return None
    of_file = "file" in match["word"].lower()
    is_certain = match["studio"] is not None and _CERTAIN.fullmatch(match["word"]) is not None
    return MalformedSuppression(
        comment=Span(match.start(), match.start("rest") + len(rest.rstrip())),
        of_file=of_file,
        names=names if len(names) == len(set(named)) else (),
        is_guessed=is_guessed or not is_certain,
        reason=reason,
        covers=Span(0, len(match.string)) if of_file else reaches.of(match.start()),
        is_above_content=match.start() < content,
    )


def _named(rest: str, known: RuleNames) -> tuple[tuple[str, ...], str, bool]:
    """The names that follow the word, the reason after them, and whether the names stand in brackets."""
    found = _BRACKETED.match(rest)
    if found is not None and found["reason"] is not None:
        return tuple(_WORD.findall(found["names"])), _stripped(found["reason"]), True
    bare = (rest if found is None else found["names"]).lstrip(_AHEAD)
    names: list[str] = []
    for word in _WORD.finditer(bare):
        name = word[0].rstrip("])}>］）】.:")
        if name not in known:
            return tuple(names), _stripped(bare[word.start() :]), found is not None
        names.append(name)
    return tuple(names), "", found is not None


def _stripped(reason: str) -> str:
    return reason.strip(" \t:–—-")


def _known_names(named: tuple[str, ...], known: RuleNames) -> tuple[tuple[str, ...], bool]:
    """Those of `named` that are names of rules, or near to a single one; and whether one is only near."""
    names: list[str] = []
    is_guessed = False
    for name in named:
        if (spelled := known.spelled(name)) is not None:
            names.append(spelled)
        elif len(near := known.nearest(name)) == 1:
            names.append(near[0])
            is_guessed = True
    return tuple(dict.fromkeys(names)), is_guessed


def _is_meant(match: re.Match[str], *, names: tuple[str, ...], has_brackets: bool) -> bool:
    """Whether the comment is meant as a suppression, and is not a remark in words."""
    word = match["word"].lower()
    if match["studio"] is None:  # another tool may have comments like it: only a slug of ours shows what is meant
        return has_brackets and word in ("ignore", "ignore-file", "ignore_file") and any("-" in name for name in names)
    is_bare = has_brackets or not match["rest"].strip()
    if names or ("ignore" in word and is_bare):
        return True
    return match["colon"] is not None and (
        word.startswith("ignore") or (is_bare and word.startswith(("disable", "suppress", "noqa")))
    )
