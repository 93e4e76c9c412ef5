"""Digests by which records find what they belong to. They are stored: another form of one loses what is saved."""

from __future__ import annotations

import hashlib
import json

_SHORT = 16


def text_digest(text: str) -> str:
    """The SHA-256 of a string, which may have lone surrogates, as 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def short_digest(text: str) -> str:
    """The first 16 hex digits of `text_digest`."""
    return text_digest(text)[:_SHORT]


def data_digest(data: object) -> str:
    """The SHA-256 of `data`, which JSON must be able to write, as 64 hex digits."""
    return text_digest(json.dumps(data))


def short_data_digest(data: object) -> str:
    """The first 16 hex digits of `data_digest`."""
    return data_digest(data)[:_SHORT]
