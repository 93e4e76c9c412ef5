"""A blueprint that repeats one slip in every prompt, and some others."""

from __future__ import annotations


def quoted_checks(count: int) -> str:
    """As many prompts, each with one check in quotes, which is never run; the second has an unknown key as well."""
    return "".join(
        f"- id: p{number}\n  prompt: What is {number}?\n  should:\n    - \"$icontains: 'Number {number}'\"\n"
        f"    - Names the number\n{'  idael: It is two.' + chr(10) if number == 2 else ''}"
        for number in range(1, count + 1)
    )
