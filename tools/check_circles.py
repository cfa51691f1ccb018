#!/usr/bin/env python3
"""Refuses circles of imports between the modules of python/.

Usage: check_circles.py [ROOT]. Prints `file:line: circle: a:line -> b:line -> a` on stderr, the
shortest circle that each import lies on, each of them once; exit status 1 if there is one, 2 if
ROOT has no python/.

All imports count: those in functions and under TYPE_CHECKING too, which put a circle off or hide it
from the interpreter, but leave modules that cannot be understood, tested or moved without each
other. Who imports a module also needs the packages around it, whose __init__ runs first, but for
those that he is in himself: they have begun before him. Not seen are names that are put together
at run time, as those of commands in cli/main, which no command imports.
"""

from __future__ import annotations

import ast
import sys
from collections import deque
from pathlib import Path

from check_layers import Violation, imported_modules

Graph = dict[str, dict[str, int]]  # module, what it imports, and in which line


def find_modules(source_root: Path) -> dict[str, Path]:
    """Files by the name of their module; a stub stands for a module that is compiled."""
    found = {}
    for suffix in (".pyi", ".py"):
        for path in sorted(source_root.rglob(f"*{suffix}")):
            parts = path.relative_to(source_root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def packages_around(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def imports_of(module: str, path: Path, modules: dict[str, Path]) -> dict[str, int]:
    """What a module imports, and in which line first; raises SyntaxError."""
    around = packages_around(module)
    package = module.split(".") if path.stem == "__init__" else module.split(".")[:-1]
    found: dict[str, int] = {}
    for line, dotted in imported_modules(ast.parse(path.read_text(encoding="utf-8")), package):
        candidates = [dotted, *reversed(packages_around(dotted))]
        target = next((name for name in candidates if name in modules), None)
        if target is None:
            continue
        begun = {*around, module}
        for name in [target, *(each for each in packages_around(target) if each not in begun)]:
            if name in modules:
                found[name] = min(line, found.get(name, line))
    return found


def shortest_way(graph: Graph, start: str, goal: str) -> list[str] | None:
    """Modules from start to goal, each of which imports the next; None if there is no way."""
    came_from = {start: ""}
    waiting = deque([start])
    while waiting:
        module = waiting.popleft()
        if module == goal:
            way = [module]
            while way[-1] != start:
                way.append(came_from[way[-1]])
            return way[::-1]
        for imported in sorted(graph.get(module, ())):
            if imported not in came_from:
                came_from[imported] = module
                waiting.append(imported)
    return None


def find_circles(graph: Graph) -> list[tuple[str, ...]]:
    """Each circle once, from its first name on; every import that is on one is on one of these."""
    found = set()
    for module, imports in graph.items():
        for imported in imports:
            if way := shortest_way(graph, imported, module):
                first = way.index(min(way))
                found.add((*way[first:], *way[:first]))
    return sorted(found, key=lambda circle: (len(circle), circle))


def check_circles(root: Path) -> list[Violation]:
    modules = find_modules(root / "python")
    graph: Graph = {}
    violations = []
    for module, path in modules.items():
        try:
            graph[module] = imports_of(module, path, modules)
        except SyntaxError as error:
            message = f"cannot be parsed: {error.msg}"
            violations.append(Violation(path.relative_to(root), error.lineno or 1, message))
    for circle in find_circles(graph):
        steps = [
            f"{module}:{graph[module][imported]}"
            for module, imported in zip(circle, (*circle[1:], circle[0]), strict=True)
        ]
        line = graph[circle[0]][circle[1 % len(circle)]]
        message = f"circle: {' -> '.join([*steps, circle[0]])}"
        violations.append(Violation(modules[circle[0]].relative_to(root), line, message))
    return violations


def main(arguments: list[str]) -> int:
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent)
    if not (root / "python").is_dir():
        print(f"check_circles: '{root}' has no python/", file=sys.stderr)
        return 2
    violations = check_circles(root)
    for violation in violations:
        print(violation, file=sys.stderr)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
