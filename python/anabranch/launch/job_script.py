"""Lines for job scripts and module files that put the library in front of programs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anabranch import __version__
from anabranch.launch.installations import Installation, LaunchError, name_and_place
from anabranch.launch.launchers import find_launcher, forwarding, plugin_option, srun
from anabranch.launch.preloading import preload_path
from anabranch.launch.settings import OF_THE_TOOL, PREFIX

VARIABLE = "WITH_ANABRANCH"  # not ANABRANCH_..., which would be a setting


@dataclass(frozen=True)
class _Script:
    """What each form writes: options of the launcher, the library, settings."""

    launcher: str
    about: str
    options: Sequence[str]
    library: Path
    settings: Mapping[str, str]

    @property
    def example(self) -> str:
        return f"{self.launcher} ${VARIABLE} -n 4 ./your_program"


def job_script(
    shell: str, launcher: str, installation: Installation, settings: Mapping[str, str]
) -> str:
    """The lines, for sh, csh, module (Tcl) or lmod (Lua).

    settings: further variables beside the caller's ANABRANCH_*. Raises LaunchError.
    """
    if shell not in SHELLS:
        raise LaunchError(f"unknown shell '{shell}': give {', '.join(SHELLS)}")
    path, start = find_launcher(launcher, installation)
    library = preload_path()
    own = {k: v for k, v in os.environ.items() if k.startswith(PREFIX) and k not in OF_THE_TOOL}
    chosen = {**own, **settings}
    options = forwarding(start, {**chosen, "LD_PRELOAD": str(library)})
    if start is srun:
        options = [*plugin_option(path, installation), *options]
    about = f"Anabranch {__version__} for {launcher} and {name_and_place(installation)}"
    return SHELLS[shell](_Script(launcher, about, options, library, chosen))


def _sh(script: _Script) -> str:
    lines = [f"# {script.about}.", f"# Start programs as: {script.example}"]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in script.settings.items()]
    return "\n".join([*lines, f"export {VARIABLE}={shlex.quote(' '.join(script.options))}"])


def _csh(script: _Script) -> str:
    lines = [f"# {script.about}.", f"# Start programs as: {script.example}"]
    for name, value in script.settings.items():
        lines.append(f"setenv {name} {shlex.quote(value).replace('!', chr(92) + '!')}")
    return "\n".join([*lines, f"set {VARIABLE} = ({' '.join(script.options)})"])


def _module(script: _Script) -> str:
    lines = ["#%Module1.0", f"# {script.about}."]
    lines += [f"module-whatis {_tcl(_WHAT_IS)}", "proc ModulesHelp { } {"]
    lines += [f"    puts stderr {_tcl(text)}" for text in _help(script)]
    lines += ["}", "conflict anabranch", f"prepend-path LD_PRELOAD {_tcl(str(script.library))}"]
    lines += [f"setenv {name} {_tcl(value)}" for name, value in script.settings.items()]
    return "\n".join(lines)


def _lmod(script: _Script) -> str:
    lines = [f"-- {script.about}.", f"whatis({_lua(_WHAT_IS)})"]
    lines.append(f"help({_lua(' '.join(_help(script)))})")
    lines += ['conflict("anabranch")', f'prepend_path("LD_PRELOAD", {_lua(str(script.library))})']
    lines += [f"setenv({_lua(name)}, {_lua(value)})" for name, value in script.settings.items()]
    return "\n".join(lines)


_WHAT_IS = "Collective operations of MPI programs at the limit of the network"


def _help(script: _Script) -> list[str]:
    """A module sets LD_PRELOAD, which not all launchers bring to other hosts."""
    words = list(script.options)
    names = [words[i + 1].partition("=")[0] for i, word in enumerate(words) if word == "-x"]
    if names:
        named = " ".join(f"-x {name}" for name in names)
        return [f"Start programs as: {script.launcher} {named} -n 4 ./your_program"]
    others = [w for w in words if w.startswith("--mpi=")]
    command = " ".join([script.launcher, *others, "-n 4 ./your_program"])
    return [f"Start programs as before: {command}"]


def _tcl(text: str) -> str:
    """A word in quotes, in which Tcl substitutes nothing."""
    special = '\\"$[]{}'
    return '"' + "".join("\\" + c if c in special else c for c in text) + '"'


def _lua(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


SHELLS: dict[str, Callable[[_Script], str]] = {
    "sh": _sh,
    "csh": _csh,
    "module": _module,
    "lmod": _lmod,
}
