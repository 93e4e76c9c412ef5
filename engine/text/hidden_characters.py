"""Characters that a terminal obeys or does not draw, which text from elsewhere could hide in, and how they are shown.

They are the controls, what reorders a line, the Default_Ignorable_Code_Point characters of Unicode
(DerivedCoreProperties.txt), interlinear annotations (Core Specification, 23.8) and lone surrogates. Some of them are
part of a character that is drawn: joiners and variation selectors in an emoji or in a script that has them, and the
tags of a flag. Those stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType
from unicodedata import category, combining

from engine.text.patterns import lazy

_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
"""Shown wherever they are. Newline and tab are not among them."""
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_IN_CONTEXT = f"\u180e\u200c\u200d{_SELECTORS}\U000e0020-\U000e007f"
"""Needed in some places, hidden in all others."""
_REST_OF_PLANE_14 = "\U000e0000-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"

_HIDDEN = lazy(f"[{_ALWAYS}{_IN_CONTEXT}{_REST_OF_PLANE_14}]")
_CONTEXT = lazy(f"[{_IN_CONTEXT}]")

# --- Emoji (UTS #51)

_EMOJI = lazy(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2"
    "\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618\u261d\u2620\u2622\u2623\u2626\u262a"
    "\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697"
    "\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3"
    "\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728"
    "\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935"
    "\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f004\U0001f0cf\U0001f170\U0001f171\U0001f17e"
    "\U0001f17f\U0001f18e\U0001f191-\U0001f19a\U0001f201\U0001f202\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f250"
    "\U0001f251\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7eb\U0001f7f0\U0001f900-\U0001f9ff"
    "\U0001fa70-\U0001faff]"
)
_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
"""The flags of England, Scotland and Wales. No other sequence of tags is drawn as a flag."""
_FLAG_LENGTH = len(_FLAGS[0])

# --- Variations (StandardizedVariants.txt; ideographic ones by their ranges)

_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MONGOLIAN = "\u1820-\u1878\u1880-\u18aa"
_VARIATION = lazy(
    f"[{_MONGOLIAN}][\u180b-\u180d\u180f]"
    f"|[{_IDEOGRAPH}][\ufe00-\ufe02\U000e0100-\U000e01ef]"
    "|[\U00013000-\U0001342f][\ufe00-\ufe06]"
    "|[\u2018\u2019\u201c\u201d\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f][\ufe00\ufe01]"
    "|[\u210b\u2110\u2112\u211b\u212c\u2130\u2131\u2133\U0001d49c\U0001d49e\U0001d49f\U0001d4a2\U0001d4a5\U0001d4a6"
    "\U0001d4a9-\U0001d4ac\U0001d4ae-\U0001d4b5][\ufe00\ufe01]"
    "|[0\u2205\u2229\u222a\u2268\u2269\u2272\u2273\u228a\u228b\u2293-\u2295\u2297\u229c\u22da\u22db\u2a3c\u2a3d\u2a9d\u2a9e"
    "\u2aac\u2aad\u2acb\u2acc]\ufe00"
    "|[\u1000\u1002\u1004\u1010\u1011\u1015\u1019\u101a\u101c\u101d\u1022\u1031\u1075\u1078\u107a\u1080"
    "\uaa60-\uaa66\uaa6b\uaa6c\uaa6f\uaa7a]\ufe00"
    "|[\ua856\ua85c\ua85e\ua85f\ua860\ua868\U00010ac5\U00010ac6\U00010ad6\U00010ad7\U00010ae1]\ufe00"
)

# --- Scripts whose letters join (RFC 5892, appendices A.1 and A.2)

_JOINING = lazy(
    "[\u0600-\u0fff\u1000-\u109f\u1700-\u18af\u1a00-\u1aaf\u1b00-\u1c4f\ua800-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010aff\U00010b80-\U00010baf\U00010d00-\U00010d3f\U00010f30-\U00010fff\U00011000-\U00011fff"
    "\U0001e900-\U0001e95f]"
)
_VIRAMA = 9


def pictures_in(text: str) -> Iterator[tuple[int, str]]:
    """The index of each hidden character of `text`, ascending, and what is shown in its place."""
    for match in _HIDDEN.finditer(text):
        if not (_CONTEXT.match(match.group()) and _is_part_of_another(text, match.start())):
            yield match.start(), _picture(match.group())


def has_hidden(text: str) -> bool:
    """Whether `text` has a character that `pictures_in` looks at. Quick, and False for most texts."""
    return _HIDDEN.search(text) is not None


def _picture(character: str) -> str:
    """A control picture for C0 and DEL, else the escape that YAML, JSON and Python know."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code < 0xA0:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _is_part_of_another(text: str, at: int) -> bool:
    """Whether the character at `at`, one of those needed in some places, is needed there."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    match text[at]:
        case "\u200c":
            return _ends_in_virama(before) or (_joins(before) and _joins(after))
        case "\u200d":
            return _joins_emoji(text, at) or _joins(before) or (_joins(after) and before not in ("\u200c", "\u200d"))
        case "\u180e":
            return bool(re.match(f"[{_MONGOLIAN}]", before)) and after in ("\u1820", "\u1821")
        case "\ufe0e" | "\ufe0f":
            return before in "#*0123456789" if before.isascii() and before else _EMOJI.match(before) is not None
        case character if character > "\U000e007f" or character < "\U000e0000":
            return _VARIATION.match(before + character) is not None
        case _:
            return _is_in_flag(text, at)


def _joins(character: str) -> bool:
    """Whether `character` is a letter or a mark of a script whose letters join."""
    return bool(_JOINING.match(character)) and category(character)[0] in "LM"


def _ends_in_virama(before: str) -> bool:
    return before != "" and combining(before) == _VIRAMA


def _joins_emoji(text: str, at: int) -> bool:
    """Whether a joiner is between two emoji, the first of them with its skin tone or variation selector."""
    first = at - 2 if at >= 2 and text[at - 1] == "\ufe0f" else at - 1
    return first >= 0 and _EMOJI.match(text, first) is not None and _EMOJI.match(text, at + 1) is not None


def _is_in_flag(text: str, at: int) -> bool:
    start = text.rfind(_FLAGS[0][0], max(at - _FLAG_LENGTH + 1, 0), at)
    return start >= 0 and text.startswith(_FLAGS, start)


ASCII_PICTURES = MappingProxyType({code: _picture(chr(code)) for code in range(0x80) if _HIDDEN.match(chr(code))})
"""What is shown for each hidden character of ASCII, by code point, for `str.translate`."""
