"""# bad-service

A service of `externalServices` without a valid `url`, or with an invalid `method` or time limit.

Weval refuses the whole file, so nothing in it is scored. A variable as `url`, `${NAME}`, works here but is refused by
Weval too.

Bad:

    title: Facts
    externalServices:
      checker:
        method: POST
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Facts
    externalServices:
      checker:
        url: https://example.org/check
        method: POST
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: The `should` system, Part 1, External Services.

# call-target: Call without a service or an address

A `$call` that names neither a `service` nor a `url`.

The check cannot run. It counts 0 here, and Weval leaves it out of the score.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {claim: Nairobi is the capital}

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {url: "https://example.org/check", claim: Nairobi is the capital}

Fix: none.

Documents: The `should` system, Part 1, External Services.

# unknown-service

A `$call` to a service that `externalServices` does not declare.

The check cannot run, because the address of the service is unknown. It counts 0 here, and Weval leaves it out of the
score.

Bad:

    title: Capitals
    externalServices:
      checker: {url: "https://example.org/check"}
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {service: cheker, claim: Nairobi is the capital}

Good:

    title: Capitals
    externalServices:
      checker: {url: "https://example.org/check"}
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {service: checker, claim: Nairobi is the capital}

Fix: none. The message suggests a declared service with a similar name.

Documents: The `should` system, Part 1, External Services.

# call-secret-over-http: Secret that is sent unencrypted

A key or password in a header of a service with an `http://` address, which is not encrypted.

Everyone on the way can read the key and use it. The score does not change. An address on this machine is fine.

Bad:

    title: Capitals
    externalServices:
      checker:
        url: http://example.org/check
        headers: {Authorization: Bearer 7d1f}
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {service: checker, claim: Nairobi is the capital}

Good:

    title: Capitals
    externalServices:
      checker:
        url: https://example.org/check
        headers: {Authorization: Bearer 7d1f}
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {service: checker, claim: Nairobi is the capital}

Fix: none. Use `https://` if the service supports it.

Documents: The `should` system, Part 1, External Services.

# factcheck-endpoint: No address for the fact-checking service

A `$factcheck` without the variable `FACTCHECK_ENDPOINT_URL` in this environment.

The variable holds the address of the fact-checking service. In a run without it the check fails with an error: it
counts 0 here, and Weval leaves it out of the score. Nothing is wrong in the file: if you run the blueprint elsewhere,
only the environment there matters. Reported once per file.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $factcheck: look at names of cities only

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names no city but Nairobi as the capital

Fix: none.

Documents: The `should` system, Part 1, Fact-Checking Shortcut, "Requires `FACTCHECK_ENDPOINT_URL` environment
variable".
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from engine.blueprint import Point, Prompt
from engine.parsing.demands import Kind
from engine.parsing.fields import member
from engine.rules.checks import check_rule, checks_in, defined_checks
from engine.rules.refusals import field_rule
from engine.rules.rule import FileView, Report, file_rule, suggestion
from engine.text import lazy
from engine.text.spans import count
from engine.yaml.nodes import NO_MAPPING, Data, MappingNode, Node, ScalarNode, property_name, resolved

_ENDPOINT = "FACTCHECK_ENDPOINT_URL"
_CALLS = ("call", "external", "not_call", "not_external")
_PLAIN = lazy(r"http://(?!(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/?#]|$))", re.IGNORECASE)
_SECRET_HEADER = lazy(r"auth|cookie|password|secret|token|key", re.IGNORECASE)


def _is_call(point: Point) -> bool:
    return point.call.name in _CALLS


def _is_named(value: Data) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _services(view: FileView) -> MappingNode:
    node = member(view.header, "externalServices")
    return node if isinstance(node, MappingNode) else NO_MAPPING


def _all_calls(view: FileView) -> Iterator[Point]:
    """Every `$call` of the file, also those in definitions."""
    for prompt in view.blueprint.prompts:
        yield from filter(_is_call, checks_in(view.in_prompt(prompt)))
    yield from filter(_is_call, defined_checks(view))


@file_rule()
def call_secret_over_http(view: FileView) -> Iterator[Report]:
    if not view.holds("http://"):
        return
    targets = [pair.value for pair in _services(view).pairs]
    targets += [point.argument for point in _all_calls(view) if point.argument is not None]
    for node in map(resolved, targets):
        url, header = member(node, "url"), _secret_header(node)
        if header is not None and isinstance(url, ScalarNode) and _PLAIN.match(url.text):
            yield Report(url.span, f"over http:// everyone on the way can read the header `{header}`: use https://")


def _secret_header(target: Node) -> str | None:
    """The name of the first header that holds a variable or is named like a secret."""
    node = member(target, "headers")
    for pair in node.pairs if isinstance(node, MappingNode) else ():
        value, name = resolved(pair.value), property_name(pair.key)
        if isinstance(value, ScalarNode) and ("${" in value.text or _SECRET_HEADER.search(name)):
            return name
    return None


@file_rule()
def factcheck_endpoint(view: FileView) -> Iterator[Report]:
    if os.environ.get(_ENDPOINT) or not view.holds("factcheck"):
        return
    points = [
        point
        for prompt in view.blueprint.prompts
        for point in view.in_prompt(prompt).checks
        if point.call.name.removeprefix("not_") == "factcheck"
    ]
    if points:
        subject = "this check needs" if len(points) == 1 else f"{count(len(points), 'check')} of this file need"
        where = f"the variable {_ENDPOINT} where the file runs, and it is not set here"
        yield Report(points[0].subject_span, f"{subject} {where}")


@check_rule()
def call_target(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterator[Report]:
    for point in filter(_is_call, points):
        args = point.call.args
        if isinstance(args, dict) and not _is_named(args.get("service")) and not _is_named(args.get("url")):
            yield Report(point.subject_span, "`$call` needs a `service` of `externalServices`, or a `url`")


@file_rule()
def unknown_service(view: FileView) -> Iterator[Report]:
    names = list(_services(view).keys())
    for point in _all_calls(view):
        service = member(point.argument and resolved(point.argument), "service")
        if isinstance(service, ScalarNode) and _is_named(service.value) and service.text not in names:
            instead = suggestion(service.text, names)
            yield Report(service.span, f"there is no service “{service.text}” in `externalServices`{instead}")


bad_service = field_rule(Kind.BAD_SERVICE)
