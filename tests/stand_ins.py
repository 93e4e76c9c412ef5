"""Values that JSON lacks, in the form of the golden rows (`golden/README.md`)."""

from __future__ import annotations

import math
import re
from datetime import datetime

from engine.yaml.nodes import Data, canonical_json, iso_date

_ESCAPED_SURROGATE = re.compile(r"((?<!\\)(?:\\\\)*)\\u(d[89a-f][0-9a-f]{2})")


def canonical_with_stand_ins(data: Data) -> str:
    """`canonical_json`, lone surrogates as they are, with a mapping for what JSON lacks, as `{"nan":true}`."""
    written = canonical_json(_stood_in(data))
    return _ESCAPED_SURROGATE.sub(lambda half: half[1] + chr(int(half[2], 16)), written)


def _stood_in(data: Data) -> Data:
    match data:
        case dict():
            return {name: _stood_in(value) for name, value in data.items()}
        case list():
            return [_stood_in(item) for item in data]
        case datetime():
            return {"date": iso_date(data)}
        case float() if math.isnan(data):
            return {"nan": True}
        case float() if math.isinf(data):
            return {"inf" if data > 0 else "-inf": True}
        case _:
            return data
