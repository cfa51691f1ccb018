"""Whether all ranks have the same settings, and such as there are."""

from __future__ import annotations

import os
from collections.abc import Iterator

from anabranch import launch
from anabranch.doctor.checks.ranks_seen import ranks_seen
from anabranch.doctor.findings import Finding, by_value, ok, problem, ranks_text
from anabranch.doctor.situation import Situation

_OF_THE_TOOL = ("ANABRANCH_LAB=", "ANABRANCH_LIBRARY_DIR=")


def check(situation: Situation) -> Iterator[Finding]:
    try:
        launch.check_settings(os.environ)
    except launch.LaunchError as error:
        yield problem(str(error), "unset that variable, or give it a valid value")
        return
    ranks = ranks_seen(situation)
    if not ranks:
        return
    kept = {one.rank: [s for s in one.settings if not s.startswith(_OF_THE_TOOL)] for one in ranks}
    values = by_value((rank, "; ".join(settings)) for rank, settings in kept.items())
    common = next(iter(values))
    if len(values) == 1:
        yield ok(f"the same settings on all ranks: {common or 'none'}")
    for value, rank_list in list(values.items())[1:]:
        verb = "has" if len(rank_list) == 1 else "have"
        yield problem(
            f"{ranks_text(rank_list)} {verb} other settings ({value or 'none'}) than most "
            f"({common or 'none'})",
            "set them where the program is started and not in a host's profile; a file that "
            "ANABRANCH_CONFIG names must be the same on all hosts",
        )
