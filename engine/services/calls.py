"""The requests of a rubric's `$call` and `$factcheck`, prepared but not sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine import functions
from engine.blueprint import ABSENT, FunctionCall, Header
from engine.functions.function_text import what_is
from engine.functions.point_function import Subject
from engine.providers.chat import Failure, ProviderError
from engine.providers.variables import variables_in
from engine.record import Record, field
from engine.services.definitions import SETTINGS, Method, Service, named_service, service_of
from engine.services.templates import VariableValue, as_written, filled
from engine.yaml_nodes.nodes import Data

ENDPOINT = "FACTCHECK_ENDPOINT_URL"
"""The variable with the address for `$factcheck` (000, "Fact-Checking Shortcut")."""

_WHOLE_VARIABLE = re.compile(r"\$\{[A-Za-z_]\w*\}")
_FACTCHECK = Service("the fact-checker", f"${{{ENDPOINT}}}", seconds=65.0, retries=1)
"""It searches the web, hence the long time-out."""
_ALWAYS_SENT: Mapping[str, Data] = {"response": "{response}", "modelId": "{modelId}", "promptId": "{promptId}"}
"""The fields of every `$call`, unless the author gives these names other values."""


class ServiceCall(Record):
    """One call as the author wrote it. `parameters` hold templates; `literal` is sent unchanged beside them."""

    service: Service
    parameters: Mapping[str, Data]
    literal: Mapping[str, Data] = field(default_factory=dict[str, Data])
    works_on_weval: bool = True

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables whose values are sent. A variable that is the whole address is not one of them: the
        author sees the host instead."""
        service = self.service
        address = "" if _WHOLE_VARIABLE.fullmatch(service.url) else service.url
        return variables_in([address, dict(service.headers), dict(self.parameters)])

    def body(self, subject: Subject, variable_value: VariableValue = as_written) -> dict[str, Any]:
        """The JSON body about `subject`, with variables replaced by `variable_value`."""
        return filled(dict(self.parameters), subject, variable_value) | dict(self.literal)


def is_service_call(call: FunctionCall) -> bool:
    """Whether the verdict on this point comes from a service."""
    function = functions.find(call.name)
    return function is not None and function.by_service


def service_call(call: FunctionCall, header: Header) -> ServiceCall:
    """The call of a point. Raises `ProviderError`, worded for the author, if it has no service to call."""
    function = functions.find(call.name)
    if function is not None and (function.negates or function.name) == "factcheck":
        return _factcheck(call)
    args = call.args
    if not isinstance(args, dict):
        raise _wrong(f"${call.name} needs a mapping with `service` or `url`; this is {what_is(args)}")
    name, url = args.get("service"), args.get("url")
    if isinstance(name, str) and name.strip():
        service = named_service(name, header.fields.get("externalServices"))
    elif isinstance(url, str) and url.strip():
        service = service_of("the service", args)
    else:
        raise _wrong(f"${call.name} has no service to call: name a `service` of `externalServices`, or give a `url`")
    own = {key: value for key, value in args.items() if key not in SETTINGS}
    return ServiceCall(service, {**_ALWAYS_SENT, **own}, works_on_weval=service.method is not Method.GET)


def _factcheck(call: FunctionCall) -> ServiceCall:
    """The response as the claim, with the instruction; without one, everything is checked."""
    args = call.args
    if args is ABSENT or args is None:
        args = ""
    if not isinstance(args, str):
        raise _wrong(f"${call.name} needs an instruction as text; this is {what_is(args)}")
    return ServiceCall(_FACTCHECK, {"claim": "{response}"}, {"instruction": args, "includeRaw": False})


def _wrong(what: str) -> ProviderError:
    return ProviderError(Failure.MISCONFIGURED, what)
