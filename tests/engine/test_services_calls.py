"""What a `$call` sends: services as declared, templates, variables, and who would be called."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import ABSENT, FunctionCall, Header
from engine.functions.pages import page
from engine.functions.point_function import Subject
from engine.models.chat import ProviderError
from engine.models.definitions import SETTINGS, filled, service_call
from engine.models.service_client import Host, hosts, prepare
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data
from tests.engine.builders import check, prompt, text
from tests.engine.short_cases import assert_says, data_of
from tests.many_cases import every

SUBJECT = Subject(
    "Paris is the capital.",
    ({"role": "user", "content": "Capital of France?"},),
    "openai:gpt-4o-mini",
    "capital",
    "Capital of France?",
)
VARIABLES = {
    "FACTS_KEY": "sk-12345678",
    "FACTS_URL": "https://facts.example",
    "FACTCHECK_ENDPOINT_URL": "https://check.example/facts",
}
_USUAL = {"host", "accept", "accept-encoding", "connection", "content-length", "user-agent"}


def header(**services: Data) -> Header:
    return Header(NOWHERE, fields={"externalServices": dict(services)})


# What is sent


def sent(mark: str, text: str) -> Iterator[str]:
    """The request of a case, and how it is sent; or why nothing can be."""
    case = data_of(text)
    declared = Header(NOWHERE, fields={"externalServices": case.get("services", {})})
    try:
        call = service_call(FunctionCall(mark, case.get("args", ABSENT)), declared)
        prepared = prepare(call, SUBJECT)
    except ProviderError as error:
        yield f"{error.title}. {error.advice}"
        return
    assert "sk-12345678" not in repr(prepared) + repr(call)
    request, service = prepared.request, call.service
    yield f"{request.method} {request.url}, {'as on Weval' if call.works_on_weval else 'only here'}"
    yield from (f"{name}: {value}" for name, value in request.headers.items() if name not in _USUAL)
    if request.content is not None:
        yield request.content.decode()
    yield f"{service.seconds:g} s, {service.retries} retries after {service.pause:g} s, cached: {service.cached}"
    yield f"consent to {prepared.host} with {', '.join(call.variables) or 'no variable'}"


def test_a_call_is_sent_as_its_file_says(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    def say(mark: str, text: str) -> list[str]:
        with monkeypatch.context() as patch:
            for name, value in VARIABLES.items():
                patch.setenv(name, value)
            patch.delenv(data_of(text).get("unset", "NONE"), raising=False)
            return list(sent(mark, text))

    assert_says(Path(__file__).parent / "wire_cases" / "services.txt", say, pytestconfig)


@given(st.text())
def test_what_a_response_holds_is_never_filled_again(said: str) -> None:
    response = f"{said} ${{SECRET}} {{promptId}}"
    sent = filled({"claim": "({response})", "whole": "{response}"}, Subject(response), lambda name, where: "put in")
    assert sent == {"claim": f"({response})", "whole": response}


@every("name", [*SETTINGS, "{response}", "{modelId}", "{promptId}", "{messages}", "{promptText}"])
def test_the_page_of_call_names_every_setting_and_template(name: str) -> None:
    function = functions.find("call")
    assert function is not None
    assert name in page(function)


# The key of an answer


def key(args: Data, response: str = "Paris", declared: Header | None = None) -> str:
    return prepare(service_call(FunctionCall("call", args), declared or header()), Subject(response)).key


def test_how_long_it_may_take_is_not_in_the_key() -> None:
    assert key({"url": "https://a.example", "timeout_ms": 5}) == key({"url": "https://a.example"})


def test_a_new_credential_of_the_author_has_the_same_key(monkeypatch: pytest.MonkeyPatch) -> None:
    args: Data = {"url": "https://a.example", "headers": {"X-Key": "${FACTS_KEY}"}}
    monkeypatch.setenv("FACTS_KEY", "first-secret")
    first = key(args)
    monkeypatch.setenv("FACTS_KEY", "second-secret")
    assert key(args) == first


# Who would be called


def test_hosts_are_told_with_calls_services_and_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", "sk-12345678")
    monkeypatch.setenv("FACTCHECK_ENDPOINT_URL", "http://localhost:8888/facts")
    declared = header(facts={"url": "https://facts.example/a", "headers": {"X-Key": "${FACTS_KEY}"}})
    capital = prompt(
        [text("names Paris"), check("call", {"service": "facts"}), [check("factcheck", "dates")]],
        [check("not_call", {"url": "https://FACTS.example:443/b"}), check("contains", "Rome")],
    )
    first, second = hosts(declared, [capital, capital])
    assert (first.name, first.calls, first.variables) == ("facts.example", 4, ("FACTS_KEY",))
    assert first.services == ("the service facts", "the service")
    assert (second.name, second.calls) == ("localhost:8888", 2)
    assert second.services == ("the fact-checker",)


def test_consent_is_to_a_host_and_to_the_variables_that_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", "sk-12345678")
    plain: Data = {"url": "https://facts.example"}
    keyed: Data = {**plain, "headers": {"X-Key": "${FACTS_KEY}"}}
    assert [host.consent for host in hosts(header(), [prompt([check("call", plain)])])] == ["service at facts.example"]
    assert [host.consent for host in hosts(header(), [prompt([check("call", keyed)])])] == [
        "service at facts.example (FACTS_KEY)"
    ]


def test_a_host_in_this_network_is_agreed_to_apart() -> None:
    host = Host("nas.example", "https://nas.example/", ("the service",), 1, ())
    assert not host.is_agreed_nearby(["service at nas.example"])
    assert host.is_agreed_nearby(["service at nas.example, in this network"])


def test_consent_to_this_machine_by_its_name_is_enough() -> None:
    host = Host("localhost:8888", "http://localhost:8888/", ("the service",), 1, ())
    assert host.is_agreed_nearby(["service at this machine (localhost:8888)"])


def test_a_call_that_cannot_be_made_asks_nobody() -> None:
    assert hosts(header(), [prompt([check("call", {"service": "facts"}), check("call", {"url": "${NOT_SET}"})])]) == ()
