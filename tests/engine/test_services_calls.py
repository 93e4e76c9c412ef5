"""What a `$call` sends: services as declared, templates, variables, and who would be called."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import ABSENT, FunctionCall, Header
from engine.functions.pages import page
from engine.functions.point_function import Subject
from engine.models.chat import ProviderError
from engine.models.definitions import SETTINGS, Method, filled, service_call
from engine.models.service_client import Host, hosts, prepare
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data
from tests.engine.builders import check, prompt, text
from tests.many_cases import every

SUBJECT = Subject(
    "Paris is the capital.",
    ({"role": "user", "content": "Capital of France?"},),
    "openai:gpt-4o-mini",
    "capital",
    "Capital of France?",
)
SERVICE: Data = {"url": "https://facts.example/check"}


def as_written(variable: str, _where: str) -> str:
    return variable


def header(**services: Data) -> Header:
    return Header(NOWHERE, fields={"externalServices": dict(services)})


def trouble(args: Any, declared: Header, name: str = "call") -> str:
    with pytest.raises(ProviderError) as caught:
        prepare(service_call(FunctionCall(name, args), declared), SUBJECT)
    return f"{caught.value.title}. {caught.value.advice}"


# Templates


def test_a_date_in_a_template_is_sent_as_json_has_it() -> None:
    assert filled(datetime(2024, 5, 1, tzinfo=UTC), SUBJECT, as_written) == "2024-05-01T00:00:00.000Z"


@given(st.text())
def test_what_a_response_holds_is_never_filled_again(said: str) -> None:
    response = f"{said} ${{SECRET}} {{promptId}}"
    sent = filled({"claim": "({response})", "whole": "{response}"}, Subject(response), lambda name, where: "put in")
    assert sent == {"claim": f"({response})", "whole": response}


def test_names_of_parameters_are_left_as_they_are() -> None:
    assert filled({"{response}": 1}, SUBJECT, as_written) == {"{response}": 1}


# What is sent


def test_response_model_and_prompt_go_with_every_call() -> None:
    call = service_call(FunctionCall("call", {"service": "facts", "claim": "It is Paris"}), header(facts=SERVICE))
    assert call.body(SUBJECT, as_written) == {
        "response": "Paris is the capital.",
        "modelId": "openai:gpt-4o-mini",
        "promptId": "capital",
        "claim": "It is Paris",
    }


def test_what_an_author_writes_for_them_wins() -> None:
    call = service_call(FunctionCall("call", {"url": "https://a.example", "response": "kept back"}), header())
    assert call.body(SUBJECT, as_written)["response"] == "kept back"


def test_what_says_whom_to_ask_and_how_is_not_sent() -> None:
    written: Data = {
        "url": "https://a.example",
        "method": "PUT",
        "headers": {"X-Key": "1"},
        "timeout_ms": 1500,
        "cache": False,
        "max_retries": 0,
        "retry_backoff_ms": 10,
        "own": True,
    }
    call = service_call(FunctionCall("call", written), header())
    assert set(call.body(SUBJECT, as_written)) == {"response", "modelId", "promptId", "own"}
    service = call.service
    assert (service.method, service.seconds, service.retries, service.pause) == (Method.PUT, 1.5, 0, 0.01)
    assert (dict(service.headers), service.cached) == ({"X-Key": "1"}, False)


def test_a_service_has_30_seconds_two_retries_and_a_day_unless_it_says_otherwise() -> None:
    service = service_call(FunctionCall("external", {"service": "facts"}), header(facts=SERVICE)).service
    assert (service.method, service.seconds, service.retries, service.cached) == (Method.POST, 30.0, 2, True)


def test_factcheck_sends_the_response_as_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTCHECK_ENDPOINT_URL", "https://check.example/facts")
    call = service_call(FunctionCall("factcheck", "dates only, not {response}"), header())
    assert call.body(SUBJECT, as_written) == {
        "claim": "Paris is the capital.",
        "instruction": "dates only, not {response}",
        "includeRaw": False,
    }
    assert prepare(call, SUBJECT).host == "check.example"
    assert call.works_on_weval


@pytest.mark.parametrize("args", [ABSENT, None])
def test_a_bare_factcheck_checks_everything(args: Any) -> None:
    assert service_call(FunctionCall("factcheck", args), header()).body(SUBJECT, as_written)["instruction"] == ""


def test_variables_are_put_in_where_it_is_sent_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", "sk-12345678")
    monkeypatch.setenv("FACTS_URL", "https://facts.example")
    declared = header(facts={"url": "${FACTS_URL}/v1", "headers": {"Authorization": "Bearer ${FACTS_KEY}"}})
    call = service_call(FunctionCall("call", {"service": "facts", "depth": ["${FACTS_KEY}"]}), declared)
    prepared = prepare(call, SUBJECT)
    assert call.variables == ("FACTS_URL", "FACTS_KEY")
    assert prepared.request.headers["Authorization"] == "Bearer sk-12345678"
    assert b'"depth": ["sk-12345678"]' in (prepared.request.content or b"")
    assert str(prepared.request.url) == "https://facts.example/v1"
    assert "sk-12345678" not in repr(prepared) + repr(call)
    assert call.body(SUBJECT, as_written)["depth"] == ["${FACTS_KEY}"]


def test_a_variable_that_is_the_whole_address_is_not_sent() -> None:
    args: Data = {"url": "${FACTS_URL}", "headers": {"X-Key": "${FACTS_KEY}"}}
    assert service_call(FunctionCall("call", args), header()).variables == ("FACTS_KEY",)
    assert service_call(FunctionCall("factcheck", "dates"), header()).variables == ()


def test_with_get_everything_stands_in_the_address() -> None:
    args: Data = {"url": "https://a.example/?v=1", "method": "GET", "limits": [1, 2], "exact": True}
    call = service_call(FunctionCall("call", args), header())
    request = prepare(call, SUBJECT).request
    assert request.content is None
    assert dict(request.url.params) == {
        "v": "1",
        "response": "Paris is the capital.",
        "modelId": "openai:gpt-4o-mini",
        "promptId": "capital",
        "limits": "[1, 2]",
        "exact": "true",
    }
    assert not call.works_on_weval


@every("name", [*SETTINGS, "{response}", "{modelId}", "{promptId}", "{messages}", "{promptText}"])
def test_the_page_of_call_names_every_setting_and_template(name: str) -> None:
    function = functions.find("call")
    assert function is not None
    assert name in page(function)


# The key of an answer


def key(args: Data, response: str = "Paris", declared: Header | None = None) -> str:
    return prepare(service_call(FunctionCall("call", args), declared or header()), Subject(response)).key


def test_another_answer_and_another_host_have_another_key() -> None:
    mine = key({"url": "https://a.example"})
    assert mine != key({"url": "https://a.example"}, response="Rome")
    assert mine != key({"url": "https://b.example"})


def test_how_long_it_may_take_is_not_in_the_key() -> None:
    assert key({"url": "https://a.example", "timeout_ms": 5}) == key({"url": "https://a.example"})


def test_a_new_credential_of_the_author_has_the_same_key(monkeypatch: pytest.MonkeyPatch) -> None:
    args: Data = {"url": "https://a.example", "headers": {"X-Key": "${FACTS_KEY}"}}
    monkeypatch.setenv("FACTS_KEY", "first-secret")
    first = key(args)
    monkeypatch.setenv("FACTS_KEY", "second-secret")
    assert key(args) == first


# What cannot be sent


def test_factcheck_without_its_variable_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    assert trouble("dates", header(), "factcheck").startswith(
        "The fact-checker: the variable FACTCHECK_ENDPOINT_URL is not set. Set FACTCHECK_ENDPOINT_URL and start again."
    )


def test_factcheck_with_a_list_says_what_it_takes() -> None:
    assert "$factcheck needs an instruction as text; this is the list" in trouble(["dates"], header(), "factcheck")


@every("services", [None, "facts", [SERVICE], 5])
def test_services_of_another_shape_declare_nothing(services: Data) -> None:
    declared = Header(NOWHERE, fields={"externalServices": services})
    assert "There is no service “facts”" in trouble({"service": "facts"}, declared)


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
