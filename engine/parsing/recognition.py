"""Recognises the kind of a file, such as whether a search through folders treats it as a blueprint.

A blueprint is a list of prompts, or a header with prompts: under its key `prompts`, or in the documents after it. A
prompt is a mapping with a question (`prompt`, `promptText`, `messages`) and an expectation (`should`, `should_not`,
`ideal`, and their other names), or with a list under `should` or `should_not`. A prompt with only a question is a
draft: it counts if all its keys, and all of the header's, are those of a blueprint. Text that cannot be read is
recognised by the shape of its lines. (002, "How the Parser Interprets Structures"; platform.md, "Where a blueprint
lives".)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TypeAlias

from engine.parsing import Parsed
from engine.parsing.fields import fields
from engine.text.patterns import lazy
from engine.yaml.keys import KEYS, Part
from engine.yaml.nodes import AliasNode, MappingNode, Node, NodeTree, ScalarNode, SequenceNode, resolved
from engine.yaml.tree_loader import load

SUFFIXES = (".yml", ".yaml", ".json")
"""The suffixes, in lower case, of files that Weval treats as blueprints."""
FOLDER = "blueprints"
"""The folder below which Weval treats every file with one of these suffixes as a blueprint."""


class FileKind(StrEnum):
    """The kind of a file. `UNDECIDED` may become a blueprint: it is empty, or has only a header."""

    BLUEPRINT = "blueprint"
    COLLECTION = "collection of models"
    RESULT = "result file"
    RECORDING = "recording of answers"
    UNDECIDED = "undecided"
    OTHER = "other"

    @property
    def is_checked(self) -> bool:
        """Whether a search through folders includes it."""
        return self in (FileKind.BLUEPRINT, FileKind.COLLECTION)

    @property
    def may_be_fixed(self) -> bool:
        """Whether it is, or may become, a blueprint or a collection."""
        return self.is_checked or self is FileKind.UNDECIDED


_Plain: TypeAlias = "None | bool | int | float | str | datetime | list[_Plain] | dict[str, _Plain]"

_DEPTH = 5
"""How many levels are examined: documents, header, prompts, messages, one message."""
_ASKS = ("prompt", "promptText", "messages")
_OWN = ("should", "should_not")
_LISTS = ("points", "expect", "expects", "expectations")
_IDEALS = ("ideal", "idealResponse")
_SPEAKERS = {"role", "content", "user", "assistant", "ai", "system"}
_PROMPT_KEYS = {name for key in KEYS[Part.PROMPT] for name in key.read_as}
_HEADER_KEYS = {name for key in KEYS[Part.HEADER] for name in key.read_as} | {"prompts"}
_IN_LOWER_CASE = {name.lower(): name for name in _HEADER_KEYS | _PROMPT_KEYS | _SPEAKERS}

_NEAR = 0.88
"""The lowest similarity, by `difflib`, of a key and a misspelling of it."""

_LONG = 1_000_000
"""A YAML file with more characters is read only if its lines have the shape of prompts."""
_LONGEST_HEADER = 20_000
"""Text without any key of prompts is read up to this many characters: it may be only a header."""

_WORDS = lazy(r"prompt|should|messages|ideal|expect|points", re.IGNORECASE)
_KEY = r"^[ \t]*(?:[-*•–－][ \t]*)*[\"']?(?:{})[\"']?[ \t]*[:：]"
_ASKING_LINE = lazy(_KEY.format("|".join(_ASKS)), re.MULTILINE)
_OWN_LINE = lazy(_KEY.format("|".join(_OWN)), re.MULTILINE)
_OWN_LIST = lazy(_KEY.format("|".join(_OWN)) + r"[ \t]*(?:#.*)?(?:\[|(?:\r?\n[ \t]*(?:#.*)?)+[-*•–－])", re.MULTILINE)
_EXPECTING_LINE = lazy(_KEY.format("|".join((*_IDEALS, *_LISTS))), re.MULTILINE)
_ID_LINE = lazy(r"^[ \t]*[-*•–－][ \t]*[\"']?id[\"']?[ \t]*:", re.MULTILINE)
_ITEM_LINE = lazy(rf"^[ \t]*-[ \t]*[\"']?(?:{'|'.join(_ASKS)})[\"']?[ \t]*:|^---", re.MULTILINE)
_JSON_PROMPTS = lazy(r"\"prompts\"\s*:\s*\[")
_JSON_ASKING = lazy(rf"\"(?:{'|'.join(_ASKS)})\"\s*:")
_JSON_EXPECTING = lazy(rf"\"(?:{'|'.join((*_OWN, *_IDEALS, *_LISTS))})\"\s*:")
_MODEL = lazy(r"[\w.-]+:(?!//)\S")
_QUOTED_MODEL = lazy(r"\"[\w.-]+:(?!//)[^\"\s]+\"")


def recognise(text: str, path: Path | None = None) -> FileKind:
    """The kind of a file with this `text`; JSON if `path` ends in `.json`, else YAML. Never raises."""
    if path is not None and path.suffix.lower() == ".json":
        return _of_json(text, path)
    if not may_be_blueprint(text) and len(text) > _LONGEST_HEADER:
        return FileKind.OTHER
    return _of_tree(load(text))


def kind_of(parsed: Parsed) -> FileKind:
    """As `recognise`, for a text that is already read."""
    path = parsed.path
    return _of_json(parsed.text, path) if path is not None and parsed.tree.is_json else _of_tree(parsed.tree)


def may_be_blueprint(text: str) -> bool:
    """Whether `text` has any of the words that every blueprint has. Cheap, and rules out most other files."""
    return _WORDS.search(text) is not None and (len(text) <= _LONG or _has_shape(text))


def lies_below_blueprints(path: Path) -> bool:
    """Whether Weval treats the file as a blueprint in its repository, by its folders and its suffix."""
    return path.suffix.lower() in SUFFIXES and FOLDER in path.absolute().parent.parts


def _of_json(text: str, path: Path) -> FileKind:
    is_listed = path.parent.name == "models"
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        if is_listed and path.stem == path.stem.upper() and _QUOTED_MODEL.search(text):
            return FileKind.COLLECTION
        if _has_shape_of_json(text):
            return FileKind.BLUEPRINT
        return FileKind.OTHER if text.strip() else FileKind.UNDECIDED
    if is_listed and _lists_models(data, path.stem):
        return FileKind.COLLECTION
    return _of_documents([data], is_json=True)


def _lists_models(data: object, name: str) -> bool:
    """Whether a file in the folder `models` is a collection, by its entries or by a name in capitals."""
    if not isinstance(data, list):
        return False
    items: list[object] = data  # pyright: ignore[reportUnknownVariableType]
    models = [item for item in items if isinstance(item, str) and _MODEL.match(item)]
    is_named_so = name == name.upper() and all(isinstance(item, str) for item in items)
    return is_named_so or len(models) * 2 > len(items)


def _of_tree(tree: NodeTree) -> FileKind:
    roots = [document.root for document in tree.documents if document.root is not None]
    values = _Values()
    kind = _of_documents([values.of(root) for root in roots], is_json=tree.is_json)
    unclear = tree.error is not None or any(_is_text(resolved(root)) for root in roots)
    if (unclear or kind is FileKind.UNDECIDED) and kind is not FileKind.BLUEPRINT and _has_shape(tree.text):
        return FileKind.BLUEPRINT
    return kind


def _is_text(root: Node) -> bool:
    """Whether a document is one text, or a list of texts in which wide colons may hide keys."""
    if isinstance(root, SequenceNode):
        items = [resolved(item) for item in root.items]
        return bool(items) and all(isinstance(item, ScalarNode) and "：" in item.text for item in items)
    return isinstance(root, ScalarNode)


class _Values:
    """The values of nodes, as deep as they are examined. The targets of aliases are converted once."""

    def __init__(self) -> None:
        self._repeated: dict[tuple[int, int], _Plain] = {}

    def of(self, node: Node, depth: int = _DEPTH) -> _Plain:
        """The value of `node`; collections deeper than `depth` levels are empty."""
        if not isinstance(node, AliasNode):
            return self._of(node, depth)
        target = resolved(node)
        key = (id(target), depth)
        if key not in self._repeated:
            self._repeated[key] = self._of(target, depth)
        return self._repeated[key]

    def _of(self, node: ScalarNode | SequenceNode | MappingNode, depth: int) -> _Plain:
        match node:
            case ScalarNode():
                return node.value
            case SequenceNode():
                return [self.of(item, depth - 1) for item in node.items] if depth else []
            case MappingNode():
                if not depth:
                    return {}
                found = fields(node).items()
                return {_IN_LOWER_CASE.get(name.lower(), name): self.of(pair.value, depth - 1) for name, pair in found}


def _of_documents(documents: Iterable[_Plain], *, is_json: bool) -> FileKind:
    roots = [root for root in documents if root is not None]
    if not roots:
        return FileKind.UNDECIDED
    first = roots[0]
    header = first if isinstance(first, dict) else {}
    if len(roots) == 1 and "prompts" not in header:
        if "evaluationResults" in header or {"allFinalAssistantResponses", "promptIds"} <= header.keys():
            return FileKind.RESULT
        if isinstance(header.get("responses"), dict) and header.keys() <= {"strategy", "responses"}:
            return FileKind.RECORDING
    if any(_expects(item) for item in _items(roots) if item is not first or not _is_foreign_mapping(first, is_json)):
        return FileKind.BLUEPRINT
    return _draft(roots, header, is_json=is_json)


def _is_foreign_mapping(root: _Plain, is_json: bool) -> bool:
    """Whether a document is a mapping with foreign keys, such as translations, and not a prompt."""
    if not isinstance(root, dict) or _is_whole(root):
        return False
    return is_json or not all(name in _HEADER_KEYS or _is_key_of_prompt(name) for name in root)


def _items(roots: Iterable[_Plain]) -> Iterator[_Plain]:
    """All values at the places of prompts: documents, their items, and the items of lists in a header."""
    for root in roots:
        match root:
            case list():
                yield from root
                yield from _prompts_of_only_item(root)
            case dict():
                yield root
                for name, value in root.items():
                    if isinstance(value, list):
                        yield from (item for item in value if name == "prompts" or _is_whole(item))
            case _:
                pass


def _prompts_of_only_item(root: list[_Plain]) -> Iterable[_Plain]:
    """The prompts of a whole blueprint that is the only item of a list."""
    only = root[0] if len(root) == 1 else None
    listed = only.get("prompts") if isinstance(only, dict) and only.keys() <= _HEADER_KEYS else None
    return listed if isinstance(listed, list) else ()


def _draft(roots: Sequence[_Plain], header: dict[str, _Plain], *, is_json: bool) -> FileKind:
    """The kind of a file in which no prompt has an expectation."""
    listed = header.get("prompts")
    match roots:
        case [list() as items] if not is_json and sum(map(_is_draft, items)) * 2 > len(items):
            return FileKind.BLUEPRINT
        case [dict()] if isinstance(listed, list) and header.keys() <= _HEADER_KEYS:
            return FileKind.BLUEPRINT if not listed or any(_is_draft(item) for item in listed) else FileKind.OTHER
        case [dict(), _, *_] if header.keys() <= _HEADER_KEYS | _PROMPT_KEYS:
            rest = [item for root in roots for item in (root if isinstance(root, list) else [root])]
            if any(_is_draft(item) for item in rest):
                return FileKind.BLUEPRINT
        case _:
            pass
    may_become_one = len(roots) == 1 and bool(header) and header.keys() <= _HEADER_KEYS | _PROMPT_KEYS
    return FileKind.UNDECIDED if may_become_one else FileKind.OTHER


def _expects(item: _Plain) -> bool:
    """Whether `item` is a prompt with an expectation."""
    if not isinstance(item, dict):
        return False
    if _asks(item):
        return _has_expectation(item)
    return _has_own_list(item) and all(map(_is_key_of_prompt, item))


def _is_whole(item: _Plain) -> bool:
    """Whether `item` is a prompt at any place, even under a misspelt key."""
    return isinstance(item, dict) and _asks(item) and _has_own_list(item)


def _has_own_list(item: dict[str, _Plain]) -> bool:
    return any(isinstance(item.get(name), list) and item[name] for name in _OWN)


@cache
def _is_key_of_prompt(name: str) -> bool:
    """Whether `name` is a prompt key, or a misspelling of one."""
    return name in _PROMPT_KEYS or bool(get_close_matches(name, _PROMPT_KEYS, 1, _NEAR))


def _has_expectation(item: dict[str, _Plain]) -> bool:
    return (
        any(item.get(name) is not None for name in _OWN)
        or any(isinstance(item.get(name), list) for name in _LISTS)
        or any(isinstance(item.get(name), str) for name in _IDEALS)
    )


def _asks(item: dict[str, _Plain]) -> bool:
    """Whether `item` has a question: the text of a prompt, or messages."""
    if "messages" in item:
        messages = item["messages"]
        return isinstance(messages, list) and all(map(_is_message, messages))
    return any(name in item and not isinstance(item[name], (list, dict)) for name in ("prompt", "promptText"))


def _is_message(item: _Plain) -> bool:
    """Whether `item` is a message: a role and a text, even if the role is misspelt."""
    if not isinstance(item, dict):
        return False
    return not _SPEAKERS.isdisjoint(item) or (len(item) == 1 and all(isinstance(text, str) for text in item.values()))


def _is_draft(item: _Plain) -> bool:
    """Whether `item` has a question, and only keys of prompts."""
    if not isinstance(item, dict) or not all(map(_is_key_of_prompt, item)):
        return False
    return _asks(item) or any(isinstance(item[name], str) and get_close_matches(name, _ASKS, 1, _NEAR) for name in item)


def _has_shape(text: str) -> bool:
    """Whether lines of `text` have the shape of prompts."""
    if _OWN_LIST.search(text):
        return True
    signs = (_ASKING_LINE, _OWN_LINE, _EXPECTING_LINE, _ITEM_LINE)
    asks, has_own, expects, has_items = (sign.search(text) is not None for sign in signs)
    if _ID_LINE.search(text):
        return asks or has_own
    return asks and has_items and (has_own or expects)


def _has_shape_of_json(text: str) -> bool:
    if not _JSON_ASKING.search(text):
        return False
    return bool(_JSON_PROMPTS.search(text) or (text.lstrip()[:1] == "[" and _JSON_EXPECTING.search(text)))
