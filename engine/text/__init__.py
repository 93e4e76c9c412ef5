"""Texts: places, edits, diagnostics, records, and what no file may exceed. What most modules need is its face."""

from engine.text.diagnostics import Diagnostic, Fix, Related, Severity
from engine.text.patterns import lazy
from engine.text.record import Record, replace
from engine.text.spans import Span, TextEdit, in_quotes

__all__ = ["Diagnostic", "Fix", "Record", "Related", "Severity", "Span", "TextEdit", "in_quotes", "lazy", "replace"]
