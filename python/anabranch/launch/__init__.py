"""Starting MPI programs: which MPI they need, which launcher, which environment.

installation = launch.choose_installation(["./app"], None)
arguments, environment = launch.command(["./app"], 16, installation)
subprocess.run(arguments, env=environment)
"""

from anabranch.launch.installations import (
    Installation,
    LaunchError,
    find_installation,
    mpi_installations,
)
from anabranch.launch.preloading import preload_path
from anabranch.launch.programs import (
    Linkage,
    choose_installation,
    choose_native_installation,
    linkage,
)
from anabranch.launch.settings import (
    EXPLAIN,
    SUMMARY,
    check_settings,
    setting_variable,
    settings_environment,
)
from anabranch.launch.starting import NETMODS, command

__all__ = [
    "EXPLAIN",
    "NETMODS",
    "SUMMARY",
    "Installation",
    "LaunchError",
    "Linkage",
    "check_settings",
    "choose_installation",
    "choose_native_installation",
    "command",
    "find_installation",
    "linkage",
    "mpi_installations",
    "preload_path",
    "setting_variable",
    "settings_environment",
]
