"""The commands of the command line, by name, each with its line of help. A module of `studio.cli` does each."""

from __future__ import annotations

import os

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


def names_file(argument: str) -> bool:
    """Whether the first argument of `studio` is a file to open: no command, and it is there or looks like a file.

    What has a suffix or a separator looks like one. Everything else is a command, spelt rightly or not.
    """
    if not argument or argument.startswith("-") or argument in COMMANDS:
        return False
    separators = {".", os.sep, os.altsep}
    return not separators.isdisjoint(argument) or os.path.lexists(argument)


def no_such_command(argument: str) -> str:
    """What to tell who named a command that is not there."""
    import difflib

    close = difflib.get_close_matches(argument.lower(), COMMANDS, n=2, cutoff=0.6)
    meant = f"Did you mean {' or '.join(f'`studio {name}`' for name in close)}? " if close else ""
    return (
        f"There is no command “{argument}”, and no file of that name. {meant}"
        f"`studio --help` lists the commands; `studio ./{argument}` begins a new file."
    )
