"""Plans that are kept for sets of hosts, in a folder where the library looks by itself."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from anabranch.reading import read_text

if TYPE_CHECKING:
    from anabranch.platform import Platform

VARIABLE = "ANABRANCH_PLANS"
_CONFIG = "ANABRANCH_CONFIG"
_SECONDS = 20.0  # for the optimum; what there is then is kept


def default_folder(environment: Mapping[str, str]) -> Path:
    """Where the user's cache has them: as src/mpi/shared_files.cpp says."""
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "anabranch" / "plans"


def folder(environment: Mapping[str, str] | None = None) -> Path | None:
    """By the setting `plans`, as the library reads it; None where it says that none are kept.

    Raises ReadError where the configuration file cannot be read, ValueError for wrong settings.
    """
    from anabranch import _core as core

    environment = os.environ if environment is None else environment
    config = environment.get(_CONFIG, "")
    text = read_text(Path(config)) if config else ""
    own = [f"{VARIABLE}={environment[VARIABLE]}"] if environment.get(VARIABLE) else []
    chosen = core.parse_settings(own, text, config).text("plans")
    if chosen == "none":
        return None
    return default_folder(environment) if chosen == "auto" else Path(chosen)


def keep(platform: Platform) -> Path | None:
    """Makes a plan for the platform and keeps it in place of what there was for its hosts.

    Returns the file, None where plans are not kept. Raises PlatformError, ModuleNotFoundError, and
    what `folder` raises.
    """
    from anabranch import planning

    into = folder()
    if into is None:
        return None
    planned = planning.make_plan(platform, platform.names[0], seconds=_SECONDS)
    hosts = "\n".join(sorted(platform.names)).encode()
    path = into / f"{hashlib.sha256(hosts).hexdigest()[:16]}.json"
    planning.save_plan(planned.plan, path)
    return path
