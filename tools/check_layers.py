#!/usr/bin/env python3
"""Refuses includes and imports that go against the layers of DESIGN.md.

Usage: check_layers.py [ROOT]. Prints `file:line: what is wrong` once per violation on stderr;
exit status 1 if there is one, 2 if ROOT is no source tree.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# A folder may include itself and the folders before it.
CORE_LAYERS = [
    *(
        "schedule",
        "plan",
        "collectives",
        "evidence",
        "platform",
        "execution",
        "algorithms",
        "verify",
        "model",
    ),
    "select",
]
MPI_LAYERS = ["mpi", "interpose"]
ALLOWED_INCLUDES: dict[str, set[str]] = {}
for _position, _layer in enumerate(CORE_LAYERS + MPI_LAYERS):
    ALLOWED_INCLUDES[_layer] = set((CORE_LAYERS + MPI_LAYERS)[: _position + 1])
ALLOWED_INCLUDES["capi"] = {*CORE_LAYERS, *MPI_LAYERS, "capi"}
ALLOWED_INCLUDES["bindings"] = {*CORE_LAYERS, "bindings"}  # the Python module carries no MPI
ALLOWED_INCLUDES["simgrid"] = {*CORE_LAYERS, "simgrid"}
ALLOWED_INCLUDES["bench"] = {*CORE_LAYERS, *MPI_LAYERS, "capi", "bench"}
# The dispatcher is preloaded into every program: no MPI, no C++ runtime, hence nothing but itself
# and the function table of its parent.
DISPATCHER = "interpose/dispatcher"

MPI_HEADER = re.compile(r"^(mpi|mpi_abi|mpi_proto|mpi-ext|pmpi)\.h$")
MPI_FOLDERS = {"mpi", "interpose", "capi", "bench"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
SOURCE_SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".cc", ".hh", ".inc"}

# What they say depends on their arguments alone. (Locks are fine: a cache may be shared.)
PURE_FOLDERS = {"schedule", "collectives", "evidence", "platform", "algorithms", "execution"}
IMPURE_HEADERS = {
    *("chrono", "ctime", "filesystem", "fstream", "future", "iostream", "random", "thread"),
    *("time.h", "unistd.h"),
}

IMPORT_FUNCTIONS = {"import_module", "__import__"}
CLI_ROOTS = {"cli", "__main__"}
FORBIDDEN_IMPORTS = {
    "lab": {"bench"},
    "launch": {"bench"},
    "platform": {"bench", "experiments", "lab", "launch", "planning", "probe"},
    "planning": {"bench", "experiments", "lab", "launch", "probe"},
}


@dataclass(frozen=True)
class Violation:
    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def strip_comments(text: str) -> str:
    """Blank the comments of C++ text, keeping its line numbers."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return found if found.startswith('"') else "\n" * found.count("\n")

    return pattern.sub(blank, text)


def included_folder(folder: str, target: str, source_root: Path) -> str | None:
    """Return the folder of src/ that an #include names, None where it names nothing of ours."""
    path = target.removeprefix("anabranch/")
    first = path.split("/")[0]
    if "/" in path and first in ALLOWED_INCLUDES:
        return first
    if "/" not in path and (source_root / folder / path).is_file():
        return folder
    return None


def check_include(folder: str, relative: Path, target: str, source_root: Path) -> str | None:
    """Return what is wrong with one #include of a file in src/<folder>, None if nothing is."""
    in_dispatcher = relative.as_posix().startswith(DISPATCHER)
    name = target.split("/")[-1]
    if MPI_HEADER.match(name):
        if folder not in MPI_FOLDERS or in_dispatcher:
            where = DISPATCHER if in_dispatcher else folder
            return (
                f"{where} includes <{target}>; only {', '.join(sorted(MPI_FOLDERS))} may"
                " (not the dispatcher)"
            )
        return None
    if target.startswith("../") or "/../" in target:
        return f'"{target}" is relative; write the path from src/'
    if folder in PURE_FOLDERS and target in IMPURE_HEADERS:
        return f"{folder} includes <{target}>; it has no clock, threads, I/O or chance"
    included = included_folder(folder, target, source_root)
    if included is None:
        return None
    allowed = {"interpose"} if in_dispatcher else ALLOWED_INCLUDES[folder]
    if included not in allowed:
        where = DISPATCHER if in_dispatcher else folder
        return f'{where} includes "{target}"; it may include only {", ".join(sorted(allowed))}'
    return None


def check_cpp(root: Path) -> Iterator[Violation]:
    source_root = root / "src"
    for path in sorted(p for p in source_root.rglob("*") if p.suffix in SOURCE_SUFFIXES):
        relative = path.relative_to(source_root)
        folder = relative.parts[0]
        shown = path.relative_to(root)
        if len(relative.parts) < 2 or folder not in ALLOWED_INCLUDES:
            yield Violation(shown, 1, f"not in a layer; src/ has {', '.join(ALLOWED_INCLUDES)}")
            continue
        lines = strip_comments(path.read_text(encoding="utf-8")).splitlines()
        for number, line in enumerate(lines, start=1):
            if match := INCLUDE.match(line):
                target = match.group(1) or match.group(2)
                if message := check_include(folder, relative, target, source_root):
                    yield Violation(shown, number, message)


def imported_modules(tree: ast.AST, package: list[str]) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) of every import; `from a import b` gives a.b.

    `import_module("a.b")` is one as well.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"
        elif isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
            given = node.args[0]
            if name in IMPORT_FUNCTIONS and isinstance(given, ast.Constant):
                yield node.lineno, str(given.value)


def check_python(root: Path) -> Iterator[Violation]:
    package_root = root / "python" / "anabranch"
    for path in sorted(package_root.rglob("*.py")):
        relative = path.relative_to(package_root)
        importer = relative.parts[0].removesuffix(".py")
        shown = path.relative_to(root)
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError as error:
            yield Violation(shown, error.lineno or 1, f"cannot be parsed: {error.msg}")
            continue
        seen = set()
        for line, module in imported_modules(tree, ["anabranch", *relative.parent.parts]):
            parts = module.split(".")
            if parts[0] != "anabranch" or len(parts) < 2:
                continue
            imported = parts[1]
            if imported == "cli" and importer not in CLI_ROOTS:
                message = f"{importer} imports anabranch.cli; only the command line itself may"
            elif imported in FORBIDDEN_IMPORTS.get(importer, set()):
                message = f"{importer} imports anabranch.{imported}; it must work without it"
            else:
                continue
            if (line, message) not in seen:
                seen.add((line, message))
                yield Violation(shown, line, message)


def main(arguments: list[str]) -> int:
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent)
    if not (root / "src").is_dir() and not (root / "python" / "anabranch").is_dir():
        print(f"check_layers: '{root}' has neither src/ nor python/anabranch/", file=sys.stderr)
        return 2
    violations = [*check_cpp(root), *check_python(root)]
    for violation in violations:
        print(violation, file=sys.stderr)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
