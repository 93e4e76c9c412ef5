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

# bad-judge

A judge without a model, or without one of the approaches `standard`, `prompt-aware` and `holistic`.

Weval cannot use such a judge, so only the other judges grade the points in words, or none does.

Bad:

    title: Capitals
    evaluationConfig:
      llm-coverage:
        judges:
          - model: openai:gpt-4o-mini
            approach: wholistic
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    evaluationConfig:
      llm-coverage:
        judges:
          - model: openai:gpt-4o-mini
            approach: holistic
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix (unsafe): the approach with the most similar name, safe where only case or the hyphen differs; `holistic`, as for
Weval's own judges, where none is written.

Documents: Blueprint format, Judge Configuration.

# custom-model-incomplete

A custom model without one of its four required keys: `id`, `url`, `modelName`, `inherit`.

Weval refuses the whole file, so nothing in it is scored. An `inherit` that is not one of Weval's providers is only a
warning: Weval reads the file, but gets no answer from the model.

Bad:

    title: Capitals
    models:
      - id: local:llama
        url: http://localhost:11434/v1/chat/completions
        modelName: llama3
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    models:
      - id: local:llama
        url: http://localhost:11434/v1/chat/completions
        modelName: llama3
        inherit: openai
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Custom Model Object Fields.

# missing-variable

A `${NAME}` in a custom model or a service that is not set in this environment.

The request is sent without the key or address that was meant, and the server usually refuses it, so there is no answer
to score. If you run the blueprint elsewhere, only the environment there matters. Reported once per file and name.

Bad:

    title: Capitals
    models:
      - id: local:llama
        url: http://localhost:11434/v1/chat/completions
        modelName: llama3
        inherit: openai
        headers:
          Authorization: Bearer ${KEY_OF_A_LLAMA_THAT_NOBODY_SET}
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    models:
      - id: local:llama
        url: http://localhost:11434/v1/chat/completions
        modelName: llama3
        inherit: openai
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none. Set the variable before a run.

Documents: Blueprint format, Environment Variable Substitution.

# variable-in-host: Environment variable in a host name

A `${NAME}` inside the host of a `url`, of a custom model or a service.

The studio shows the host before anything is sent, and saves it with your consent. A variable may hold a key, and would
then be shown, so no request is sent to such an address and there is nothing to score. Weval sends it. A variable may
hold the whole address, or be part of its path and query.

Bad:

    title: Capitals
    models:
      - id: local:llama
        url: https://${HOME}.example.org/v1/chat/completions
        modelName: llama3
        inherit: openai
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    models:
      - id: local:llama
        url: https://models.example.org/v1/chat/completions
        modelName: llama3
        inherit: openai
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none. Write the host out, or put the whole address into the variable.

Documents: Blueprint format, Environment Variable Substitution.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence

from engine.models.definitions import VARIABLE, has_variable_in_host
from engine.parsing.demands import Finding, Kind
from engine.parsing.fields import is_null, items_of, member, string
from engine.parsing.model_collections import PUBLISHED
from engine.rules.refusals import cut, excerpt, field_rule
from engine.rules.rule import REFUSED, FileView, Report, file_rule, fix_at, grouped, nearest_names
from engine.rules.source.named_models import (
    APPLICATION_PROVIDERS,
    PROVIDERS,
    ModelName,
    corrected,
    coverage_of,
    is_collection_name,
    joined_name,
    judge_models,
    known_collections,
    listed_models,
    named_models,
    provider_guesses,
    providers_not_on_weval,
    rename_fixes,
)
from engine.rules.source.spoilt_blocks import spoilt_list
from engine.text import Fix, Related, Severity, Span
from engine.yaml.edit import remove_item, set_key
from engine.yaml.keys import Part, find_key
from engine.yaml.layout import first_line, line_end, quoted
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, resolved
from engine.yaml.tree_loader import mapping_at

_BULLETS = " -–—•*·"
_NONE_NAMED = "No model is named here, so no answer is asked for and there is nothing to score."


def _as_list(finding: Finding) -> tuple[Fix, ...]:
    """The fix that makes a list of models on the line of their key: `models: -openai:a, -openai:b`."""
    node = finding.node
    text = node.text if isinstance(node, ScalarNode) and isinstance(node.value, str) else ""
    names = [name.strip().lstrip(_BULLETS) for name in text.split(",")]
    written = json.dumps(names, ensure_ascii=False)
    if node is None or not all(
        is_collection_name(each) or (all(each.partition(":")) and " " not in each) for each in names
    ):
        return ()
    return fix_at(f"write {cut(written)}", node.span, written, safe=True)


# -- names that are neither


def _format(view: FileView) -> Iterator[Report]:
    listed = member(view.header, "models")
    if isinstance(listed, SequenceNode) and not listed.items:
        message = "`models` is an empty list: name a model, or remove the key, which means `CORE`"
        yield Report(first_line(view.text, listed.span), message, _NONE_NAMED, Severity.WARNING)
    yield from _misnamed_in(view, named_models(view))
    yield from filter(None, map(_split_by_a_blank, items_of(listed)))


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
    fixes = fix_at(f"write {meant_for}", item.span, meant_for, safe=True)
    return Report(item.span, f"remove the space after the colon: `{meant_for}`", REFUSED, fixes=fixes)


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


@file_rule()
def unknown_collection(view: FileView) -> Iterator[Report]:
    for model in listed_models(member(view.header, "models")):
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
    for item in items_of(root):
        if not isinstance(item, ScalarNode) or not isinstance(item.value, str):
            message = f"a collection must list models as `provider:model`, not {excerpt(item, view.text)}"
            yield Report(first_line(view.text, item.span), message)
    yield from _misnamed_in(view, listed_models(root))


def _not_a_list(finding: Finding, view: FileView) -> Report:
    if finding.node is not None and (spoilt := spoilt_list(view.text, finding.node.span, "models")) is not None:
        return Report(first_line(view.text, finding.span), spoilt.slips[0].message, REFUSED, fixes=(spoilt.fix,))
    message = f"`models` must be a list of models, not {excerpt(finding.node, view.text)}"
    return Report(first_line(view.text, finding.span), message, REFUSED, fixes=_as_list(finding))


model_format = field_rule(
    Kind.MODEL_FORMAT, {"models": _not_a_list}, on_file=_format, on_collection=_format_of_collection
)


@file_rule(on_collection=lambda view: _unknown_providers(view, listed_models(_listed(view))))
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
    fixes = (Fix("remove it", False, remove_item(view.tree, later.item.span)),)
    owner = "each of its models has" if is_collection_name(later.id) else "it has"
    return Report(span, f"`{later.id}` is named twice: {owner} one result", fixes=fixes, related=related)


@file_rule()
def judge_is_candidate(view: FileView) -> Iterator[Report]:
    candidates: dict[str, ModelName] = {}
    for each in listed_models(member(view.header, "models")):
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


@file_rule(on_collection=lambda view: _repeated(view, listed_models(_listed(view))))
def duplicate_model(view: FileView) -> Iterator[Report]:
    return _repeated(view, listed_models(member(view.header, "models")))


_APPROACH = find_key(Part.JUDGE, "approach")
_APPROACHES = () if _APPROACH is None else tuple(sorted(_APPROACH.values))
_NAMED = ", ".join(f"`{name}`" for name in _APPROACHES)


@file_rule()
def bad_judge(view: FileView) -> Iterator[Report]:
    judges = coverage_of(view.header).get("judges")
    if judges is None or is_null(judges):
        return
    if not isinstance(resolved(judges), SequenceNode):
        yield _other(view, judges, "`judges` must be a list of judges")
    for item in items_of(resolved(judges)):
        judge = resolved(item)
        if isinstance(judge, MappingNode):
            yield from _of_judge(item, judge, view)
        else:
            yield _other(view, item, "a judge must be a mapping with a `model` and an `approach`")


def _other(view: FileView, node: Node, demand: str, fixes: tuple[Fix, ...] = (), at: Node | None = None) -> Report:
    """The report on a value that is something else than a demand says."""
    return Report(first_line(view.text, (at or node).span), f"{demand}, not {excerpt(node, view.text)}", fixes=fixes)


def _of_judge(item: Node, judge: MappingNode, view: FileView) -> Iterator[Report]:
    model, approach = judge.pair("model"), judge.pair("approach")
    if model is None:
        yield Report(first_line(view.text, item.span), "this judge has no `model`, so nothing can be judged by it")
    elif not string(resolved(model.value)):
        at = model.value if model.value.span.start < model.value.span.end else model.key
        yield _other(view, model.value, "the `model` of a judge must be `provider:model`", at=at)
    if approach is None or is_null(approach.value):
        edits = set_key(view.text, judge, "approach", quoted("holistic", is_json=view.is_json)) if judge.pairs else ()
        at = first_line(view.text, item.span if approach is None else approach.key.span)
        message = f"this judge has no `approach`, which is required: one of {_NAMED}"
        if judge.pairs:
            yield Report(at, message, fixes=(Fix("write `approach: holistic`", False, edits),))
        return
    value = resolved(approach.value)
    if string(value) in _APPROACHES:
        return
    fixes: tuple[Fix, ...] = ()
    if isinstance(value, ScalarNode):
        plain = re.sub(r"[\s_]+", "-", value.text.strip().lower())
        near = (plain,) if plain in _APPROACHES else nearest_names(plain, _APPROACHES)[:1]
        fixes = rename_fixes(value, view.text, near, safe=plain in _APPROACHES)
    yield _other(view, value, f"`approach` must be one of {_NAMED}", fixes)


_NEEDED = ("id", "url", "modelName", "inherit")


def _lacking(finding: Finding, view: FileView) -> Report | None:
    span = first_line(view.text, finding.span)
    mapping = _custom_model(view, finding.span)
    if mapping is None:
        return Report(span, "a custom model must be a mapping with `id`, `url`, `modelName` and `inherit`")
    if joined_name(mapping) is not None:
        return None
    *others, last = [f"`{name}`" for name in _NEEDED if not string(member(mapping, name))]
    named = f"{', '.join(others)} and {last}" if others else last
    return Report(span, f"this custom model needs {named}, as text")


def _custom_model(view: FileView, span: Span) -> MappingNode | None:
    """The custom model in `models` that holds `span`."""
    for item in items_of(member(view.header, "models")):
        node = resolved(item)
        if isinstance(node, MappingNode) and node.span.start <= span.start and span.end <= node.span.end:
            return node
    return mapping_at(view.tree, span)


def _inherit(view: FileView) -> Iterator[Report]:
    for item in items_of(member(view.header, "models")):
        value = member(item, "inherit")
        name = string(value)
        if name and value is not None and name not in PROVIDERS:
            yield Report(
                value.span,
                f"`inherit` must be one of {', '.join(PROVIDERS)}, not {excerpt(value, view.text)}",
                "Weval does not know the format of the server, so the model gives no answer to score.",
                Severity.WARNING,
            )


custom_model_incomplete = field_rule(Kind.CUSTOM_MODEL_INCOMPLETE, {"": _lacking}, on_file=_inherit)


@file_rule()
def missing_variable(view: FileView) -> Iterator[Report]:
    models = [item for item in items_of(member(view.header, "models")) if isinstance(resolved(item), MappingNode)]
    services = member(view.header, "externalServices")
    spans = (node.span for node in (*models, services) if node is not None)
    found = (each for span in spans for each in VARIABLE.finditer(view.text, span.start, span.end))
    for name, spans in grouped((each[1], Span(*each.span())) for each in found).items():
        if name not in os.environ and not _is_comment(view.text, spans[0].start):
            times = "" if len(spans) == 1 else f", {len(spans)} times in this file"
            yield Report(spans[0], f"the variable {name} is not set here{times}")


@file_rule()
def variable_in_host(view: FileView) -> Iterator[Report]:
    services = member(view.header, "externalServices")
    entries = [pair.value for pair in services.pairs] if isinstance(services, MappingNode) else []
    for node in (*items_of(member(view.header, "models")), *entries):
        value = member(node, "url")
        written = string(value)
        if value is not None and written and has_variable_in_host(written):
            yield Report(first_line(view.text, value.span), "a variable is part of the host in this `url`")


def _is_comment(text: str, offset: int) -> bool:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return re.search(r"(?:^|\s)#", line) is not None
