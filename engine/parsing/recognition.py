"""What kind of file a text is: whether a walk through folders takes it for a blueprint.

A blueprint is a list of prompts, or a header with prompts: under its key `prompts`, or in the documents behind it. A
prompt is a mapping that asks (`prompt`, `promptText`, `messages`) and says what is expected (`should`, `should_not`,
`ideal`, and their other names), or that has a list under `should` or `should_not`. One that only asks is a draft: it
counts where all its keys, and all of the header, are a blueprint's. A text that cannot be read is judged by the shape
of its lines. (002, "How the Parser Interprets Structures"; platform.md, "Where a blueprint lives".)
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

from engine.parsing.fields import fields
from engine.parsing.keys import KEYS, Part
from engine.parsing.parsed import Parsed
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import AliasNode, MappingNode, Node, NodeTree, ScalarNode, SequenceNode, resolved

SUFFIXES = (".yml", ".yaml", ".json")
"""What a file is called that Weval would take for a blueprint, in lower case."""
FOLDER = "blueprints"
"""The folder below which Weval takes every file of these suffixes for a blueprint."""


class FileKind(StrEnum):
    """What a file is. `UNDECIDED` is one that may become a blueprint: empty, or with a header alone."""

    BLUEPRINT = "blueprint"
    COLLECTION = "collection of models"
    RESULT = "result file"
    RECORDING = "recording of answers"
    UNDECIDED = "undecided"
    OTHER = "other"

    @property
    def is_checked(self) -> bool:
        """Whether a walk through folders takes it along."""
        return self in (FileKind.BLUEPRINT, FileKind.COLLECTION)

    @property
    def may_be_fixed(self) -> bool:
        """Whether it is not plainly something else."""
        return self.is_checked or self is FileKind.UNDECIDED


_Plain: TypeAlias = "None | bool | int | float | str | datetime | list[_Plain] | dict[str, _Plain]"

_DEPTH = 5
"""How deep is looked: documents, header, prompts, messages, one message."""
_ASKS = ("prompt", "promptText", "messages")
_OWN = ("should", "should_not")
_LISTS = ("points", "expect", "expects", "expectations")
_IDEALS = ("ideal", "idealResponse")
_SPEAKERS = {"role", "content", "user", "assistant", "ai", "system"}
_PROMPT_KEYS = {name for key in KEYS[Part.PROMPT] for name in key.read_as}
_HEADER_KEYS = {name for key in KEYS[Part.HEADER] for name in key.read_as} | {"prompts"}
_IN_LOWER_CASE = {name.lower(): name for name in _HEADER_KEYS | _PROMPT_KEYS | _SPEAKERS}

_NEAR = 0.88
"""How alike a key and a misspelt one are at the least, by `difflib`."""

_LONG = 1_000_000
"""From how many characters on only the shape of its lines makes a YAML file worth reading."""
_LONGEST_HEADER = 20_000
"""Up to how many characters a text without any word of prompts is read, as it may be a header alone."""

_WORDS = re.compile(r"prompt|should|messages|ideal|expect|points", re.IGNORECASE)
_KEY = r"^[ \t]*(?:[-*•–][ \t]*)*[\"']?(?:{})[\"']?[ \t]*:"
_ASKING_LINE = re.compile(_KEY.format("|".join(_ASKS)), re.MULTILINE)
_OWN_LINE = re.compile(_KEY.format("|".join(_OWN)), re.MULTILINE)
_OWN_LIST = re.compile(
    _KEY.format("|".join(_OWN)) + r"[ \t]*(?:#.*)?(?:\[|(?:\r?\n[ \t]*(?:#.*)?)+[-*•–])", re.MULTILINE
)
_EXPECTING_LINE = re.compile(_KEY.format("|".join((*_IDEALS, *_LISTS))), re.MULTILINE)
_ID_LINE = re.compile(r"^[ \t]*[-*•–][ \t]*[\"']?id[\"']?[ \t]*:", re.MULTILINE)
_ITEM_LINE = re.compile(rf"^[ \t]*-[ \t]*[\"']?(?:{'|'.join(_ASKS)})[\"']?[ \t]*:|^---", re.MULTILINE)
_JSON_PROMPTS = re.compile(r"\"prompts\"\s*:\s*\[")
_JSON_ASKING = re.compile(rf"\"(?:{'|'.join(_ASKS)})\"\s*:")
_JSON_EXPECTING = re.compile(rf"\"(?:{'|'.join((*_OWN, *_IDEALS, *_LISTS))})\"\s*:")
_MODEL = re.compile(r"[\w.-]+:(?!//)\S")
_QUOTED_MODEL = re.compile(r"\"[\w.-]+:(?!//)[^\"\s]+\"")


def recognise(text: str, path: Path | None = None) -> FileKind:
    """What kind of file `text` is; JSON where `path` ends in `.json`, else YAML. Raises nothing."""
    if path is not None and path.suffix.lower() == ".json":
        return _of_json(text, path)
    if not may_be_blueprint(text) and len(text) > _LONGEST_HEADER:
        return FileKind.OTHER
    return _of_tree(load(text))


def kind_of(parsed: Parsed) -> FileKind:
    """As `recognise`, of a text that was read already."""
    path = parsed.path
    return _of_json(parsed.text, path) if path is not None and parsed.tree.is_json else _of_tree(parsed.tree)


def may_be_blueprint(text: str) -> bool:
    """Whether `text` has any of the words that every blueprint has. Costs little, and rules out most other files."""
    return _WORDS.search(text) is not None and (len(text) <= _LONG or _has_shape(text))


def lies_below_blueprints(path: Path) -> bool:
    """Whether Weval takes the file for a blueprint wherever it is part of its repository: by its folders and suffix."""
    return path.suffix.lower() in SUFFIXES and FOLDER in path.absolute().parent.parts


def _of_json(text: str, path: Path) -> FileKind:
    is_listed = path.parent.name == "models"
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        if is_listed and path.stem == path.stem.upper() and _QUOTED_MODEL.search(text):
            return FileKind.COLLECTION
        return FileKind.BLUEPRINT if _has_shape_of_json(text) else _otherwise(text)
    if is_listed and _lists_models(data, path.stem):
        return FileKind.COLLECTION
    return _of_documents([data], is_json=True)


def _lists_models(data: object, name: str) -> bool:
    """Whether a file of the folder `models` is a list of models: by what it lists, or by a name in capitals."""
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
    unclear = tree.error is not None or any(isinstance(resolved(root), ScalarNode) for root in roots)
    if (unclear or kind is FileKind.UNDECIDED) and kind is not FileKind.BLUEPRINT and _has_shape(tree.text):
        return FileKind.BLUEPRINT
    return kind


class _Values:
    """The values of nodes as far as they are looked at. What an alias repeats is one value, however often it is."""

    def __init__(self) -> None:
        self._repeated: dict[tuple[int, int], _Plain] = {}

    def of(self, node: Node, depth: int = _DEPTH) -> _Plain:
        """The value of `node`, empty where it goes on below `depth`."""
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
                return {_in_its_case(name): self.of(pair.value, depth - 1) for name, pair in fields(node).items()}


def _in_its_case(name: str) -> str:
    """The key of blueprints that `name` is but for its capitals, else `name`."""
    return _IN_LOWER_CASE.get(name.lower(), name)


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
    """Whether a document that is one mapping is no prompt: texts by keys of any kind, as of translations."""
    if not isinstance(root, dict) or _is_whole(root):
        return False
    return is_json or not all(name in _HEADER_KEYS or _is_key_of_prompt(name) for name in root)


def _items(roots: Iterable[_Plain]) -> Iterator[_Plain]:
    """Whatever stands where prompts stand: a document, an item of one, or an item of a list in a header."""
    for root in roots:
        match root:
            case list():
                yield from root
            case dict():
                yield root
                for name, value in root.items():
                    if isinstance(value, list):
                        yield from (item for item in value if name == "prompts" or _is_whole(item))
            case _:
                pass


def _draft(roots: Sequence[_Plain], header: dict[str, _Plain], *, is_json: bool) -> FileKind:
    """What a text is in which nothing is expected of an answer."""
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
    """Whether `item` is a prompt that says what is expected of an answer."""
    if not isinstance(item, dict):
        return False
    if _asks(item):
        return _says_what_is_expected(item)
    return _has_own_list(item) and all(map(_is_key_of_prompt, item))


def _is_whole(item: _Plain) -> bool:
    """Whether `item` is a prompt wherever it stands, also below a key that is misspelt."""
    return isinstance(item, dict) and _asks(item) and _has_own_list(item)


def _has_own_list(item: dict[str, _Plain]) -> bool:
    return any(isinstance(item.get(name), list) and item[name] for name in _OWN)


@cache
def _is_key_of_prompt(name: str) -> bool:
    """Whether `name` is a key of prompts, or one misspelt."""
    return name in _PROMPT_KEYS or bool(get_close_matches(name, _PROMPT_KEYS, 1, _NEAR))


def _says_what_is_expected(item: dict[str, _Plain]) -> bool:
    return (
        any(item.get(name) is not None for name in _OWN)
        or any(isinstance(item.get(name), list) for name in _LISTS)
        or any(isinstance(item.get(name), str) for name in _IDEALS)
    )


def _asks(item: dict[str, _Plain]) -> bool:
    """Whether `item` has a text to ask, or messages."""
    if "messages" in item:
        messages = item["messages"]
        return isinstance(messages, list) and all(map(_is_message, messages))
    return any(name in item and not isinstance(item[name], (list, dict)) for name in ("prompt", "promptText"))


def _is_message(item: _Plain) -> bool:
    """Whether `item` says who speaks what, be it under a misspelt name."""
    if not isinstance(item, dict):
        return False
    return not _SPEAKERS.isdisjoint(item) or (len(item) == 1 and all(isinstance(text, str) for text in item.values()))


def _is_draft(item: _Plain) -> bool:
    """Whether `item` asks, and has no key that is not a prompt's."""
    if not isinstance(item, dict) or not all(map(_is_key_of_prompt, item)):
        return False
    return _asks(item) or any(isinstance(item[name], str) and get_close_matches(name, _ASKS, 1, _NEAR) for name in item)


def _has_shape(text: str) -> bool:
    """Whether lines of `text` look like those of prompts."""
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


def _otherwise(text: str) -> FileKind:
    return FileKind.OTHER if text.strip() else FileKind.UNDECIDED
