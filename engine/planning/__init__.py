"""Plans of runs: who receives which texts, what they cost, consent, and a cap that stops a run (DESIGN, law 7)."""

from engine.planning.amounts import Requests
from engine.planning.cached_results import NOTHING_CACHED, CacheLookup
from engine.planning.exchanges import Job
from engine.planning.plan_text import one_line, plan_lines
from engine.planning.planner import plan, price_at
from engine.planning.run_plan import CachedCounts, Part, Recipient, RunPlan, Share
from engine.planning.services_called import service_shares
from engine.planning.spending import Cap, Spending
from engine.planning.spent import spent

__all__ = [
    "NOTHING_CACHED",
    "CacheLookup",
    "CachedCounts",
    "Cap",
    "Job",
    "Part",
    "Recipient",
    "Requests",
    "RunPlan",
    "Share",
    "Spending",
    "one_line",
    "plan",
    "plan_lines",
    "price_at",
    "service_shares",
    "spent",
]
