"""Planning broadcasts over unequal links: which trees, and which slices go along each of them.

    from anabranch import planning, platform as platforms
    planned = planning.make_plan(platforms.load(Path("two.json")), root="n0")
    planning.save_plan(planned.plan, Path("plan.json"))

`anabranch plan` is the command for it; docs/theory/trees.md says how the trees are found, and
docs/reference/plans.md has the file.
Source: Beaumont, Marchal, Robert, Broadcast Trees for Heterogeneous Platforms (paper B).
"""

from anabranch.planning.plan import SCHEMA, Plan, PlannedTree, load_plan, save_plan
from anabranch.planning.planner import Planned, make_plan

__all__ = [
    "SCHEMA",
    "Plan",
    "Planned",
    "PlannedTree",
    "load_plan",
    "make_plan",
    "save_plan",
]
