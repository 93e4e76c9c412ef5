"""Checks by services over HTTP. Known by name here, so that they are not taken for slips; not run in this version."""

from __future__ import annotations

from collections.abc import Sequence

from engine.functions.registry import Args, CheckError, PointFunction, Result, Subject
from engine.functions.wording import expected
from engine.javascript.tasks import Outcome

_CALL_EXAMPLE = '$call: { service: fact-checker, claim: "Paris is the capital", response: "{response}" }'
_CALL_SHAPE = "a mapping with `service` or `url`"
_FACTCHECK_EXAMPLE = '$factcheck: "focus on city names and dates only"'


def _not_run(what: str) -> Result:
    return CheckError(f"Not run in this version: {what} asks a service over the network. Weval would run it.")


def _call(_args: Args, _subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
    return _not_run("$call")


def _factcheck(_args: Args, _subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
    return _not_run("$factcheck")


def _call_problem(args: Args) -> str | None:
    named = isinstance(args, dict) and ("service" in args or "url" in args)
    return None if named else expected(_CALL_SHAPE, args, _CALL_EXAMPLE)


def _factcheck_problem(args: Args) -> str | None:
    return None if isinstance(args, str | dict) else expected("an instruction as a text", args, _FACTCHECK_EXAMPLE)


FUNCTIONS = (
    PointFunction(
        "call",
        "What a service says about the response (an HTTP request). Not run in this version.",
        "{service: name, …} or {url: address, …}",
        _CALL_EXAMPLE,
        _call,
        problem=_call_problem,
        aliases=("external",),
        graded=True,
        runs=False,
    ),
    PointFunction(
        "factcheck",
        "What the fact-checking service says about the response. Not run in this version.",
        "text",
        _FACTCHECK_EXAMPLE,
        _factcheck,
        problem=_factcheck_problem,
        graded=True,
        runs=False,
    ),
)
