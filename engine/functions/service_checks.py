"""Checks by services over HTTP.

This module is pure: `engine.models` sends the requests, `engine.evaluation.service_assessment` assesses the replies.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.functions.function_text import expected
from engine.functions.point_function import ABSENT, Args, NotCalled, PointFunction, Result, Subject
from engine.javascript.tasks import Outcome

_CALL_EXAMPLE = '$call: { service: fact-checker, claim: "Paris is the capital", response: "{response}" }'
_CALL_SHAPE = "a mapping with `service` or `url`"
_FACTCHECK_EXAMPLE = '$factcheck: "focus on city names and dates only"'


def _not_called(_args: Args, _subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
    return NotCalled("not called: this check needs a service, and this run calls none")


def _call_problem(args: Args) -> str | None:
    named = isinstance(args, dict) and ("service" in args or "url" in args)
    return None if named else expected(_CALL_SHAPE, args, _CALL_EXAMPLE)


def _factcheck_problem(args: Args) -> str | None:
    is_sound = isinstance(args, str) or args is ABSENT or args is None
    return None if is_sound else expected("an instruction as text", args, _FACTCHECK_EXAMPLE)


FUNCTIONS = (
    PointFunction(
        "call",
        "The verdict of a service on the response, over HTTP, once you allow its host.",
        "{service: name, …} or {url: address, …}",
        _CALL_EXAMPLE,
        _not_called,
        problem=_call_problem,
        aliases=("external",),
        graded=True,
        by_service=True,
        notes=(
            "`service` is a name under externalServices, `url` an address; `method`, `headers`, `timeout_ms`, "
            "`max_retries`, `retry_backoff_ms` and `cache` set how the request is sent. All other keys are sent, with "
            "the response and the ids of model and prompt.",
            "{response}, {modelId}, {promptId}, {messages} and {promptText} are filled in; a string that is just one "
            "of them is replaced by the value itself. ${NAME} is a variable. The reply is "
            '{"score": 0 to 1, "explain": "why"}.',
            "With `method: GET`, all of it is sent in the address; on Weval, such a call fails.",
        ),
    ),
    PointFunction(
        "factcheck",
        "The verdict of the fact-checking service on the response, once you allow its host.",
        "text",
        _FACTCHECK_EXAMPLE,
        _not_called,
        problem=_factcheck_problem,
        graded=True,
        by_service=True,
        notes=(
            "Sends the response as the claim to the address in FACTCHECK_ENDPOINT_URL. Without an instruction, all of "
            "it is checked.",
        ),
    ),
)
