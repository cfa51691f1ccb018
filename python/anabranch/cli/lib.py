"""`anabranch lib`: prints the path to preload."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from anabranch import launch
from anabranch.cli import app
from anabranch.cli.errors import reported


@app.command()
def lib(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """Prints the path to preload under any launcher."""
    with reported(launch.LaunchError):
        path = str(launch.preload_path())
    print(json.dumps({"schema": "anabranch/lib/1", "path": path}) if as_json else path)
