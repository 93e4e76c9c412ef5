"""What a run of the tests left out, in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

NOTHING_LEFT_OUT = "left out: nothing"
_SKIPPED = "Skipped: "


def left_out(reprs: Iterable[object]) -> str:
    """`left out: 90 tests (86: no corpus: set STUDIO_CORPUS …; 4: Node is not installed)`.

    `reprs` are the `longrepr` of the tests that were skipped: file, line and reason.
    """
    reasons = Counter(_reason(each) for each in reprs)
    if not reasons:
        return NOTHING_LEFT_OUT
    total = reasons.total()
    told = "; ".join(f"{count}: {reason}" for reason, count in reasons.most_common())
    return f"left out: {total} {'test' if total == 1 else 'tests'} ({told})"


def _reason(longrepr: object) -> str:
    match longrepr:
        case (_, _, str(reason)):
            return " ".join(reason.removeprefix(_SKIPPED).split())
        case _:
            return " ".join(str(longrepr).split())
