"""Platforms of nodes and unequal links: their description, files, generators and prices.

    from anabranch import platform as platforms
    two = platforms.clusters([6, 6], seed=1)
    platforms.save(two, Path("two.json"))
    platforms.price(two, slice_bytes=65536, model="capacity")     # for anabranch._core

docs/reference/platform.md has the file. Source: Beaumont, Marchal, Robert, Broadcast Trees for
Heterogeneous Platforms (paper B).
"""

from anabranch.platform.changes import changed, one_way, slowed
from anabranch.platform.description import (
    MODELS,
    Link,
    Node,
    Occupation,
    Platform,
    SharedLink,
    require_model,
)
from anabranch.platform.document import SCHEMA, from_json, to_json
from anabranch.platform.errors import PlatformError
from anabranch.platform.files import SUFFIXES, load, save, write_whole
from anabranch.platform.generators import clusters, gaussian, random, tiers
from anabranch.platform.pricing import MODELS_IN_SERIES, price, resource_names

__all__ = [
    "MODELS",
    "MODELS_IN_SERIES",
    "SCHEMA",
    "SUFFIXES",
    "Link",
    "Node",
    "Occupation",
    "Platform",
    "PlatformError",
    "SharedLink",
    "changed",
    "clusters",
    "from_json",
    "gaussian",
    "load",
    "one_way",
    "price",
    "random",
    "require_model",
    "resource_names",
    "save",
    "slowed",
    "tiers",
    "to_json",
    "write_whole",
]
