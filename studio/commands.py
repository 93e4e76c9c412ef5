"""The commands of the command line, by name, each with its line of help. A module of `studio.cli` does each."""

from __future__ import annotations

COMMANDS = {
    "check": "Find what is wrong in blueprints, and mend it.",
    "draft": "Draft points from the ideal of a prompt, to insert.",
    "explain": "The arithmetic of a score, in words and numbers.",
    "functions": "The point functions, with an example of each.",
    "models": "The embedded models: what is there, and how to get it.",
    "open": "Open the studio (what `studio FILE` does).",
    "parse": "How Weval reads a blueprint, as JSON.",
    "rules": "The pitfalls that are looked for, and why they matter.",
    "run": "Run prompts, and show or save the result.",
}
