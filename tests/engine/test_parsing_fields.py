"""Reading of messages, and of the other fields of a prompt and of the header."""

from __future__ import annotations

from typing import Any

import pytest

from engine.blueprint import ABSENT
from engine.parsing import Parsed, parse
from engine.parsing.demands import Kind
from tests.engine.parsing_cases import LIST, of_kind, prompt

# Conversations


def conversation(*messages: str) -> Parsed:
    return parse("- id: p1\n  messages:\n" + "".join(f"    - {message}\n" for message in messages))


@pytest.mark.parametrize(
    "messages",
    [
        ("user: a", "assistant: b", "system: c", "user: d"),
        ("{role: user, content: a}", "{role: assistant, content: b}", "{role: system, content: c}", "user: d"),
        ("user: a", "ai: b", "system: c", "user: d"),
    ],
)
def test_messages_are_read_in_both_forms(messages: tuple[str, ...]) -> None:
    [only] = conversation(*messages).blueprint.prompts
    assert [(message.role.value, message.content) for message in only.messages] == [
        ("user", "a"),
        ("assistant", "b"),
        ("system", "c"),
        ("user", "d"),
    ]


@pytest.mark.parametrize("turn", ["assistant: null", "assistant:", "ai: null", "{role: assistant, content: null}"])
def test_an_assistant_turn_without_content_is_to_be_generated(turn: str) -> None:
    [only] = conversation("user: a", turn, "user: b").blueprint.prompts
    assert only.messages[1].content is None


@pytest.mark.parametrize(
    ("messages", "kind", "part"),
    [
        (("user: a", "assistant: null"), Kind.MESSAGE_ORDER, "assistant"),
        (("user: a", "assistant: b"), Kind.FIXED_ANSWER, "assistant"),
        (("assistant: a", "user: b"), Kind.MESSAGE_ORDER, "assistant"),
        (("user: a", "user: b"), Kind.MESSAGE_ORDER, "user"),
        (("user: a", "assistant: x", "assistant: null", "user: d"), Kind.MESSAGE_ORDER, "assistant"),
    ],
)
def test_an_order_that_works_here_and_not_on_weval_is_flagged_at_the_role(
    messages: tuple[str, ...], kind: Kind, part: str
) -> None:
    parsed = conversation(*messages)
    [finding] = parsed.findings
    assert (finding.kind, finding.flagged, finding.span.of(parsed.text)) == (kind, True, part)


@pytest.mark.parametrize("message", ["bot: x", "{user: a, assistant: b}", "[user, x]", "just text", "user: ''"])
def test_a_bad_message_is_told(message: str) -> None:
    assert Kind.BAD_MESSAGE in {finding.kind for finding in conversation(message, "user: b").findings}


def test_messages_win_over_a_prompt_and_both_are_told() -> None:
    parsed = parse("- id: p1\n  prompt: a\n  messages:\n    - user: b\n")
    assert parsed.blueprint.prompts[0].messages[0].content == "b"
    assert [finding.kind for finding in parsed.findings] == [Kind.PROMPT_AND_MESSAGES]


# Fields of prompt and header


def test_a_prompt_takes_rendering_and_caching_from_the_header() -> None:
    found = prompt("", header="render_as: html\nnoCache: true\n---\n")
    assert (found.render_as.value, found.no_cache) == ("html", True)


@pytest.mark.parametrize("key", ["weight", "importance", "multiplier"])
def test_a_prompt_weight_has_three_names(key: str) -> None:
    assert prompt(f"{key}: 2").weight == 2


@pytest.mark.parametrize(("body", "system"), [("", ABSENT), ("system: null", None), ("system: S", "S")])
def test_an_absent_system_prompt_is_not_a_cleared_one(body: str, system: Any) -> None:
    assert prompt(body).system == system


@pytest.mark.parametrize(
    ("header", "systems"),
    [("system: S", ("S",)), ("systemPrompt: S", ("S",)), ("system: [null, A]", (None, "A")), ("systems: [A]", ("A",))],
)
def test_a_header_names_its_system_prompts_in_four_ways(header: str, systems: tuple[str | None, ...]) -> None:
    assert parse(f"{header}\n---\n{LIST}").blueprint.header.systems == systems


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("author: 5", Kind.BAD_AUTHOR),
        ("references: [{url: x}]", Kind.BAD_REFERENCE),
        ("render_as: Markdown", Kind.BAD_RENDER_AS),
        ("models: {a: b}", Kind.MODEL_FORMAT),
        ("models: [{id: i, url: u}]", Kind.CUSTOM_MODEL_INCOMPLETE),
        ("tools: [{description: d}]", Kind.BAD_TOOLS),
        ("toolUse: {mode: auto}", Kind.BAD_TOOL_USE),
        ("externalServices: {a: {method: POST}}", Kind.BAD_SERVICE),
        ("temperature: warm", Kind.BAD_TEMPERATURE),
        ("system: [1]", Kind.BAD_SYSTEM),
        ("titel: T", Kind.UNKNOWN_KEY),
    ],
)
def test_a_header_field_that_weval_refuses_is_told(line: str, kind: Kind) -> None:
    assert [finding.kind for finding in parse(f"title: T\n{line}\n---\n{LIST}").findings] == [kind]


@pytest.mark.parametrize("key", ["concurrency", "embeddingModel", "externalServices", "systems", "context"])
def test_a_key_that_is_honoured_but_undocumented_is_not_told(key: str) -> None:
    assert of_kind(parse(f"{key}: null\n---\n{LIST}"), Kind.UNKNOWN_KEY) == []


def test_a_service_address_from_the_environment_works_here_and_is_flagged() -> None:
    [finding] = parse(f'externalServices: {{a: {{url: "${{URL}}"}}}}\n---\n{LIST}').findings
    assert (finding.kind, finding.flagged) == (Kind.BAD_SERVICE, True)


def test_two_prompts_of_the_same_content_share_their_hash() -> None:
    first, second = parse("- prompt: x\n- prompt: x\n").blueprint.prompts
    assert first.id == second.id == "hash-7a819a780e84"


HEADERS = ("", "render_as: html\n---\n", "noCache: true\n---\n", "noCache: false\n---\n")


def test_a_hash_depends_on_what_the_prompt_inherits_however_often_it_is_read() -> None:
    ids = [parse(f"{header}- prompt: x\n").blueprint.prompts[0].id for header in HEADERS * 2]
    assert ids[:4] == ids[4:]
    assert len(set(ids)) == 4


@pytest.mark.parametrize("reference", ["$ref: a", "{fn: ref, arg: a}"])
def test_a_hash_depends_on_what_its_references_name(reference: str) -> None:
    headers = ("point_defs: {a: one()}\n---\n", "point_defs: {a: two()}\n---\n")
    first, second = (
        parse(f"{header}- prompt: x\n  should:\n    - {reference}\n").blueprint.prompts[0].id for header in headers
    )
    assert first != second


def test_a_hash_follows_an_alias() -> None:
    first, second = (parse(f"- prompt: &a {word}\n- prompt: *a\n").blueprint.prompts[1].id for word in ("one", "two"))
    assert first != second
