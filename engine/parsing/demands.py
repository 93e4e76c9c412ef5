"""What is demanded of a text: each demand is made once, and read twice.

A demand that is not met is a finding, for the rules and their messages, and it may be what Weval refuses. The readers
make their demands in Weval's order, so the first one that Weval makes too is its answer (platform.md, "What refuses a
blueprint, and when"). A finding says *what* is written; a rule says *why it matters and how to fix it*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, StrEnum, auto
from typing import Final, TypeAlias

from engine.blueprint import RenderAs
from engine.parsing.fields import (
    Fields,
    Thrown,
    fields,
    first_truthy,
    is_between,
    is_null,
    is_object,
    is_written_text,
    items_of,
    number,
    string,
    text_of,
    truthy,
    type_name,
    value_of,
    written_text,
)
from engine.text import Record, Span
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode, json_text, resolved, to_data


class Kind(StrEnum):
    """What was found. The value is the slug of the rule that reports it."""

    QUOTED_FUNCTION = "quoted-function"
    DOLLAR_TEXT = "dollar-text"
    COLON_CITATION = "colon-made-citation"
    NON_STRING_SCALAR = "non-string-scalar"
    LEGACY_TUPLE = "legacy-tuple"
    RUBRIC_NOT_A_LIST = "rubric-not-a-list"
    BAD_POINT = "bad-point"
    HEADER_LOST = "header-lost"
    PROMPT_LOST = "prompt-lost"
    BAD_STRUCTURE = "bad-structure"
    STRAY_ITEM = "stray-item"
    UNKNOWN_KEY = "unknown-key"
    PROMPT_AND_MESSAGES = "prompt-and-messages"
    BAD_MESSAGE = "bad-message"
    KEY_IN_MESSAGE = "key-in-message"
    MESSAGE_ORDER = "message-order"
    FIXED_ANSWER = "fixed-answer"
    BAD_WEIGHT = "bad-weight"
    WEIGHT_AS_POINT = "weight-as-point"
    BAD_RENDER_AS = "bad-render-as"
    BAD_TEMPERATURE = "bad-temperature"
    BAD_AUTHOR = "bad-author"
    BAD_REFERENCE = "bad-reference"
    BAD_TOOLS = "bad-tools"
    BAD_TOOL_USE = "bad-tool-use"
    BAD_SERVICE = "bad-service"
    BAD_SYSTEM = "bad-system"
    DEEP_NESTING = "deep-nesting"
    TEXT_IN_PATH_FUNCTION = "text-in-path-function"
    DOLLAR_IN_FN = "unknown-function"
    FALSY_ARGUMENT_LOST = "falsy-argument-lost"
    UNDEFINED_REF = "undefined-ref"
    CIRCULAR_REF = "circular-ref"
    REF_ATTRIBUTES_IGNORED = "ref-attributes-ignored"
    DEFINITION_COPIED = "definition-copied"
    NOT_WRITTEN = "not-written-yet"
    NO_QUESTION = "no-question"
    MODEL_FORMAT = "model-format"
    WRONG_TYPE = "wrong-type"
    NUMBERED_ID = "prompt-id-type"
    CUSTOM_MODEL_INCOMPLETE = "custom-model-incomplete"
    TEMPERATURE_SHADOWED = "temperature-shadowed"


OF_ONE_TEXT = frozenset((Kind.QUOTED_FUNCTION, Kind.DOLLAR_TEXT))
"""Kinds that concern one text only, so that they hold whatever error follows it."""

OF_ONE_PLACE = OF_ONE_TEXT | {
    Kind.COLON_CITATION,
    Kind.NON_STRING_SCALAR,
    Kind.LEGACY_TUPLE,
    Kind.UNKNOWN_KEY,
    Kind.PROMPT_AND_MESSAGES,
    Kind.KEY_IN_MESSAGE,
    Kind.BAD_WEIGHT,
    Kind.BAD_RENDER_AS,
    Kind.BAD_TEMPERATURE,
    Kind.BAD_TOOLS,
    Kind.BAD_TOOL_USE,
    Kind.BAD_SERVICE,
    Kind.DEEP_NESTING,
    Kind.TEXT_IN_PATH_FUNCTION,
    Kind.DOLLAR_IN_FN,
    Kind.FALSY_ARGUMENT_LOST,
    Kind.UNDEFINED_REF,
    Kind.CIRCULAR_REF,
    Kind.REF_ATTRIBUTES_IGNORED,
    Kind.MODEL_FORMAT,
    Kind.WRONG_TYPE,
    Kind.NUMBERED_ID,
    Kind.TEMPERATURE_SHADOWED,
}
"""Kinds that concern what is written at one place, so that they hold whatever is missing elsewhere."""


class Finding(Record, gc=False):
    """One finding: its kind, its place and, if there is one, its node.

    `prompt` is the index of its prompt, None in the header. `detail` is text for the rule: the key, the name, or the
    value. `refused`: Weval refuses the file for it, with `when_run` only once a run begins (`engine.parsing.demands`
    has its order and its messages). `flagged`: it works here nevertheless.
    """

    kind: Kind
    span: Span
    node: Node | None = None
    prompt: int | None = None
    detail: str = ""
    refused: bool = False
    flagged: bool = False
    when_run: bool = False


LOWEST: Final = 0.1
HIGHEST: Final = 10
"""The bounds of a weight (002, "Point Definition Formats")."""
_RENDER_AS: Final = frozenset(RenderAs)
YES = frozenset(("yes", "true", "on", "y", "1"))
NO = frozenset(("no", "false", "off", "n", "0", "never", "none"))

Value: TypeAlias = "ScalarNode | SequenceNode | MappingNode"
"""A node with its aliases resolved."""
Theirs: TypeAlias = "str | Callable[[], str]"
"""A message of Weval, made only when it is needed: a function, or a text with names of `_Words` in braces."""


class Stage(Enum):
    """Where Weval refuses: in its parser, in its loader as a run begins, or in the content hash that names the run."""

    READ = auto()
    RUN = auto()
    HASH = auto()


class Loose(Enum):
    """Of which values nothing is demanded, beside those that are absent.

    `NULL`: of null. Weval takes all that is false in JavaScript: it is noted, and not refused.
    `FALSE`: of all that is false.
    """

    ABSENT = auto()
    NULL = auto()
    FALSE = auto()


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


class Named(Record):
    """A prompt as Weval's messages name it: by its field `id`, or by the id that is `made` for it."""

    pair: Pair | None = None
    made: str = ""

    def __str__(self) -> str:
        return written_text(self.pair)

    @property
    def known(self) -> str:
        """The name, or "unknown" if it is false in JavaScript."""
        return written_text(self.pair) if truthy(self.pair) else "unknown"

    @property
    def called(self) -> str:
        """The prompt as the loader names it."""
        return f"Prompt ID '{written_text(self.pair) if truthy(self.pair) else self.made}'"


class _Words(Record):
    """What the names in a message of Weval stand for: the prompt, and the values that it refuses.

    `{json}` is the value where Weval refuses the text as JSON; `{text}` is the value of the finding as a string, and
    `{type}` its type. All may raise `Thrown`.
    """

    who: Named
    at: Node | Span
    thrown: Node | Span

    def __getitem__(self, name: str) -> str | Named:
        match name:
            case "prompt":
                return self.who
            case "json":
                return json_text(to_data(_node(self.thrown)))
            case "text":
                return text_of(to_data(_node(self.at)))
            case _:
                return type_name(resolved(_node(self.at)))


def _node(at: Node | Span) -> Node:
    assert not isinstance(at, Span)
    return at


class Demands:
    """The findings so far, and Weval's first refusals.

    `prompt` is the index of the prompt that is being read, None in the header; `who` names it.
    """

    __slots__ = ("_refusals", "findings", "prompt", "who")

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self.findings = list(findings)
        self.prompt: int | None = None
        self.who = Named()
        self._refusals: dict[Stage, WevalError] = {}

    def __call__(
        self,
        met: object,
        at: Node | Span,
        theirs: Theirs,
        kind: Kind,
        detail: str = "",
        *,
        thrown: Node | Span | None = None,
        refused: bool = True,
        flagged: bool = False,
        when_run: bool = False,
    ) -> bool:
        """Whether a demand is met; if not, note a finding of `kind` and, if it is `refused`, Weval's refusal.

        `thrown` is the place of what Weval refuses, if it is another than that of the finding.
        """
        if met:
            return True
        self.note(kind, at, detail, refused=refused, flagged=flagged, when_run=when_run and refused)
        if refused:
            self.refuse(at, theirs, Stage.RUN if when_run else Stage.READ, thrown=thrown)
        return False

    def field(
        self,
        found: Fields,
        key: str,
        is_met: Callable[[Value], object],
        theirs: Theirs | None,
        kind: Kind,
        detail: str | None = None,
        *,
        loose: Loose = Loose.ABSENT,
        refused: bool = True,
        when_run: bool = False,
    ) -> Value | None:
        """The value of the field `key`, if something is demanded of it and it is met; else None.

        Weval makes no such demand if `theirs` is None. The finding is at the value; its detail is the key, by default.
        """
        pair = found.get(key)
        value = value_of(pair)
        is_false = not truthy(pair)
        if (
            pair is None
            or value is None
            or (is_false and (loose is Loose.FALSE or (loose is Loose.NULL and is_null(value))))
        ):
            return None
        refused = refused and theirs is not None and not (loose is Loose.NULL and is_false)
        said = key if detail is None else detail
        met = self(is_met(value), pair.value, theirs or "", kind, said, refused=refused, when_run=when_run)
        return value if met else None

    def items(
        self, listed: Node | None, is_met: Callable[[Node], object], theirs: Theirs, kind: Kind, detail: str
    ) -> None:
        """Demand something of each item of a list, before a run. Weval refuses the whole list."""
        for item in items_of(listed):
            self(is_met(resolved(item)), item, theirs, kind, detail, thrown=listed, when_run=True)

    def note(
        self,
        kind: Kind,
        at: Node | Span,
        detail: str = "",
        *,
        refused: bool = False,
        flagged: bool = False,
        when_run: bool = False,
    ) -> None:
        """Note one finding at a node, or at a span if there is no node."""
        node = None if isinstance(at, Span) else at
        span = at if isinstance(at, Span) else at.span
        self.findings.append(Finding(kind, span, node, self.prompt, detail, refused, flagged, when_run))

    def note_unknown(self, found: Fields, known: frozenset[str]) -> None:
        """Note the fields of `found` that are not among the `known` ones."""
        for name, pair in found.items():
            if name not in known:
                self.note(Kind.UNKNOWN_KEY, pair.key, name)

    def refuse(
        self, at: Node | Span, theirs: Theirs, stage: Stage = Stage.READ, *, thrown: Node | Span | None = None
    ) -> None:
        """Weval refuses the text here, or where it is `thrown`, unless it refused it before."""
        if stage in self._refusals:
            return
        place = at if thrown is None else thrown
        try:
            said = theirs.format_map(_Words(self.who, at, place)) if isinstance(theirs, str) else theirs()
        except Thrown as error:
            said = str(error)
        self._refusals[stage] = WevalError(said, place.start if isinstance(place, Span) else place.span.start)

    def say(self, at: Node, theirs: Callable[[], str], stage: Stage) -> None:
        """Weval makes a text of a value: it refuses what JavaScript has none for."""
        try:
            theirs()
        except Thrown:
            self.refuse(at, theirs, stage)

    def refuse_as(self, others: Demands) -> None:
        """Weval refuses what it refuses in `others`, whose findings are not taken."""
        self._refusals = others._refusals | self._refusals

    def answer(self) -> WevalResult:
        """Weval's answer to all demands that were made."""
        if (error := self._refusals.get(Stage.READ)) is not None:
            return WevalResult(False, error)
        return WevalResult(True, None, self._refusals.get(Stage.RUN), self._refusals.get(Stage.HASH))


# Demands that several parts of a blueprint share


def demand_flag(key: str, found: Fields, demand: Demands) -> None:
    """Note a `key` whose value is neither true nor false. An empty value counts as false.

    Text that means yes is accepted under `noCache`, where Weval reads any text as true (platform.md, A20).
    """

    def is_flag(value: Value) -> bool:
        is_meant = key == "noCache" and meant(value) is True
        return is_meant or (isinstance(value, ScalarNode) and isinstance(value.value, bool))

    demand.field(found, key, is_flag, None, Kind.WRONG_TYPE, loose=Loose.NULL)


def meant(value: Node | None) -> bool | None:
    """The flag that a text or a number means (`yes`, `0`); None if that is unclear."""
    if not isinstance(value, ScalarNode):
        return None
    written = (string(value) if string(value) is not None else value.text) or ""
    word = written.strip().casefold()
    return True if word in YES else False if word in NO else None


def demand_weight(pair: Pair, demand: Demands, theirs: Theirs, thrown: Node | None = None) -> float:
    """The weight in `pair`, clamped to 0.1–10; 1 if it is not a number. Notes a weight that is out of range."""
    value = value_of(pair)
    found = number(value)
    is_sound = found is not None and LOWEST <= found <= HIGHEST
    is_refused = not is_between(value, LOWEST, HIGHEST)
    demand(is_sound, pair.value, theirs, Kind.BAD_WEIGHT, pair_name(pair), thrown=thrown, refused=is_refused)
    return 1.0 if found is None or found != found else float(min(max(found, LOWEST), HIGHEST))


def pair_name(pair: Pair) -> str:
    """The key of `pair` as text."""
    key = resolved(pair.key)
    return key.text if isinstance(key, ScalarNode) else ""


def demand_source(at: Node, demand: Demands, no_source: Theirs, no_title: Theirs) -> None:
    """Demand that a reference or a citation is a text, or a mapping with a `title` or a `name`."""
    value = resolved(at)
    if string(value) is None and demand(is_object(value), at, no_source, Kind.BAD_REFERENCE):
        named = first_truthy(fields(value), "title", "name") if isinstance(value, MappingNode) else None
        demand(is_written_text(value_of(named)), at, no_title, Kind.BAD_REFERENCE, "title")


def read_render_as(found: Fields, demand: Demands, theirs: Theirs) -> RenderAs | None:
    """The `render_as` of the header or of a prompt; None if there is none."""

    def is_known(value: Value) -> bool:
        return string(value) in _RENDER_AS

    value = demand.field(found, "render_as", is_known, theirs, Kind.BAD_RENDER_AS, loose=Loose.FALSE)
    return None if value is None else RenderAs(string(value) or "")
