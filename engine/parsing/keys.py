"""The keys of a blueprint, one row each: for reading, for suggestions when misspelt, and for completion.

From 002: "Configuration Header Fields", "Evaluation Configuration", "Model Configuration", "Prompt Fields", "Message
Formats", "Point Definition Formats", "Tool-Use"; from 000: "External Services".
"""

from __future__ import annotations

import re
from enum import Enum, auto

from engine.blueprint import RenderAs, Role
from engine.text.record import Record


class Part(Enum):
    """The kinds of mappings in a blueprint. In a `FREE` mapping the keys are the author's own."""

    HEADER = auto()
    PROMPT = auto()
    MESSAGE = auto()
    POINT = auto()
    REFERENCE = auto()
    AUTHOR = auto()
    MODEL = auto()
    TOOL = auto()
    TOOL_USE = auto()
    SERVICE = auto()
    EVALUATION = auto()
    COVERAGE = auto()
    JUDGE = auto()
    FREE = auto()


class Shape(Enum):
    """The type of a key's value, in an author's words."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "true or false"
    LIST = "list"
    MAPPING = "mapping"
    ANY = "any value"


class Names(Enum):
    """The names of which a value, or each of its items, is one."""

    FUNCTIONS = auto()
    DEFINITIONS = auto()
    MODELS = auto()
    TOOLS = auto()
    SERVICES = auto()


class Key(Record):
    """One key. `aliases` are its other names; `old` are names that are still read but no longer suggested.

    `values` are all its values, if they are few; `names` says which names it accepts. `part` is the kind of mapping
    that it holds: its value, each item of its list, or, with `named`, each value under a name of the author's.
    `written` is False for keys that are read but should no longer be written.
    """

    name: str
    summary: str
    shape: Shape = Shape.TEXT
    aliases: tuple[str, ...] = ()
    old: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    names: Names | None = None
    part: Part | None = None
    named: bool = False
    written: bool = True

    @property
    def read_as(self) -> tuple[str, ...]:
        """All names under which it is read."""
        return (self.name, *self.aliases, *self.old)


_RENDER_AS = tuple(each.value for each in RenderAs)
_ROLES = tuple(each.value for each in (Role.USER, Role.ASSISTANT, Role.SYSTEM))
_SYSTEM = "The system prompt of every conversation."
_RENDERED = "How answers are shown: markdown, html or plaintext."

KEYS: dict[Part, tuple[Key, ...]] = {
    Part.HEADER: (
        Key("id", "Ignored: the id comes from the file's path.", old=("configId",), written=False),
        Key("title", "The blueprint's name for readers.", old=("configTitle",)),
        Key("description", "What the blueprint is for; Markdown."),
        Key("author", "Who wrote it: a name, or name, url and image_url.", Shape.ANY, part=Part.AUTHOR),
        Key(
            "references",
            "What the blueprint is based on: one reference, or a list.",
            Shape.LIST,
            aliases=("reference", "citations", "citation"),
            part=Part.REFERENCE,
        ),
        Key("tags", "Words for finding the blueprint.", Shape.LIST),
        Key(
            "models",
            "The models to evaluate: provider:model, collections such as CORE, or your own servers.",
            Shape.LIST,
            names=Names.MODELS,
            part=Part.MODEL,
        ),
        Key("system", _SYSTEM, aliases=("systemPrompt",)),
        Key("systems", "Several system prompts; each is tried with every prompt.", Shape.LIST),
        Key("temperature", "How freely models answer, from 0.", Shape.NUMBER),
        Key("temperatures", "Several temperatures; each is tried with every prompt.", Shape.LIST),
        Key("render_as", f"{_RENDERED} For all prompts.", values=_RENDER_AS),
        Key("noCache", "Never uses cached answers, for all prompts.", Shape.FLAG),
        Key("point_defs", "Points to reuse with $ref, each under a name.", Shape.MAPPING, old=("defs",),
            part=Part.POINT, named=True),
        Key("evaluationConfig", "How answers are judged, and by whom.", Shape.MAPPING, part=Part.EVALUATION),
        Key("tools", "The tools that an answer may call.", Shape.LIST, part=Part.TOOL),
        Key("toolUse", "How tools are used: their calls are read, never made.", Shape.MAPPING, part=Part.TOOL_USE),
        Key("externalServices", "Services that $call uses, each under a name.", Shape.MAPPING, part=Part.SERVICE,
            named=True),
        Key("context", "Data of your own, kept with the blueprint.", Shape.MAPPING, part=Part.FREE),
        Key("concurrency", "How many requests run at a time.", Shape.NUMBER),
        Key("embeddingModel", "The model for comparing answers by meaning.", written=False),
        Key("prompts", "The prompts, if they are in the same document.", Shape.LIST, part=Part.PROMPT),
    ),
    Part.PROMPT: (
        Key("id", "The prompt's name in results; made from its text where it has none."),
        Key("description", "What this prompt is about."),
        Key("prompt", "What the model is asked.", aliases=("promptText",)),
        Key("messages", "A conversation of several turns, instead of prompt.", Shape.LIST, part=Part.MESSAGE),
        Key("ideal", "The best answer that you can think of.", aliases=("idealResponse",)),
        Key(
            "should",
            "What a good answer does: the points, one item each.",
            Shape.LIST,
            aliases=("points",),
            old=("expect", "expects", "expectations"),
            part=Part.POINT,
        ),
        Key("should_not", "What a good answer does not do.", Shape.LIST, part=Part.POINT),
        Key("weight", "How much this prompt counts, 0.1 to 10.", Shape.NUMBER, old=("importance", "multiplier")),
        Key("system", "The system prompt, for this prompt only."),
        Key("citation", "Where the prompt comes from.", Shape.ANY, aliases=("reference",), part=Part.REFERENCE),
        Key("temperature", "How freely models answer this prompt, from 0.", Shape.NUMBER),
        Key("render_as", _RENDERED, values=_RENDER_AS),
        Key("noCache", "Never uses cached answers.", Shape.FLAG),
        Key("requiredTools", "Tools that must be called.", Shape.LIST, names=Names.TOOLS),
        Key("prohibitedTools", "Tools that must not be called.", Shape.LIST, names=Names.TOOLS),
        Key("maxCalls", "How many tool calls there may be.", Shape.NUMBER),
    ),
    Part.MESSAGE: (
        Key("user", "What the person says."),
        Key("assistant", "What the model said; null lets the model answer here.", old=("ai",)),
        Key("system", "A system prompt."),
        Key("role", "Who speaks; the text goes under content.", values=_ROLES),
        Key("content", "The text of the message."),
    ),
    Part.POINT: (
        Key("point", "What the answer should say, in words, for a judge.", aliases=("text",)),
        Key("fn", "A point function, without its $.", names=Names.FUNCTIONS),
        Key("arg", "The argument of fn.", Shape.ANY, aliases=("fnArgs",)),
        Key("weight", "How much this point counts, 0.1 to 10.", Shape.NUMBER, aliases=("multiplier",)),
        Key("citation", "Where this point comes from."),
    ),
    Part.REFERENCE: (
        Key("title", "What it is called.", aliases=("name",)),
        Key("url", "Its address."),
    ),
    Part.AUTHOR: (
        Key("name", "Who wrote it."),
        Key("url", "Their page."),
        Key("image_url", "Their picture."),
    ),
    Part.MODEL: (
        Key("id", "The name of this model in results."),
        Key("url", "Where requests go."),
        Key("modelName", "What the server calls the model."),
        Key(
            "inherit",
            "The provider whose API the server uses.",
            values=("openai", "anthropic", "google", "mistral", "together", "xai", "openrouter"),
        ),
        Key("format", "Which kind of endpoint it is.", values=("chat", "completions")),
        Key("promptFormat", "How a completions endpoint gets the conversation.", values=("conversational", "raw")),
        Key("headers", "Further headers of each request.", Shape.MAPPING, part=Part.FREE),
        Key("parameters", "Further parameters; null leaves one out.", Shape.MAPPING, part=Part.FREE),
        Key("parameterMapping", "Other names for the usual parameters.", Shape.MAPPING, part=Part.FREE),
    ),
    Part.TOOL: (
        Key("name", "What the tool is called."),
        Key("description", "What the tool does."),
        Key("schema", "Its arguments, as JSON Schema.", Shape.MAPPING, part=Part.FREE),
    ),
    Part.TOOL_USE: (
        Key("enabled", "Whether tools are used.", Shape.FLAG),
        Key("mode", "The only mode: calls are read, never made.", values=("trace-only",)),
        Key("maxSteps", "How many calls there may be.", Shape.NUMBER),
        Key("outputFormat", "The only format: one line of JSON per call.", values=("json-line",)),
    ),
    Part.SERVICE: (
        Key("url", "Where the service answers."),
        Key("method", "The HTTP method.", values=("GET", "POST", "PUT")),
        Key("headers", "Further headers of each request.", Shape.MAPPING, part=Part.FREE),
        Key("timeout_ms", "How long it may take, in milliseconds.", Shape.NUMBER),
        Key("max_retries", "How often a failed request is repeated.", Shape.NUMBER),
        Key("retry_backoff_ms", "By how much the pause before each repeat grows, in milliseconds.", Shape.NUMBER),
        Key("cache", "Whether replies are cached for a day.", Shape.FLAG),
    ),
    Part.EVALUATION: (
        Key("llm-coverage", "How points in words are judged.", Shape.MAPPING, part=Part.COVERAGE),
    ),
    Part.COVERAGE: (
        Key("judges", "The models that judge.", Shape.LIST, part=Part.JUDGE),
        Key("useExperimentalScale", "Ten grades instead of five.", Shape.FLAG),
        Key("judgeModels", "Now: judges.", Shape.LIST, names=Names.MODELS, written=False),
        Key("judgeMode", "No longer read.", values=("consensus", "failover"), written=False),
    ),
    Part.JUDGE: (
        Key("model", "The model that judges.", names=Names.MODELS),
        Key("approach", "What the judge is shown.", values=("holistic", "prompt-aware", "standard")),
        Key("id", "The judge's name in results."),
    ),
    Part.FREE: (),
}  # fmt: skip
"""All keys, in the order in which completion offers them."""


def names_read(part: Part) -> frozenset[str]:
    """All names under which keys are read in `part`."""
    return frozenset(name for key in KEYS[part] for name in key.read_as)


def suggested_names(part: Part) -> tuple[str, ...]:
    """The names to suggest for a misspelt key of `part`."""
    return tuple(name for key in KEYS[part] if key.written for name in (key.name, *key.aliases))


_BY_NAME = {part: {name: key for key in keys for name in key.read_as} for part, keys in KEYS.items()}


def find_key(part: Part, name: str) -> Key | None:
    """The key that is read as `name` in `part`, or None."""
    return _BY_NAME[part].get(name)


def is_named(name: str) -> bool:
    """Whether some part of a blueprint has a key of this name, in whatever capitals."""
    return any(name.casefold() in names for names in _BY_NAME.values())


_LIKE_TEXT = frozenset(("text", "texts", "txt", "point", "criterion"))


def is_like_text(name: str) -> bool:
    """Whether a key that Weval takes for a criterion was meant for `text`: in capitals, with signs that nobody sees."""
    return re.sub(r"\W", "", name).casefold() in _LIKE_TEXT
