"""Nodes → `Blueprint`, with the findings that rules report, and what Weval makes of the same text."""

from __future__ import annotations

from engine.parsing.blueprint_reader import Broken, Parsed, parse, refused
from engine.parsing.demands import Finding, Kind, WevalError, WevalResult
from engine.parsing.fields import fields
from engine.parsing.header import defined_in, definition_nodes
from engine.parsing.normalised_form import (
    hash_id,
    header_config,
    json_value,
    prompt_config,
    rubric_config,
)
from engine.yaml.nodes import Data, NodeTree, is_truthy, to_data, utf16_units

__all__ = [
    "Broken",
    "Finding",
    "Kind",
    "Parsed",
    "WevalError",
    "WevalResult",
    "parse",
    "reading",
    "refused",
    "weval_config",
    "weval_values",
]


def weval_config(parsed: Parsed) -> Data | None:
    """Weval's normalised form of the blueprint as JSON values; None if Weval refuses it."""
    return json_value(_config(parsed)) if parsed.weval.ok else None


def weval_values(parsed: Parsed) -> Data | None:
    """As `weval_config`, with the dates and the numbers that JSON has no form for, as Weval hashes them."""
    return _config(parsed) if parsed.weval.ok else None


def reading(parsed: Parsed) -> Data | None:
    """Our normalised form if it differs from Weval's; None if it is the same, or if the text has an error."""
    if parsed.tree.error is not None:
        return None
    if any(f.refused and not f.when_run and not f.flagged for f in parsed.findings):
        return None
    ours = json_value(_config(parsed, ours=True))
    return ours if ours != weval_config(parsed) else None


def _config(parsed: Parsed, *, ours: bool = False) -> Data:
    structure = parsed.structure
    node = structure.header
    data = {} if node is None else to_data(node)
    if node is None and parsed.tree.is_json and not structure.prompts:
        data = _spread(parsed.tree)
    assert isinstance(data, dict)
    defined = json_value({} if node is None else defined_in(definition_nodes(fields(node))))
    assert isinstance(defined, dict)
    prompts: list[Data] = []
    by_index = {prompt.index: prompt for prompt in parsed.blueprint.prompts}
    for index, item in enumerate(structure.prompts):
        prompt = by_index.get(index)
        source = to_data(item)
        rubrics: dict[str, Data] = {}
        if ours and prompt is not None and isinstance(source, dict):
            blocks = (("points", prompt.should), ("should_not", prompt.should_not))
            rubrics = {name: rubric_config(rubric) for name, rubric in blocks if rubric is not None}
        config = prompt_config(source, data, defined, rubrics)
        made = "" if prompt is None or prompt.id_written else prompt.id
        if not is_truthy(config["id"]) or (ours and made):
            config["id"] = made or hash_id(config)
        prompts.append(config)
    return {**header_config(data), "prompts": prompts}


def _spread(tree: NodeTree) -> dict[str, Data]:
    """The result of `{...value}` for a JSON text that is neither object nor list: a string gives its characters."""
    root = to_data(tree.documents[0].root) if tree.documents and tree.documents[0].root is not None else None
    return {str(index): unit for index, unit in enumerate(utf16_units(root))} if isinstance(root, str) else {}
