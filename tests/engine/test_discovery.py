"""The list of models that a server on this machine sends is not trusted."""

from __future__ import annotations

import json

import pytest

from engine.models.provider_registry import model_names


def listed(*names: object) -> bytes:
    return json.dumps({"object": "list", "data": [{"id": name} for name in names]}).encode()


def test_names_come_in_the_order_of_the_list() -> None:
    assert model_names(listed("b", "a")) == ("b", "a")


@pytest.mark.parametrize("name", [None, 7, "", "x" * 201, "half \ud800", ["a"]], ids=str)
def test_what_no_blueprint_could_name_is_left_out(name: object) -> None:
    assert model_names(listed(name, "a")) == ("a",)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"data": 1}', b"\xff", b"[" * 100_000], ids=lambda body: str(body[:9]))
def test_another_body_is_no_list(body: bytes) -> None:
    assert model_names(body) is None
