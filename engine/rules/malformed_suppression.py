"""Comments that were meant as suppressions and suppress nothing: `# studio: ignore`, `# studio ignore[slug]`.

Found by the word after `#`: `studio` in any case, with or without its colon, and then a word for "leave this out". A
remark such as `# Studio ignores the draft` is none: without a colon, brackets or the name of a rule must follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.rules.rule_names import RuleNames
from engine.rules.suppression import COMMENT, Reaches, content_start, is_comment
from engine.text.diagnostics import Diagnostic
from engine.text.patterns import lazy
from engine.text.record import Record, replace
from engine.text.spans import LineIndex, Span
from engine.yaml.nodes import NodeTree

SIGNS = ("tudio", "TUDIO", "gnore[", "file[")
"""One of these stands in each such comment."""
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
_NAME = lazy(r"[^\s,;]+")
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

    def rewritten(self, names: tuple[str, ...]) -> str:
        """The comment as it should be, for these rules, with its reason."""
        return f"{self.form(names)} {self.reason}".rstrip()

    def form(self, names: tuple[str, ...]) -> str:
        """As `rewritten`, without the reason."""
        return f"# studio: {'ignore-file' if self.of_file else 'ignore'}[{', '.join(names)}]"


def held_back(diagnostic: Diagnostic, comments: Sequence[MalformedSuppression]) -> Diagnostic:
    """`diagnostic` without safe fixes if one of `comments` was meant to suppress it: the author wants it as it is."""
    if not any(comment.is_meant_for(diagnostic) for comment in comments):
        return diagnostic
    return replace(diagnostic, fixes=tuple(replace(fix, safe=False) for fix in diagnostic.fixes))


def malformed_suppressions(tree: NodeTree, known: RuleNames) -> Iterator[MalformedSuppression]:
    """All such comments in a text, in order; none in JSON."""
    text = tree.text
    if tree.is_json:
        return
    meant = [match for match in _WORDS.finditer(text) if is_comment(tree, match.start())]
    if not meant:
        return
    sound = {match.start(): match for match in COMMENT.finditer(text)}
    reaches, content = Reaches(LineIndex(text)), content_start(text)
    for match in meant:
        well_formed = sound.get(match.start())
        if well_formed is not None and (well_formed["file"] is None or match.start() < content):
            continue
        found = _malformed(match, known, reaches, content)
        if found is not None and well_formed is not None:
            written = tuple(_NAME.findall(well_formed["names"]))
            found = replace(found, names=written, is_guessed=False, is_misplaced=True)
        if found is not None:
            yield found


def _malformed(match: re.Match[str], known: RuleNames, reaches: Reaches, content: int) -> MalformedSuppression | None:
    rest = match["rest"]
    named, reason, has_brackets = _named(rest, known)
    names, is_guessed = _known(named, known)
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
        return tuple(_NAME.findall(found["names"])), _stripped(found["reason"]), True
    bare = (rest if found is None else found["names"]).lstrip(_AHEAD)
    names: list[str] = []
    for word in _NAME.finditer(bare):
        name = word[0].rstrip("])}>］）】.:")
        if name not in known:
            return tuple(names), _stripped(bare[word.start() :]), found is not None
        names.append(name)
    return tuple(names), "", found is not None


def _stripped(reason: str) -> str:
    return reason.strip(" \t:–—-")


def _known(named: tuple[str, ...], known: RuleNames) -> tuple[tuple[str, ...], bool]:
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
