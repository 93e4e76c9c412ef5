"""Plans of runs: who receives which texts, what they cost, consent, and a cap that stops a run (DESIGN, law 7)."""

from engine.asking.amounts import Requests
from engine.asking.cached_results import NOTHING_CACHED, CacheLookup
from engine.asking.exchanges import Job
from engine.asking.plan_text import one_line, plan_lines
from engine.asking.planner import plan, price_at
from engine.asking.run_plan import CachedCounts, Part, Recipient, RunPlan, Share
from engine.asking.services_called import service_shares
from engine.asking.spending import Cap, Spending
from engine.asking.spent import spent

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
