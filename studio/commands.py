"""The commands and their lines of help. `NAME_command` in `studio.cli` implements each."""

from __future__ import annotations

import os

COMMANDS = {
    "check": "Report problems in blueprints, and fix them.",
    "compare": "Compare the models of a result file, or two result files.",
    "diff": "Show what changed in meaning between two versions.",
    "draft": "Draft criteria for a prompt from its ideal.",
    "explain": "Show the arithmetic of a score.",
    "functions": "List the point functions, or show one.",
    "grading": "Compare judges with people, and write a grading sheet.",
    "models": "List and install the embedded models.",
    "open": "Open the studio (the same as `studio FILE`).",
    "parse": "Show how Weval reads a blueprint, as JSON.",
    "report": "Write results as HTML or Markdown, whole in one file.",
    "review": "Show what a reviewer of a blueprint wants to know.",
    "rules": "List the rules, or show one.",
    "run": "Run prompts, and show or save the result.",
    "test": "Test rubrics against labelled answers.",
}

GONE = {"deletions": "The deletion test was removed: `studio test --points` shows which points labelled answers fail."}
"""The commands that were removed, and what to say of each."""


def names_file(argument: str) -> bool:
    """Whether the first argument of `studio` is a file to open: not a command, and it exists or looks like a file.

    A name with a suffix or a separator looks like a file. Everything else is taken for a command, even a misspelt one.
    """
    if not argument or argument.startswith("-") or argument in COMMANDS:
        return False
    separators = {".", os.sep, os.altsep}
    return not separators.isdisjoint(argument) or os.path.lexists(argument)


def no_such_command(argument: str) -> str:
    """The message for an unknown command."""
    import difflib

    if argument in GONE:
        return GONE[argument]
    close = difflib.get_close_matches(argument.lower(), COMMANDS, n=2, cutoff=0.6)
    meant = f"Did you mean {' or '.join(f'`studio {name}`' for name in close)}? " if close else ""
    return (
        f"There is no command “{argument}”, and no file of that name. {meant}"
        f"`studio --help` lists the commands; `studio ./{argument}` begins a new file."
    )
