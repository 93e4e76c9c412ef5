"""Full-width signs, as keyboards for Chinese and Japanese write them, and the signs of YAML that they stand for."""

from __future__ import annotations

from typing import Final

_PLAIN: Final = str.maketrans(
    {"＂": '"', "＇": "'", "［": "[", "］": "]", "｛": "{", "｝": "}", "，": ",", "：": ":", "、": ","}
)


def with_plain_signs(text: str) -> str:
    """`text` with the signs of YAML for its full-width ones."""
    return text.translate(_PLAIN)
