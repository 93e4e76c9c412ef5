"""What is asked before texts leave this machine, or a run may get dear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.planning.run_plan import Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from engine.planning import RunPlan, Share
    from engine.services.hosts import Host
    from studio.tui.app import Studio
    from studio.tui.dialogs.before_run import Decision

_ALL = " · all prompts"


async def may_run(app: Studio, plan: RunPlan, *, many: bool = False) -> bool:
    """Whether the author lets everybody have what `plan` would send, for what it costs (DESIGN, law 7).

    They are asked where a recipient is new, where texts of another kind or a variable in a header go to it for the
    first time, or where the run may cost more than `ask_above` of the settings. `many` is for runs of all prompts, to
    which they agree apart. The cap that they may change on the way stands in `app.settings.cap` afterwards.
    """
    return not must_ask(app, plan, many=many) or await may_run_with(app, plan, (), many=many) is not None


def must_ask(app: Studio, plan: RunPlan, *, many: bool) -> bool:
    """Whether the author is to be asked before `plan` is sent, services apart."""
    is_wasteful = any(same.agreement not in app.settings.consented for same in plan.same)
    return bool(_new(app, plan, many=many)) or is_wasteful or is_dear(app, plan)


async def may_run_with(app: Studio, plan: RunPlan, hosts: Collection[Host], *, many: bool) -> bool | None:
    """Ask in one question about `plan` and the hosts of services in it to which nobody agreed yet.

    False lets everybody have it but these hosts; None sends nothing.
    """
    new = {*_new(app, plan, many=many), *(host.recipient for host in hosts)}
    decision = await _decide(app, plan, new, hosts)
    if decision is None:
        return None
    agreed = app.settings.consented
    told = [same.agreement for same in plan.same]  # it is no question of who receives what: once is enough
    all_of_it = (*agreements(plan, many=many), *(host.consent for host in hosts)) if decision.remembered else ()
    agreed += [each for each in dict.fromkeys((*told, *all_of_it)) if each not in agreed]
    app.keep_settings()
    return decision.services


def _new(app: Studio, plan: RunPlan, *, many: bool) -> set[str]:
    agreed = app.settings.consented
    return {share.recipient for share in _leaving(plan) if _agreement(share.agreement, many=many) not in agreed}


async def show_plan(app: Studio, plan: RunPlan) -> None:
    """Show a plan of which nothing is sent yet; the cap can be changed."""
    if not plan.shares:
        from engine.planning.plan_text import kept_lines

        said = "".join(f" {line}." for line in kept_lines(plan.kept))
        app.notify(f"Nothing would be sent to anybody.{said}", timeout=4, markup=False)
        return
    await _decide(app, plan, set(), only_show=True)
    app.keep_settings()


def agreements(plan: RunPlan, *, many: bool) -> Iterator[str]:
    """All that the author agrees to by letting `plan` be sent, as the settings keep it."""
    for share in _leaving(plan):
        yield share.agreement
        if many:
            yield _agreement(share.agreement, many=True)


def is_dear(app: Studio, plan: RunPlan) -> bool:
    """Whether a run may cost more than the author wants to be asked about."""
    return plan.dollars is not None and plan.dollars.most > app.settings.ask_above


def _leaving(plan: RunPlan) -> Iterator[Share]:
    """Models and judges elsewhere. Agreement to services is kept by host (`engine.services.hosts`)."""
    for share in plan.shares:
        if share.part is not Part.SERVICE and share.requests.most and not share.trouble and not share.is_here:
            yield share


def _agreement(text: str, *, many: bool) -> str:
    return f"{text}{_ALL}" if many else text


async def _decide(
    app: Studio, plan: RunPlan, new: set[str], hosts: Collection[Host] = (), *, only_show: bool = False
) -> Decision | None:
    from engine.planning import Cap
    from engine.workspace.user_settings import SavedCap
    from studio.tui.dialogs.before_run import BeforeRun

    cap = Cap(app.settings.cap.dollars, app.settings.cap.requests)
    decision = await app.push_screen_wait(
        BeforeRun(plan, cap, new, hosts, ask_above=app.settings.ask_above, only_show=only_show)
    )
    if decision is not None:
        app.settings.cap = SavedCap(dollars=decision.cap.dollars, requests=decision.cap.requests)
    return decision
