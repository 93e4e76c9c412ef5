"""Prompts: ids, messages, and what a prompt lacks."""
