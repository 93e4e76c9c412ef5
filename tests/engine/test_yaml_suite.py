"""The official test suite of YAML, and mutations of its texts, read as js-yaml 4.1.0 reads them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from engine.yaml.nodes import Bytes, Data, canonical_json, iso_date, to_data
from tests.js_yaml import without_recovery
from tests.many_cases import every
from tests.world import golden, needs_shared


def in_javascript(data: Data) -> Any:
    """A value in the form of the golden rows, which keeps the order of keys."""
    match data:
        case Bytes():
            return {"b": "".join(f"{byte:02x}" for byte in data.values())}
        case dict():
            return {"o": [[name, in_javascript(value)] for name, value in data.items()]}
        case list():
            return [in_javascript(item) for item in data]
        case datetime():
            return {"d": iso_date(data)}
        case bool() | str() | None:
            return data
        case _:
            return {"n": canonical_json(data)}


@needs_shared
@every("row", golden("yaml_suite"), ids=lambda row: row["name"])
def test_a_text_has_the_values_that_js_yaml_reads_or_is_refused(row: dict[str, Any]) -> None:
    tree = without_recovery(row["text"])
    if "err" in row:
        assert tree.error is not None
    else:
        documents = [None if each.root is None else in_javascript(to_data(each.root)) for each in tree.documents]
        assert (tree.error, documents) == (None, row["ok"])
