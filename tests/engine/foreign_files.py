"""Files of many kinds that lie beside blueprints and are none, by the name that such a file has."""

from __future__ import annotations

import re
from pathlib import Path

from tests.engine.short_cases import text_of

_FILES = Path(__file__).with_suffix(".txt").read_text("utf-8")
FOREIGN = {name: text_of(text) for name, text in re.findall(r"^#### (.*)\n((?:(?!####).*\n)*)", _FILES, re.MULTILINE)}
