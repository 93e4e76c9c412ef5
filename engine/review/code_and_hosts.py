"""The code that a blueprint runs, and the hosts that its checks and its own models call."""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Blueprint, FunctionCall
from engine.models.service_client import Host, hosts
from engine.models.variables import variables_in
from engine.record import Record
from engine.text import Span

_SCRIPTS = frozenset(("js", "expr", "not_js", "not_expr"))


class Script(Record):
    """One script: its code, the function that runs it, and where it first stands. `uses` counts its points."""

    code: str
    function: str
    span: Span
    uses: int


class OwnModel(Record):
    """A model that the blueprint defines: its id, its address as written, and the variables that go with it."""

    id: str
    url: str
    variables: tuple[str, ...]


class CodeAndHosts(Record):
    """Scripts, the hosts of services, services whose address holds a variable, and models of the blueprint's own."""

    scripts: tuple[Script, ...]
    hosts: tuple[Host, ...]
    variable_services: tuple[str, ...]
    models: tuple[OwnModel, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the blueprint runs no code and calls nobody by itself."""
        return not (self.scripts or self.hosts or self.variable_services or self.models)


def code_and_hosts(blueprint: Blueprint) -> CodeAndHosts:
    """What `blueprint` runs and whom it calls."""
    return CodeAndHosts(
        tuple(_scripts(blueprint)),
        hosts(blueprint.header, blueprint.prompts, keyless=True),
        tuple(_variable_services(blueprint)),
        tuple(_own_models(blueprint)),
    )


def _scripts(blueprint: Blueprint) -> Iterator[Script]:
    found: dict[tuple[str, str], Script] = {}
    for prompt in blueprint.prompts:
        for point in prompt.points():
            for code in () if point.function is None else _code_in(point.function):
                assert point.function is not None
                key = (point.function.name, code)
                before = found.get(key)
                span = point.subject_span if before is None else before.span
                found[key] = Script(code, point.function.name, span, 1 if before is None else before.uses + 1)
    yield from found.values()


def _code_in(call: FunctionCall) -> Iterator[str]:
    """The scripts of one check: that of `$js`, and `where` in a check of tool arguments."""
    if call.name in _SCRIPTS and isinstance(call.args, str):
        yield call.args
    elif call.name.removeprefix("not_") == "tool_args_match" and isinstance(call.args, dict):
        where = call.args.get("where")
        if isinstance(where, str):
            yield where


def _variable_services(blueprint: Blueprint) -> Iterator[str]:
    services = blueprint.header.fields.get("externalServices")
    for name, service in services.items() if isinstance(services, dict) else ():
        url = service.get("url") if isinstance(service, dict) else None
        if isinstance(url, str) and variables_in(url):
            yield str(name)


def _own_models(blueprint: Blueprint) -> Iterator[OwnModel]:
    for model in blueprint.header.models:
        if isinstance(model, dict):
            url = model.get("url")
            yield OwnModel(str(model.get("id") or ""), url if isinstance(url, str) else "", variables_in(model))
