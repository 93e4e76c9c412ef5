"""What is worth knowing of a check and is no mistake: shown where an author asks, not reported as a problem.

`notes` are about a function, for its reference page; `remarks` about one call of it, for a hover.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.blueprint import FunctionCall
from engine.functions import find
from engine.functions.function_text import count, quoted
from engine.functions.point_function import PointFunction

_ESCAPED = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)
_TWO_SPACES = re.compile(r" {2,}")
_SHARE_NOTE = (
    "Gives part marks: 2 of 3 is 67. Write one point for each to see which is missing, or use $js for all or nothing."
)
_AT_LEAST_NOTE = "Gives part marks below n: 1 of 2 is 50. More than n earns nothing extra."
_NONE_OF_ALL_NOTE = "Full marks only if none is found: each one that is found costs its share."
_DOT_NOTE = r"`.` matches any character except a line break; [\s\S] matches any character."
_END_NOTE = "`^` and `$` match the start and the end of the response, not of a line."
_CASE_NOTE = "Case matters."
_SPACES_NOTE = "Spaces and line breaks matter: “a  b” with two spaces does not match “a b”."
_WORDS_NOTE = "Part marks: half of the least number of words is 50, and so is twice the greatest."
_CALL_NOTES = (
    "`service` is a name under externalServices, `url` an address; `method`, `headers`, `timeout_ms`, `max_retries`, "
    "`retry_backoff_ms` and `cache` set how the request is sent. All other keys are sent, with the response and the "
    "ids of model and prompt.",
    "{response}, {modelId}, {promptId}, {messages} and {promptText} are filled in; a string that is just one of "
    'them is replaced by the value itself. ${NAME} is a variable. The reply is {"score": 0 to 1, "explain": "why"}.',
    "With `method: GET`, all of it is sent in the address; on Weval, such a call fails.",
)
_FACTCHECK_NOTE = (
    "Sends the response as the claim to the address in FACTCHECK_ENDPOINT_URL. Without an instruction, all of it is "
    "checked."
)


def notes(function: PointFunction) -> tuple[str, ...]:
    """What an author has to know of the marks, the case and the blanks of a function; none where all is plain."""
    return tuple(_notes(function))


def _notes(function: PointFunction) -> Iterator[str]:
    name = function.negates or function.name
    if function.negates is not None and name.endswith("contains_all_of"):
        yield _NONE_OF_ALL_NOTE
    elif name.endswith("_all_of"):
        yield _SHARE_NOTE
        any_of = find(name.replace("_all_of", "_any_of"))
        if any_of is not None:
            yield f"If any one of them will do, use ${any_of.name}."
    elif name.endswith("_at_least_n_of"):
        yield _AT_LEAST_NOTE
    elif name == "word_count_between":
        yield _WORDS_NOTE
    elif name == "call":
        yield from _CALL_NOTES
    elif name == "factcheck":
        yield _FACTCHECK_NOTE
    if "matches" in name:
        yield _DOT_NOTE
        yield _END_NOTE
    if _is_literal(name):
        yield _SPACES_NOTE
    if (_is_literal(name) or "matches" in name) and not name.startswith("i"):
        twin = find(f"i{name}")
        yield _CASE_NOTE if twin is None else f"{_CASE_NOTE} ${twin.name} ignores it."


def remarks(call: FunctionCall) -> tuple[str, ...]:
    """The same of one call, with its own numbers and only where it meets them; none for an unknown function."""
    function = find(call.name)
    return () if function is None or function.problem(call.args) is not None else tuple(_remarks(function, call))


def _remarks(function: PointFunction, call: FunctionCall) -> Iterator[str]:
    name = function.negates or function.name
    texts = list(call.texts())
    yield from _of_marks(function, name, len(texts))
    if "matches" in name:
        yield from _of_patterns(texts)
    elif _is_literal(name):
        spaced = next((text for text in texts if _TWO_SPACES.search(text)), None)
        if spaced is not None:
            yield f"{quoted(spaced)} has two spaces together, and does not match where there is one."
    has_letters = any(text.lower() != text.upper() for text in texts)
    if has_letters and (_is_literal(name) or "matches" in name) and not name.startswith("i"):
        twin = find(f"i{name}")
        yield _CASE_NOTE if twin is None else f"{_CASE_NOTE} ${twin.name} ignores it."


def _of_marks(function: PointFunction, name: str, several: int) -> Iterator[str]:
    if name.endswith("_all_of") and several > 1:
        if function.negates is not None:
            each = f"each of the {several} that is found costs {100 / several:.0f}"
            yield f"Full marks only if none is found: {each}."
        else:
            part = f"{several - 1} of {several} is {100 * (several - 1) / several:.0f}"
            yield f"Part marks: {part}. Split it into {count(several, 'point')}, or use $js for all or nothing."
    elif name.endswith("_at_least_n_of"):
        yield _AT_LEAST_NOTE
    elif name == "word_count_between":
        yield _WORDS_NOTE


def _of_patterns(patterns: list[str]) -> Iterator[str]:
    bare = [_ESCAPED.sub("", pattern) for pattern in patterns]
    if any("." in pattern for pattern in bare):
        yield _DOT_NOTE
    if any("$" in pattern for pattern in bare):
        yield "`$` matches the end of the response, not of a line."
    if any(_TWO_SPACES.search(pattern) for pattern in bare):
        yield r"Two spaces together match exactly two; \s+ matches any number of them."


def _is_literal(name: str) -> bool:
    return "contains" in name or name.endswith(("starts_with", "ends_with"))
