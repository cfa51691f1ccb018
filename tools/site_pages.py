"""A hook of mkdocs: pages and files that lie beside docs/ in the repository.

README.md is the first page; DESIGN.md, CONTRIBUTING.md and CHANGELOG.md are pages, too, and the
examples are files of the site. Links between them and the pages of docs/ are led to where they are
in the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

REPOSITORY = Path(__file__).resolve().parent.parent
PAGES = {
    "README.md": "index.md",
    "DESIGN.md": "design.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
EXAMPLES = sorted(path for path in (REPOSITORY / "examples").iterdir() if path.is_file())
FILES = ["LICENSE", "include/anabranch.h", *(f"examples/{path.name}" for path in EXAMPLES)]
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")


def on_files(files: Any, config: Any) -> Any:
    for path, uri in PAGES.items():
        files.append(File.generated(config, uri, abs_src_path=str(REPOSITORY / path)))
    for path in FILES:
        files.append(File.generated(config, path, abs_src_path=str(REPOSITORY / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    uri = page.file.src_uri
    in_repository = {to: path for path, to in PAGES.items()}.get(uri, f"docs/{uri}")

    def in_site(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(in_repository), match[1]))
        target = PAGES.get(target, target.removeprefix("docs/"))
        return posixpath.relpath(target, posixpath.dirname(uri) or ".")

    return LINK.sub(in_site, markdown)
