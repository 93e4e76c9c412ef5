"""What the ids of all prompts begin with: lists of prompts say it once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from rich.cells import cell_len

_SHORT_ID = 14
"""Cells for which every list of prompts has room."""
_SEPARATORS = "-_./: "


def common_prefix(ids: Sequence[str]) -> str:
    """What all `ids` begin with, up to a separator; "" unless one of them is too long for a narrow list."""
    if len(ids) < 2 or max(map(cell_len, ids)) <= _SHORT_ID:
        return ""
    ends = zip(min(ids), max(ids), strict=False)
    shared = "".join(one for one, other in takewhile(lambda pair: pair[0] == pair[1], ends))
    end = max(shared.rfind(separator) for separator in _SEPARATORS) + 1
    return shared[:end] if all(len(id) > end for id in ids) else ""
