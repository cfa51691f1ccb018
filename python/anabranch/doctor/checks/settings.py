"""Whether all ranks have the same settings, and such as there are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from anabranch import launch
from anabranch.doctor.checks.ranks_seen import ranks_seen
from anabranch.doctor.findings import Finding, by_value, ok, problem, ranks_text
from anabranch.doctor.situation import Situation


def check(situation: Situation) -> Iterator[Finding]:
    try:
        launch.check_settings(os.environ)
    except launch.LaunchError as error:
        yield problem(str(error), "unset that variable, or give it a valid value")
        return
    ranks = ranks_seen(situation)
    if not ranks:
        return
    values = by_value((one.rank, "; ".join(_compared(one.settings))) for one in ranks)
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


def _compared(settings: Sequence[str]) -> list[str]:
    return [text for text in settings if text.partition("=")[0] not in launch.OF_THE_TOOL]
