"""# duplicate-model

A model that `models` names twice, or two custom models with the same `id`.

A result belongs to the id of its model, so a model that is asked twice has one score, at twice the cost. Two custom
models with one id are two models under one name: the score is that of either.

Bad:

    title: Capitals
    models:
      - openai:gpt-4o-mini
      - anthropic:claude-3-haiku-20240307
      - openai:gpt-4o-mini
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Good:

    title: Capitals
    models:
      - openai:gpt-4o-mini
      - anthropic:claude-3-haiku-20240307
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (unsafe): remove the second. None for two custom models, because only the author knows the right id.

Documents: Blueprint format, Configuration Header Fields, `models`; Blueprint format, Custom Model Object Fields,
"Unique identifier for this custom model".

# judge-is-candidate: Judge that grades its own answers

A judge that is also one of the models that the blueprint evaluates.

Models tend to rate their own answers higher than others do. Its score and those of the other models are then not
measured alike. The same model through another provider counts too: `openrouter:openai/gpt-4o` is `openai:gpt-4o`.

Reported where the file names both; what a collection lists is not compared.

Bad:

    title: Capitals
    models:
      - openai:gpt-4o
      - mistral:mistral-large-latest
    evaluationConfig:
      llm-coverage:
        judges:
          - model: openai:gpt-4o
            approach: holistic
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Good:

    title: Capitals
    models:
      - openai:gpt-4o
      - mistral:mistral-large-latest
    evaluationConfig:
      llm-coverage:
        judges:
          - model: anthropic:claude-3-5-sonnet
            approach: holistic
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none, because only the author can choose another judge. Several judges of different makers lessen the effect.

Documents: Blueprint format, Judge Configuration.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.parsing.fields import member, string
from engine.rules.rule import Report, file_rule
from engine.rules.source.named_models import corrected, coverage_of, is_collection_name, list_items
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Related, Severity
from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.edit import remove_item
from engine.yaml.layout import first_line
from engine.yaml.nodes import MappingNode, Node, ScalarNode, resolved


class _Named(Record):
    """A model that the file names: its id, where that is written, the item of the list, whether it is custom."""

    name: str
    span: Span
    item: Span
    is_custom: bool = False


def _in_list(items: tuple[Node, ...]) -> Iterator[_Named]:
    """The models and collections of a list; custom models by their ids."""
    for item in items:
        node = resolved(item)
        if isinstance(node, ScalarNode) and isinstance(node.value, str) and node.value.strip():
            yield _Named(corrected(node.value), item.span, item.span)
        elif isinstance(node, MappingNode):
            place = member(item, "id")
            name = string(place)
            if name and place is not None:
                yield _Named(name.strip(), place.span, item.span, is_custom=True)


def _judges(coverage: MappingNode) -> Iterator[_Named]:
    yield from _in_list(list_items(coverage.get("judgeModels")))
    for judge in list_items(coverage.get("judges")):
        node = resolved(judge)
        model = node.get("model") if isinstance(node, MappingNode) else None
        if model is not None:
            yield from _in_list((model,))


def _duplicates_in_collection(view: FileView) -> Iterator[Report]:
    root = view.tree.documents[0].root if view.tree.documents else None
    yield from _repeated(view, list_items(root))


def _repeated(view: FileView, items: tuple[Node, ...]) -> Iterator[Report]:
    first: dict[str, _Named] = {}
    for each in _in_list(items):
        earlier = first.setdefault(each.name, each)
        if earlier is not each and earlier.is_custom is each.is_custom:  # a custom model may be named by its id
            yield _repetition(view, earlier, each)


def _repetition(view: FileView, earlier: _Named, later: _Named) -> Report:
    related = (Related(first_line(view.text, earlier.span), "named here first"),)
    span = first_line(view.text, later.span)
    if later.is_custom:
        return Report(
            span,
            f"two models have the id `{later.name}`: their answers and scores are under one name",
            "A result belongs to the id of its model: one of the two replaces the other.",
            related=related,
        )
    removed = remove_item(view.tree, later.item)
    fixes = (Fix("remove it", False, removed),) if removed else ()
    owner = "each of its models has" if is_collection_name(later.name) else "it has"
    return Report(span, f"`{later.name}` is named twice: {owner} one result", fixes=fixes, related=related)


@file_rule(
    "S071",
    Severity.HINT,
    why="Models tend to rate their own answers higher, so its score and the others are not measured alike.",
)
def judge_is_candidate(view: FileView) -> Iterator[Report]:
    candidates: dict[str, _Named] = {}
    for each in _in_list(list_items(view.header.get("models"))):
        candidates.setdefault(_without_route(each.name), each)
    for judge in _judges(coverage_of(view.header)):
        candidate = candidates.get(_without_route(judge.name))
        if candidate is not None and ":" in judge.name:
            name = f"`{judge.name}`" if judge.name == candidate.name else f"`{judge.name}`, here `{candidate.name}`,"
            yield Report(
                first_line(view.text, judge.span),
                f"this judge is also evaluated: {name} grades its own answers",
                related=(Related(first_line(view.text, candidate.span), "evaluated here"),),
            )


def _without_route(name: str) -> str:
    """The name of a model without the service that reaches it: `openrouter:openai/gpt-4o` → `openai:gpt-4o`."""
    route, _, model = name.lower().partition(":")
    maker, slash, rest = model.partition("/")
    return f"{maker}:{rest}" if slash and route == "openrouter" else name.lower()


@file_rule(
    "S070",
    Severity.WARNING,
    why="A result belongs to the id of its model: the second request costs as much and adds nothing.",
    on_collection=_duplicates_in_collection,
)
def duplicate_model(view: FileView) -> Iterator[Report]:
    yield from _repeated(view, list_items(view.header.get("models")))
