"""Judges of text points: panels, prompts, requests, verdicts, consensus and agreement."""
