"""Which fields a server's refusal names, in the shapes that servers have been seen to answer with."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.failures import refused_fields

SENT = ("stream", "stream_options", "max_tokens", "temperature", "stop", "presence_penalty", "reasoning_effort", "seed")

OPENAI_TOKENS = {
    "error": {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    }
}
OPENAI_TEMPERATURE = {
    "error": {
        "message": "Unsupported value: 'temperature' does not support 0 with this model. "
        "Only the default (1) value is supported.",
        "type": "invalid_request_error",
        "param": "temperature",
        "code": "unsupported_value",
    }
}
MISTRAL = {
    "object": "Error",
    "detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}],
    "message": [
        {"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}
    ],
    "type": "invalid_request_error",
    "code": 3001,
}
TWO_AT_ONCE = {
    "detail": [
        {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": 1},
        {"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"},
    ]
}
WITHIN_A_FIELD = {
    "detail": [{"loc": ["body", "stream_options", "include_usage"], "msg": "Extra inputs are not permitted"}]
}
OPENROUTER = {
    "error": {
        "message": "Provider returned error",
        "code": 400,
        "metadata": {"raw": json.dumps(OPENAI_TEMPERATURE), "provider_name": "OpenAI"},
    }
}
MESSAGE_IS_JSON = {"object": "error", "message": json.dumps({"detail": MISTRAL["detail"]}), "param": None}
VLLM = {
    "object": "error",
    "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not "
    "permitted', 'input': {'include_usage': True}}]",
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}
PYDANTIC_TEXT = {
    "message": "1 validation error for ChatCompletionRequest\nstream_options\n  Extra inputs are not permitted "
    "[type=extra_forbidden, input_value={'include_usage': True}, input_type=dict]"
}
GOOGLE = {
    "error": {
        "code": 400,
        "message": "Invalid JSON payload received. Unknown name \"presencePenalty\" at 'generation_config': "
        "Cannot find field.",
        "status": "INVALID_ARGUMENT",
        "details": [{"fieldViolations": [{"field": "generation_config.presence_penalty", "description": "Unknown"}]}],
    }
}
XAI = {"code": "Client specified an invalid argument", "error": "Argument not supported on this model: stop"}
XAI_LATER = {"error": "Model grok-4 does not support parameter presencePenalty."}
ANTHROPIC = {
    "type": "error",
    "error": {"type": "invalid_request_error", "message": "`temperature` is deprecated for this model."},
}
ANTHROPIC_BOTH = {
    "error": {"message": "`temperature` and `top_p` cannot both be specified for this model. Please use only one."}
}
MOONSHOT = {"error": {"message": "invalid temperature: only 1 is allowed for this model", "type": "invalid_request"}}
LITELLM = {
    "error": {
        "message": "litellm.UnsupportedParamsError: openai does not support parameters: ['temperature'], for model=o3",
        "type": "None",
        "param": None,
        "code": "400",
    }
}
GATEWAY = {"error": {"message": f"Error from provider: {json.dumps(OPENAI_TOKENS)}", "type": "api_error"}}
NOT_VERIFIED = {
    "error": {
        "message": "Your organization must be verified to stream this model. Please go to the settings.",
        "param": "stream",
        "code": "unsupported_value",
    }
}


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (OPENAI_TOKENS, {"max_tokens"}),
        (OPENAI_TEMPERATURE, {"temperature"}),
        (MISTRAL, {"stream_options"}),
        (TWO_AT_ONCE, {"seed", "stream_options"}),
        (WITHIN_A_FIELD, {"stream_options"}),
        (OPENROUTER, {"temperature"}),
        (MESSAGE_IS_JSON, {"stream_options"}),
        (VLLM, {"stream_options"}),
        (PYDANTIC_TEXT, {"stream_options"}),
        (GOOGLE, {"presence_penalty"}),
        ([GOOGLE], {"presence_penalty"}),
        (XAI, {"stop"}),
        (XAI_LATER, {"presence_penalty"}),
        (ANTHROPIC, {"temperature"}),
        (ANTHROPIC_BOTH, {"temperature"}),
        (MOONSHOT, {"temperature"}),
        (LITELLM, {"temperature"}),
        (GATEWAY, {"max_tokens"}),
        (NOT_VERIFIED, {"stream"}),
        ("unknown field: stream_options", {"stream_options"}),
        ({"detail": "Unrecognized request argument supplied: reasoning_effort"}, {"reasoning_effort"}),
    ],
)
def test_a_refusal_names_its_fields(body: Any, fields: set[str]) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    assert refused_fields(text, SENT) == fields


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 10000. This model supports at most 4096 completion tokens, you provided 10000.",
        "temperature must be between 0 and 1",
        "temperature: Input should be less than or equal to 1",
        "The request was stopped, as its content is not allowed.",
        "The model tiny is not supported.",
        "This model does not support images.",
        "messages: at least one message is required",
    ],
)
def test_a_value_out_of_range_and_any_other_trouble_name_no_field(message: str) -> None:
    assert refused_fields(json.dumps({"error": {"message": message}}), SENT) == frozenset()


def test_a_value_out_of_range_in_a_named_field_is_no_refusal_of_the_field() -> None:
    body = {"detail": [{"loc": ["body", "temperature"], "msg": "ensure this value is less than or equal to 1"}]}
    assert refused_fields(json.dumps(body), SENT) == frozenset()


def test_only_what_was_sent_is_named() -> None:
    assert refused_fields(json.dumps(OPENAI_TOKENS), ("temperature",)) == frozenset()


def test_a_body_that_is_cut_off_still_names_its_field() -> None:
    whole = json.dumps({"detail": [*MISTRAL["detail"], {"loc": ["body"], "input": "x" * 999}]})
    assert refused_fields(whole[:300], SENT) == {"stream_options"}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["error", "loc", "param", "msg", "x"]), inner),
)


@given(_JSON)
def test_no_body_is_too_odd(body: Any) -> None:
    assert refused_fields(json.dumps(body), SENT) <= set(SENT)
