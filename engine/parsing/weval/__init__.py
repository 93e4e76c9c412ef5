"""What Weval refuses: in its parser, in its loader when a run begins, and in the content hash that names the run.

The checks work on plain values, in Weval's order and with its messages, independently of our own reading (platform.md,
"What refuses a blueprint, and when"). Each of the three reports its first refusal only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from engine.parsing.alias_expansion import check_size
from engine.parsing.fields import fields, is_null, truthy, type_name, value_of
from engine.parsing.normalised_form import definitions, hash_id, json_value, prompt_config
from engine.parsing.parser_notes import Notes
from engine.parsing.structure import Structure, find_structure
from engine.parsing.weval.header_refusals import check_header, check_services
from engine.parsing.weval.javascript_values import Place, Refused
from engine.parsing.weval.prompt_refusals import check_prompt
from engine.parsing.weval.run_refusals import check_hash, check_run
from engine.record import Record
from engine.yaml_nodes.nodes import Data, MappingNode, Node, NodeTree, ScalarNode, SequenceNode, resolved
from engine.yaml_nodes.values import TooLarge, to_data

_HEADER, _PROMPTS = "header", "prompts"
_EMPTY = "Failed to parse YAML blueprint: YAML blueprint is empty or contains only null documents."


class WevalError(Record):
    """Weval's message when it refuses a text, and the offset of what it refuses."""

    message: str
    offset: int


class WevalResult(Record):
    """Whether Weval reads the text, and its first refusal if it does not.

    `run_error` is the first refusal of its loader when a run begins, `hash_error` the reason why it cannot name that
    run. Both are None if it does not read the text at all.
    """

    ok: bool
    error: WevalError | None = None
    run_error: WevalError | None = None
    hash_error: WevalError | None = None

    @property
    def refusal(self) -> WevalError | None:
        """The refusal that an author meets first."""
        return self.error or self.run_error or self.hash_error


def read_as_weval(tree: NodeTree) -> WevalResult:
    """Whether Weval refuses the text of `tree`; text whose aliases expand too far is refused with our own message."""
    try:
        return _read(tree)
    except TooLarge as error:
        return WevalResult(False, WevalError(str(error), error.at.start))


def _read(tree: NodeTree) -> WevalResult:
    if tree.error is not None:
        reason = f"Failed to parse {'JSON' if tree.is_json else 'YAML'} blueprint: {tree.error.reason}"
        return WevalResult(False, WevalError(reason, tree.error.offset))
    check_size(tree)
    structure = find_structure(tree, Notes())
    places = _Places(tree, structure)
    written = to_data(structure.header) if structure.header is not None else {}
    header = written if isinstance(written, dict) else {}
    prompts = [to_data(item) for item in structure.prompts]
    defined = definitions(header)
    error = places.first(lambda: _check_read(tree, header, prompts, defined))
    if error is not None:
        return WevalResult(False, error)

    def made_id(index: int) -> str:
        shown = json_value(defined)
        assert isinstance(shown, dict)
        return hash_id(prompt_config(prompts[index], header, shown))

    run_error = places.first(lambda: check_run(header, prompts, made_id, (_HEADER,)))
    return WevalResult(True, None, run_error, places.first(lambda: check_hash(prompts)))


def _check_read(tree: NodeTree, header: dict[str, Data], prompts: Sequence[Data], defined: dict[str, Data]) -> None:
    _check_document(tree)
    check_header(header, (_HEADER,))
    _check_prompt_list(tree)
    for index, item in enumerate(prompts):
        check_prompt(item, defined, (_PROMPTS, index))
    check_services(header, (_HEADER,))


def _check_document(tree: NodeTree) -> None:
    """Refuse a text that has none of the four structures of a blueprint."""
    roots = [document.root for document in tree.documents if document.root is not None]
    if tree.is_json:
        if roots and is_null(roots[0]):
            raise Refused("Cannot read properties of null (reading 'prompts')", ())
        return
    written = [root for root in map(resolved, roots) if not is_null(root)]
    if not written:
        raise Refused(_EMPTY, ())
    [first, *others] = written
    if not others and isinstance(first, ScalarNode) and not isinstance(first.value, datetime):
        raise Refused(f"Invalid YAML format: Document must be an object or array. Found: {type_name(first)}", ())


def _check_prompt_list(tree: NodeTree) -> None:
    """Refuse `prompts` of a JSON text that is not a list: Weval maps over it whatever it is."""
    root = resolved(tree.documents[0].root) if tree.is_json and tree.documents and tree.documents[0].root else None
    pair = fields(root).get("prompts") if isinstance(root, MappingNode) else None
    if truthy(pair) and not isinstance(value_of(pair), SequenceNode):
        raise Refused("(rawPrompts || []).map is not a function", (_HEADER, "prompts"))


class _Places:
    """Finds the offset in the text for a place among its values."""

    def __init__(self, tree: NodeTree, structure: Structure) -> None:
        self._tree = tree
        self._structure = structure

    def first(self, check: Callable[[], None]) -> WevalError | None:
        """The refusal that `check` raises, or None."""
        try:
            check()
        except Refused as refused:
            return WevalError(refused.message, self._offset(refused.place))
        return None

    def _offset(self, place: Place) -> int:
        """The offset of the innermost node along `place` that exists."""
        node = self._start(place)
        if node is None:
            return 0
        for key in place[2 if place[:1] == (_PROMPTS,) else 1 :]:
            inner = _member(resolved(node), key)
            if inner is None:
                break
            node = inner
        return node.span.start

    def _start(self, place: Place) -> Node | None:
        match place:
            case ("prompts", int(index), *_):
                return self._structure.prompts[index]
            case ("header", *_):
                return self._structure.header
            case _:
                roots = [document.root for document in self._tree.documents if document.root is not None]
                return roots[0] if roots else None


def _member(node: Node, key: str | int) -> Node | None:
    if isinstance(node, SequenceNode) and isinstance(key, int):
        return node.items[key] if key < len(node.items) else None
    if isinstance(node, MappingNode) and isinstance(key, str):
        pair = fields(node).get(key)
        return None if pair is None else pair.value
    return None
