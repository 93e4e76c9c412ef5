"""Textual, quicker in tests: style sheets are parsed and matched once, and waiting asks no widget.

With `TEST_THOROUGHLY=1` waiting is Textual's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from textual import _callback, _wait
from textual.app import App
from textual.css.model import RuleSet
from textual.css.styles import RenderStyles, RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.message_pump import MessagePump
from textual.pilot import Pilot, WaitForScreenTimeout
from textual.reactive import Reactive

from tests.thoroughness import THOROUGH

_REST, _TURNS = 0.004, 50
_OF_THE_APP = {"dark", "light", "inline", "ansi", "nocolor"}
"""Pseudo-classes that all nodes of an app have alike."""


@contextmanager
def quick_textual() -> Iterator[None]:
    """Let Textual be quicker until the end."""
    with pytest.MonkeyPatch.context() as patch:
        _parse_once(patch)
        if not THOROUGH:
            _match_once(patch)
            _style_components_when_read(patch)
            _read_at_once(patch)
            _count_once(patch)
            patch.setattr(Pilot, "_wait_for_screen", _quiet)
            patch.setattr(_wait, "SLEEP_GRANULARITY", _REST)
        yield


def _parse_once(patch: pytest.MonkeyPatch) -> None:
    """Parse each style sheet once in a worker, and not once in each app: its rules are never changed."""
    parse, parse_all = Stylesheet._parse_rules, Stylesheet.parse
    parsed: dict[tuple[object, ...], list[RuleSet]] = {}
    all_parsed: dict[tuple[object, ...], tuple[list[RuleSet], dict[str, list[RuleSet]]]] = {}

    def parse_once(sheet: Stylesheet, css: str, *where: Any, **others: Any) -> list[RuleSet]:
        key = (css, where, *others.items(), frozenset(sheet._variables.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, css, *where, **others)
        return parsed[key]

    def parse_all_once(sheet: Stylesheet) -> None:
        key = (*sheet.source.items(), frozenset(sheet._variables.items()))
        if key not in all_parsed:
            parse_all(sheet)
            all_parsed[key] = (sheet.rules, sheet.rules_map)
        sheet._rules, sheet._rules_map = all_parsed[key]
        sheet._require_parse = False

    patch.setattr(Stylesheet, "_parse_rules", parse_once)
    patch.setattr(Stylesheet, "parse", parse_all_once)


def _match_once(patch: pytest.MonkeyPatch) -> None:
    """Find the rules of each kind of node once in a worker, and not anew in each app: a third of what a start costs.

    A kind has the same types, ids, classes and pseudo-classes on the way from the app. What depends on the place
    among siblings is found anew.
    """
    apply = Stylesheet.apply
    asked: dict[tuple[object, ...], frozenset[str]] = {}  # the pseudo-classes that decide
    found: dict[tuple[object, ...], RulesMap] = {}
    given: dict[tuple[object, ...], RulesMap] = {}  # to new nodes, as their styles hold them

    def pseudo_classes(sheet: Stylesheet, node: DOMNode) -> frozenset[str]:
        names = sheet.rules_map.keys() & node._selector_names
        return frozenset(one for name in names for rule in sheet.rules_map[name] for one in rule.pseudo_classes)

    def apply_once(
        sheet: Stylesheet, node: DOMNode, *, animate: bool = False, cache: dict[tuple[Any, ...], RulesMap] | None = None
    ) -> None:
        path = node.css_path_nodes
        kind = (id(sheet.rules), *((type(each), each._id, frozenset(each._classes)) for each in path))
        names = asked.get(kind)
        if names is None:
            names = asked[kind] = pseudo_classes(sheet, node)
        if not names.isdisjoint(Stylesheet._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE):
            apply(sheet, node, animate=animate, cache=cache)
            return
        of_app = names & _OF_THE_APP
        of_node = names - of_app
        key = (
            kind,
            *(path[0].has_pseudo_class(name) for name in of_app),
            *(each.has_pseudo_class(name) for each in path for name in of_node),
        )
        if key not in found:
            first: dict[tuple[Any, ...], RulesMap] = {}
            apply(sheet, node, animate=animate, cache=first)
            found.update(dict.fromkeys([key], *first.values()) if first else {})
            return
        node._has_hover_style = "hover" in names
        node._has_focus_within = node._has_order_style = node._has_odd_or_even = False
        base = node.styles.base
        if node._is_mounted or base._rules:
            sheet.replace_rules(node, found[key], animate=animate)
        elif key in given:
            base._rules.update(given[key])
            base._updates += 1
            base.layout = found[key].get("layout")  # one of its own, as some remember places
            node.notify_style_update()
        else:
            sheet.replace_rules(node, found[key])
            given[key] = base.get_rules()
            given[key].pop("layout", None)
        sheet._process_component_classes(node)

    patch.setattr(Stylesheet, "apply", apply_once)
    patch.setattr(RuleSet, "__hash__", object.__hash__)  # by identity, as it is


class _ComponentStyles(dict[str, RenderStyles]):
    """The styles of the component classes of a node, each found when it is first read."""

    def __init__(self, sheet: Stylesheet, node: DOMNode) -> None:
        super().__init__()
        self._sheet = sheet
        self._node = node

    def __contains__(self, name: object) -> bool:
        return name in self._node._get_component_classes()

    def __missing__(self, name: str) -> RenderStyles:
        component = DOMNode(classes=name)
        component._attach(self._node)
        self._sheet.apply(component, animate=False)
        self[name] = component.styles
        return component.styles


def _style_components_when_read(patch: pytest.MonkeyPatch) -> None:
    """Style the parts of a widget that have classes of their own when they are drawn: half of what a start costs."""

    def process(sheet: Stylesheet, node: DOMNode) -> None:
        if not node._get_component_classes():
            return
        before = node._component_styles
        node._component_styles = now = _ComponentStyles(sheet, node)
        if any(now[name] != styles for name, styles in before.items()):
            node.refresh()

    patch.setattr(Stylesheet, "_process_component_classes", process)


def _read_at_once(patch: pytest.MonkeyPatch) -> None:
    """Read attributes and rules of widgets, of which an app reads ten thousand at its start, without asking more."""
    get = Reactive.__get__
    plain: set[tuple[type, str]] = set()

    def value(reactive: Any, owner: Any, kind: type) -> Any:
        if owner is None or reactive.internal_name not in owner.__dict__:
            return get(reactive, owner, kind)
        if (kind, reactive.name) not in plain:
            if hasattr(owner, reactive.compute_name):
                return get(reactive, owner, kind)
            plain.add((kind, reactive.name))
        return owner.__dict__[reactive.internal_name]

    def rule(styles: RenderStyles, name: str, default: object = None) -> object:
        inline = styles._inline_styles._rules
        return inline[name] if name in inline else styles._base_styles._rules.get(name, default)  # type: ignore[literal-required]

    patch.setattr(Reactive, "__get__", value)
    patch.setattr(RenderStyles, "get_rule", rule)


def _count_once(patch: pytest.MonkeyPatch) -> None:
    """Count the parameters of a callback once for each code, and not for each lambda that is made of it."""
    count = _callback._count_parameters
    counted: dict[tuple[object, bool], int] = {}

    def count_once(callback: Any) -> int:
        code = getattr(callback, "__code__", None)
        if code is None or hasattr(callback, "__wrapped__"):
            return count(callback)
        key = (code, hasattr(callback, "__self__"))
        if key not in counted:
            counted[key] = count(callback)
        return counted[key]

    patch.setattr(_callback, "_count_parameters", count_once)


async def _quiet(pilot: Pilot[Any], timeout: float = 30.0) -> bool:
    """Wait until the screen and its widgets have no message left, without sending one to each."""
    app: App[Any] = pilot.app
    deadline = asyncio.get_running_loop().time() + timeout
    for turn in count():
        await asyncio.sleep(0 if turn < _TURNS else 0.001)
        if app._exception_event.is_set() or not app.screen_stack:
            return False
        if all(map(_is_idle, (app, *app.screen.walk_children(with_self=True)))):
            if app._resize_event is not None:  # no other size comes within its eight milliseconds
                app._check_resize()
            elif app.screen._callbacks:  # what waits for the next frame need not wait for its time
                app.screen._on_timer_update()
            else:
                return True
        if asyncio.get_running_loop().time() > deadline:
            raise WaitForScreenTimeout("The screen does not come to rest.")
    return True


def _is_idle(pump: MessagePump) -> bool:
    queue: Any = pump._message_queue
    return pump._closed or pump._closing or (queue.empty() and bool(queue.ready_event._waiters))
