"""What lists of prompts call each of them: its own words, without what many of them say, and told apart where cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import Role, unique_keys
from engine.text.record import Record
from engine.text.spans import common_prefix

if TYPE_CHECKING:
    from engine.blueprint import Prompt

GAP = "…"
"""Stands for the phrase, and for words that are left out."""
_LEAST_WORDS = 4
"""A phrase of fewer words says more in its place."""
_LOOKED_AT = 60
"""Words of each prompt in which the phrase is looked for."""
_BEGINNING = 16
"""Characters of a name that stand at least before words that are left out."""

Words: TypeAlias = tuple[str, ...]


class PromptNames(Record):
    """The names of the prompts of a file, and the `phrase` that stands as `…` in them; "" for none."""

    phrase: str = ""
    names: tuple[str, ...] = ()


def prompt_names(prompts: Sequence[Prompt]) -> PromptNames:
    """What lists call these prompts: their words; those that share all their words, or have none, with their ids."""
    return _named(tuple(unique_keys(prompts).values()), tuple(map(own_words, prompts)))


def own_words(prompt: Prompt) -> str:
    """The words of a prompt on one line; of a conversation, those of the last message of the user."""
    written = [message for message in prompt.messages if message.content]
    asked = [message for message in written if message.role is Role.USER]
    return " ".join(((asked or written)[-1].content or "").split()) if written else ""


@lru_cache(maxsize=2)  # most edits change the words of no prompt
def _named(ids: tuple[str, ...], texts: tuple[str, ...]) -> PromptNames:
    phrase, counts = shared_phrase(texts), Counter(texts)
    names = [
        without(phrase, text) if text and counts[text] == 1 else _with_id(id, without(phrase, text))
        for id, text in zip(ids, texts, strict=True)
    ]
    return PromptNames(phrase, tuple(names))


def _with_id(id: str, name: str) -> str:
    return name if name.startswith(f"{id} · ") else f"{id} · {name}".removesuffix(" · ")


def without(phrase: str, text: str) -> str:
    """`text` with `…` for `phrase`, where it stands as whole words."""
    return f" {text} ".replace(f" {phrase} ", f" {GAP} ")[1:-1] if phrase else text


def shared_phrase(texts: Sequence[str]) -> str:
    """Words that a third of `texts`, at least two, share, around the four that most of them do; "" without four such.

    Of longer and shorter ones, those are taken that spare most room as `…`. A text that has a `…` itself would be
    misread: then there is none.
    """
    needed = max(2, -(-len(texts) // 3))
    words = [tuple(text.split(" ")[:_LOOKED_AT]) for text in texts]
    runs = Counter(chain.from_iterable(dict.fromkeys(_runs(each, _LEAST_WORDS)) for each in words))
    seed, shared = max(runs.items(), key=lambda run: run[1], default=((), 0))
    if shared < needed or any(GAP in text for text in texts):
        return ""
    return " ".join(max(_grown(seed, words, needed))[1])


def _runs(words: Words, length: int) -> Iterator[Words]:
    return (words[at : at + length] for at in range(len(words) - length + 1))


def _grown(phrase: Words, texts: Sequence[Words], needed: int) -> Iterator[tuple[int, Words]]:
    """`phrase`, and longer ones around it that enough `texts` have; each with the characters that it spares."""
    length = len(phrase)
    places = [(words, at) for words in texts for at, run in enumerate(_runs(words, length)) if run == phrase]
    places = list({id(words): (words, at) for words, at in reversed(places)}.values())
    while len(places) >= needed:
        words, at = places[0]
        found = words[at : at + length]
        yield (len(" ".join(found)) - len(GAP)) * len(places), found
        before = Counter(words[at - 1] for words, at in places if at)
        behind = Counter(words[at + length] for words, at in places if at + length < len(words))
        (word, count), (next_word, next_count) = (
            max(each.items(), key=lambda found: found[1], default=("", 0)) for each in (before, behind)
        )
        length += 1
        if next_count >= count:
            places = [(words, at) for words, at in places if words[at + length - 1 : at + length] == (next_word,)]
        else:
            places = [(words, at - 1) for words, at in places if at and words[at - 1] == word]


def told_apart(names: Sequence[str], ids: Sequence[str], seen: Callable[[str], str], room: int) -> tuple[str, ...]:
    """What to show of each name where less is `seen` of it than all, so that what is seen of no two is the same.

    That is the name, or its beginning and the words from where it differs from those that look alike; if that is not
    enough, the same of the name with its id. `room` is how many characters are seen about.
    """
    shown = list(names)
    for is_cut, has_id in ((True, False), (False, True), (True, True)):
        looks = list(map(seen, shown))
        counts = Counter(looks)
        alike = [number for number, look in enumerate(looks) if counts[look] > 1]
        whole = {number: _with_id(ids[number], names[number]) if has_id else names[number] for number in alike}
        for number, differs in _differences(whole).items():
            shown[number] = _from(whole[number], differs, room) if is_cut else whole[number]
    return tuple(shown)


def _differences(names: Mapping[int, str]) -> dict[int, int]:
    """How far each name is the same as another one at most."""
    ordered = sorted(names, key=names.__getitem__)
    same = [common_prefix(names[one], names[other]) for one, other in pairwise(ordered)]
    return {number: max(pair) for number, pair in zip(ordered, pairwise([0, *same, 0]), strict=False)}


def _from(name: str, differs: int, room: int) -> str:
    """The first words of `name`, as many as have room, and those from where it `differs`; of a long word, its end."""
    word = name.rfind(" ", 0, differs) + 1
    start = word if differs - word < _BEGINNING else differs - _BEGINNING // 2
    first = max(_BEGINNING, room * 3 // 4 - len(name) + start)
    if start <= first or differs == len(name):
        return name
    return f"{name[:first].rpartition(' ')[0]} {GAP} {name[start:]}".lstrip()
