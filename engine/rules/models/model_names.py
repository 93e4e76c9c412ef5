"""# model-format

A model that is neither `provider:model`, without spaces, nor the name of a collection in capitals; and an empty list of
models.

No request can be sent for such a name, so there is no answer to score. Weval refuses the whole file if the name is not
text. Weval may accept spaces and capitals, but other programs do not have to, and the results of one model are then
stored under two names. The same applies to the files of collections, `models/NAME.json`: a list of `provider:model`,
under a name in capitals.

Bad:

    title: Capitals
    models:
      - "openai: gpt-4o-mini"
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    models:
      - "openai:gpt-4o-mini"
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix (safe where only spaces or capitals differ): the name as Weval reads it. Otherwise (unsafe) the provider that is
known for the model.

Documents: Blueprint format, Standard Model Identifiers, "with no spaces"; Blueprint repository, Defining Model
Collections.

# unknown-provider

An unknown provider, such as `opnai:gpt-4o-mini`, or one that Weval does not know, such as `ollama:llama3`.

Weval knows OpenAI, Anthropic, Google, Mistral, Together, xAI and OpenRouter. A model of another provider gives no
answer, so it has no score beside those of the others.

Bad:

    title: Capitals
    models:
      - opnai:gpt-4o-mini
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    models:
      - openai:gpt-4o-mini
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix (unsafe): the provider with the most similar name. For a server of your own, write a mapping with `id`, `url`,
`modelName` and `inherit`.

Documents: Blueprint format, Standard Model Identifiers; Blueprint format, Custom Model Definitions.

# unknown-collection

The name of a collection of models, in capitals, that is found neither among the collections that Weval publishes nor
in a `models` folder above the file or the folder given with `--collections`.

A collection that is not found is left out: its models give no answers, so they have no scores.

Bad:

    title: Capitals
    models:
      - CORES
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    models:
      - CORE
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix (unsafe): the collection with the most similar name.

Documents: Blueprint repository, Defining Model Collections, "becomes the **placeholder**".

# duplicate-model

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

import json
from collections.abc import Iterable, Iterator, Sequence

from engine.parsing.demands import Finding, Kind
from engine.parsing.fields import member
from engine.parsing.model_collections import PUBLISHED
from engine.rules.refusals import Row, cut, excerpt, field_rule
from engine.rules.rule import REFUSED, FileView, Report, file_rule
from engine.rules.source.named_models import (
    APPLICATION_PROVIDERS,
    PROVIDERS,
    ModelName,
    corrected,
    is_collection_name,
    joined_name,
    judge_models,
    known_collections,
    list_items,
    listed_models,
    named_models,
    provider_guesses,
    providers_not_on_weval,
    rename_fixes,
)
from engine.rules.source.spoilt_blocks import spoilt_list
from engine.rules.words import nearest_names
from engine.text.diagnostics import Fix, Related, Severity
from engine.text.record import replace
from engine.text.spans import Span, TextEdit
from engine.yaml.edit import remove_item
from engine.yaml.layout import first_line, line_end
from engine.yaml.nodes import Node, ScalarNode, SequenceNode, resolved

_BULLETS = " -–—•*·"
_NONE_NAMED = "No model is named here, so no answer is asked for and there is nothing to score."
_NO_ANSWER = "No request can be sent for this name, so there is no answer to score."


def _as_list(finding: Finding, _: FileView) -> tuple[Fix, ...]:
    """The fix that makes a list of models on the line of their key: `models: -openai:a, -openai:b`."""
    node = finding.node
    text = node.text if isinstance(node, ScalarNode) and isinstance(node.value, str) else ""
    names = [name.strip().lstrip(_BULLETS) for name in text.split(",")]
    written = json.dumps(names, ensure_ascii=False)
    if node is None or not all(
        is_collection_name(each) or (all(each.partition(":")) and " " not in each) for each in names
    ):
        return ()
    return (Fix(f"write {cut(written)}", True, (TextEdit(node.span, written),)),)


# -- names that are neither


def _format(view: FileView) -> Iterator[Report]:
    listed = member(view.header, "models")
    if isinstance(listed, SequenceNode) and not listed.items:
        message = "`models` is an empty list: name a model, or remove the key, which means `CORE`"
        yield Report(first_line(view.text, listed.span), message, _NONE_NAMED, Severity.WARNING)
    yield from _misnamed_in(view, named_models(view))
    yield from filter(None, map(_split_by_a_blank, list_items(listed)))


def _misnamed_in(view: FileView, models: Iterable[ModelName]) -> Iterator[Report]:
    return filter(None, (_misnamed(model, view) for model in models if not model.is_custom))


def _misnamed(model: ModelName, view: FileView) -> Report | None:
    """What is wrong with a name as such, whatever it names."""
    name, span = model.name, model.node.span
    right = corrected(name)
    if not right:
        return Report(span, "the name of a model is missing here")
    provider, colon, bare = right.partition(":")
    if not colon:
        return _without_provider(model, right, view)
    if not provider or not bare:
        return Report(span, f"“{right}” is only one half of `provider:model`")
    if right != name:
        fixes = rename_fixes(model.node, view.text, (right,), safe=" " not in right)
        why = "Other programs may not accept it, and the results of one model are stored under two names."
        return Report(span, f"write this model as `{right}`", why, Severity.WARNING, fixes=fixes)
    if " " in bare or "\t" in bare:
        fixes = rename_fixes(model.node, view.text, ("-".join(right.split()),), safe=False)
        return Report(span, "the name of a model must not contain spaces", fixes=fixes)
    return None


def _without_provider(model: ModelName, name: str, view: FileView) -> Report | None:
    span, text = model.node.span, view.text
    if is_collection_name(name):
        if model.expands:
            fixes = rename_fixes(model.node, text, (name,), safe=True)
            return Report(span, f"write this collection as `{name}`", fixes=fixes) if name != model.name else None
        return Report(span, f"a collection cannot be used here: write `provider:model`, not `{name}`")
    capitals = name.upper()
    if model.expands and capitals in known_collections(view.path, view.collections):
        fixes = rename_fixes(model.node, text, (capitals,), safe=True)
        return Report(span, f"write the name of a collection in capitals: `{capitals}`", fixes=fixes)
    bare = name.lstrip(_BULLETS)
    options = (bare,) if model.expands and is_collection_name(bare) else provider_guesses(bare)
    fixes = rename_fixes(model.node, text, options, safe=False)
    return Report(span, f"“{name}” has no provider{_hint(options)}", fixes=fixes)


def _hint(names: Sequence[str]) -> str:
    return f": did you mean `{names[0]}`?" if names else ""


def _split_by_a_blank(item: Node) -> Report | None:
    """`- openai: gpt-4o-mini`, which YAML reads as a mapping because of the space."""
    meant_for = joined_name(resolved(item))
    if meant_for is None:
        return None
    fix = Fix(f"write {meant_for}", True, (TextEdit(item.span, meant_for),))
    return Report(item.span, f"remove the space after the colon: `{meant_for}`", REFUSED, fixes=(fix,))


# -- names of what is not there


def _unknown_providers(view: FileView, models: Iterable[ModelName]) -> Iterator[Report]:
    models = list(models)
    own = {model.name for model in models if model.is_custom}
    return filter(None, (_unknown_provider(model, view) for model in models if model.name not in own))


def _unknown_provider(model: ModelName, view: FileView) -> Report | None:
    provider, colon, bare = corrected(model.name).partition(":")
    if not colon or not provider or not bare or provider in (*PROVIDERS, *APPLICATION_PROVIDERS):
        return None
    start = model.node.span.start + max(model.node.span.of(view.text).find(provider), 0)
    span = Span(start, start + len(provider))
    if provider in providers_not_on_weval():
        why = "Weval cannot reach it, so there is no answer to score there."
        message = f"models of `{provider}` can be run from here, but not on Weval"
        return Report(span, message, why, Severity.WARNING, flagged=True)
    near = nearest_names(provider, PROVIDERS)[:1]
    fixes = rename_fixes(model.node, view.text, [f"{each}:{bare}" for each in near], safe=False)
    hint = _hint(near) or f": Weval knows {', '.join(PROVIDERS)}"
    return Report(span, f"unknown provider `{provider}`{hint}", fixes=fixes)


@file_rule(
    "S032", Severity.WARNING, why="A collection that is not found is left out: none of its models gives an answer."
)
def unknown_collection(view: FileView) -> Iterator[Report]:
    for model in listed_models(view.header.get("models")):
        name = model.name.strip()
        if model.is_custom or not is_collection_name(name) or name in PUBLISHED:
            continue
        known = known_collections(view.path, view.collections)
        if name in known:
            continue
        near = nearest_names(name, sorted(known))[:1]
        where = f"`models/{name}.json` above this file"
        if view.collections is not None:
            where = f"`{name}.json` in {view.collections}"
        message = f"Weval publishes no collection `{name}`, and there is no {where}{_hint(near)}"
        yield Report(model.node.span, message, fixes=rename_fixes(model.node, view.text, near, safe=False))


# -- the files of collections


def _listed(view: FileView) -> Node | None:
    """What the file of a collection holds."""
    return view.tree.documents[0].root if view.tree.documents else None


def _format_of_collection(view: FileView) -> Iterator[Report]:
    root, name, top = _listed(view), "" if view.path is None else view.path.stem, Span(0, line_end(view.text, 0))
    if name != name.upper():
        message = f"the name of a collection must be in capitals: rename this file to {name.upper()}.json"
        yield Report(top, message, "Blueprints name collections in capitals, so no blueprint can use this one.")
    if not isinstance(root, SequenceNode) and view.tree.error is None:
        yield Report(top, 'a collection must be a list of models: ["openai:gpt-4o-mini"]')
    for item in list_items(root):
        if not isinstance(item, ScalarNode) or not isinstance(item.value, str):
            message = f"a collection must list models as `provider:model`, not {excerpt(item, view.text)}"
            yield Report(first_line(view.text, item.span), message)
    yield from _misnamed_in(view, listed_models(root))


def _not_a_list(finding: Finding, view: FileView) -> Report:
    if finding.node is not None and (spoilt := spoilt_list(view.text, finding.node.span, "models")) is not None:
        return Report(first_line(view.text, finding.span), spoilt.slips[0].message, REFUSED, fixes=(spoilt.fix,))
    return Row("`models` must be a list of models, not {here}", fixes=_as_list, why=REFUSED).report(finding, view)


model_format = replace(
    field_rule(
        "S022",
        Kind.MODEL_FORMAT,
        {
            "models": _not_a_list,
            "": Row(
                "a model must be `provider:model`, the name of a collection, or a mapping, not {here}", why=REFUSED
            ),
        },
        why=_NO_ANSWER,
    ),
    on_file=_format,
    on_collection=_format_of_collection,
)


@file_rule(
    "S031",
    Severity.ERROR,
    why=_NO_ANSWER,
    on_collection=lambda view: _unknown_providers(view, listed_models(_listed(view))),
)
def unknown_provider(view: FileView) -> Iterator[Report]:
    return _unknown_providers(view, named_models(view))


def _repeated(view: FileView, models: Iterable[ModelName]) -> Iterator[Report]:
    first: dict[str, ModelName] = {}
    for each in models:
        earlier = first.setdefault(each.id, each) if each.id else each
        if earlier is not each and earlier.is_custom is each.is_custom:  # a custom model may be named by its id
            yield _repetition(view, earlier, each)


def _repetition(view: FileView, earlier: ModelName, later: ModelName) -> Report:
    related = (Related(first_line(view.text, earlier.span), "named here first"),)
    span = first_line(view.text, later.span)
    if later.is_custom:
        return Report(
            span,
            f"two models have the id `{later.id}`: their answers and scores are under one name",
            "A result belongs to the id of its model: one of the two replaces the other.",
            related=related,
        )
    removed = remove_item(view.tree, later.item.span)
    fixes = (Fix("remove it", False, removed),) if removed else ()
    owner = "each of its models has" if is_collection_name(later.id) else "it has"
    return Report(span, f"`{later.id}` is named twice: {owner} one result", fixes=fixes, related=related)


@file_rule(
    "S071",
    Severity.HINT,
    why="Models tend to rate their own answers higher, so its score and the others are not measured alike.",
)
def judge_is_candidate(view: FileView) -> Iterator[Report]:
    candidates: dict[str, ModelName] = {}
    for each in listed_models(view.header.get("models")):
        candidates.setdefault(_without_route(each.id), each)
    for judge in judge_models(view):
        candidate = candidates.get(_without_route(judge.id))
        if candidate is not None and ":" in judge.id:
            name = f"`{judge.id}`" if judge.id == candidate.id else f"`{judge.id}`, here `{candidate.id}`,"
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
    on_collection=lambda view: _repeated(view, listed_models(_listed(view))),
)
def duplicate_model(view: FileView) -> Iterator[Report]:
    return _repeated(view, listed_models(view.header.get("models")))
