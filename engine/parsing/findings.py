"""Findings: facts that the parser notes and `engine.rules` reports to authors.

The parser decides *what* is written; a rule says *why it matters and how to fix it*.
"""

from __future__ import annotations

from enum import StrEnum

from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.nodes import Node


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
