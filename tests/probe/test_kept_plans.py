"""In which folder plans are kept: the one where the library looks for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from anabranch import kept_plans
from anabranch.reading import ReadError


def test_by_default_it_is_in_the_cache_of_the_user(tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path)}
    expected = tmp_path / "anabranch" / "plans"
    assert kept_plans.folder(environment) == expected
    assert kept_plans.folder({**environment, kept_plans.VARIABLE: "auto"}) == expected
    assert kept_plans.folder({**environment, kept_plans.VARIABLE: ""}) == expected


def test_it_can_be_set_in_the_configuration_file_too(tmp_path: Path) -> None:
    config = tmp_path / "config"
    environment = {"ANABRANCH_CONFIG": str(config)}
    config.write_text("plans = /site/plans\n")
    assert kept_plans.folder(environment) == Path("/site/plans")
    assert kept_plans.folder({**environment, kept_plans.VARIABLE: "none"}) is None
    config.write_text("plans = none\n")
    assert kept_plans.folder(environment) is None


def test_a_wrong_configuration_file_is_named(tmp_path: Path) -> None:
    config = tmp_path / "config"
    with pytest.raises(ReadError, match=str(config)):
        kept_plans.folder({"ANABRANCH_CONFIG": str(config)})
    config.write_text("plannings = none\n")
    with pytest.raises(ValueError, match="plannings"):
        kept_plans.folder({"ANABRANCH_CONFIG": str(config)})
