"""Texts: places, edits, diagnostics, records, and what no file may exceed. What most modules need is its face."""

from engine.text.diagnostics import Diagnostic, Fix, Related, Severity
from engine.text.patterns import lazy
from engine.text.record import Record, field, replace
from engine.text.spans import NOWHERE, Span, TextEdit, apply_edits, count, in_quotes, visible

__all__ = [
    "NOWHERE", "Diagnostic", "Fix", "Record", "Related", "Severity", "Span", "TextEdit", "apply_edits", "count",
    "field", "in_quotes", "lazy", "replace", "visible",
]  # fmt: skip
