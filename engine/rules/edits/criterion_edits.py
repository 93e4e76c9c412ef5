"""Edits of the text that add one criterion to a prompt, or give one a citation. Each is read again before it counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.blueprint import Block, Prompt
from engine.parsing import Parsed, parse
from engine.rules.edits.added_points import added_criteria
from engine.rules.edits.rubric_edits import Refusal, citation_edits, rubric_contents
from engine.rules.views import FileView, PromptView
from engine.scoring.sums import place
from engine.text.hidden_characters import has_hidden, pictures_in
from engine.text.patterns import lazy
from engine.text.spans import TextEdit
from engine.yaml.trial import works

_NO_ROOM = "there is no room for it where this prompt is written: put its keys on lines of their own"
_NO_PLACE = "it has no place where this criterion is written: add `citation:` in the text"
_CONTROL = lazy(r"[\x00-\x08\x0e-\x1f\x7f]")


def as_wording(passage: str) -> str:
    """A passage of an answer as text to word a criterion from: on one line, without characters that are not seen."""
    line = " ".join(passage.split())
    hidden = {at for at, _ in pictures_in(line)} if has_hidden(line) else set[int]()
    seen = "".join(each for at, each in enumerate(line) if at not in hidden)
    return " ".join(_CONTROL.sub(" ", seen).split())


def new_criterion(parsed: Parsed, prompt: Prompt, block: Block, wording: str) -> tuple[TextEdit, ...] | Refusal:
    """The edits that add a criterion at the end of a block of `prompt`, one of `parsed`. Cost grows with the file."""
    if any((each.rubric.block, each.point.text) == (block, wording) for each in place(prompt)):
        return Refusal(f"`{block}` has this criterion already")
    edits = added_criteria(FileView(parsed), prompt, block, (wording,))
    new = (block, wording, None, None)

    def is_made(before: Sequence[object], after: Sequence[object]) -> bool:
        return len(after) == len(before) + 1 and new in after and [each for each in after if each != new] == [*before]

    return _made(parsed, prompt, edits, is_made, _NO_ROOM)


def cited(parsed: Parsed, prompt: Prompt, at: int, citation: str) -> tuple[TextEdit, ...] | Refusal:
    """The edits that give the point at place `at` of `prompt.points()` a citation. Cost grows with the file."""
    view = PromptView(FileView(parsed), prompt)
    wanted = rubric_contents(prompt)
    placed = place(prompt)[at]
    wanted[at] = (placed.rubric.block, (placed.point.text or "").strip(), placed.point.function, citation)
    edits = citation_edits(view, prompt.points()[at], citation)
    return _made(parsed, prompt, edits, lambda _before, after: list(after) == wanted, _NO_PLACE)


def _made(
    parsed: Parsed,
    prompt: Prompt,
    edits: tuple[TextEdit, ...],
    is_made: Callable[[Sequence[object], Sequence[object]], bool],
    failure: str,
) -> tuple[TextEdit, ...] | Refusal:
    """`edits`, if the rubric of `prompt` reads as it should with them and those of all others as before."""
    before = parsed.blueprint.prompts

    def reads(text: str) -> bool:
        again = parse(text, parsed.path)
        after = again.blueprint.prompts
        if len(after) != len(before) or len(again.tree.diagnostics) > len(parsed.tree.diagnostics):
            return False
        contents = [
            (one.index, rubric_contents(one), rubric_contents(other)) for one, other in zip(before, after, strict=True)
        ]
        return all(is_made(old, new) if index == prompt.index else old == new for index, old, new in contents)

    return edits if edits and works(parsed.text, edits, reads) else Refusal(failure)
