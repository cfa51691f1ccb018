"""Starting MPI programs: which MPI they need, which launcher, which environment.

installation = launch.choose_installation(["./app"], None)
arguments, environment = launch.command(["./app"], 16, installation)
subprocess.run(arguments, env=environment)
"""

from anabranch.launch.hosts import Host, parse_hosts, read_hostfile
from anabranch.launch.installations import (
    TITLES,
    Installation,
    LaunchError,
    all_installations,
    describe,
    find_installation,
    first_installation,
    installation_of_launcher,
    mpi_installations,
    name_and_place,
    version_of,
)
from anabranch.launch.job import LauncherOptions
from anabranch.launch.job_script import SHELLS, job_script
from anabranch.launch.launchers import LAUNCHERS, SLURM_PLUGINS, find_launcher, slurm_plugin
from anabranch.launch.preloading import preload_path
from anabranch.launch.programs import (
    Linkage,
    choose_installation,
    choose_native_installation,
    find_program,
    linkage,
)
from anabranch.launch.settings import (
    EXPLAIN,
    OF_THE_TOOL,
    SUMMARY,
    check_settings,
    setting_variable,
    settings_environment,
    unguarded,
)
from anabranch.launch.starting import NETMODS, command, executing

__all__ = [
    "EXPLAIN",
    "LAUNCHERS",
    "NETMODS",
    "OF_THE_TOOL",
    "SHELLS",
    "SLURM_PLUGINS",
    "SUMMARY",
    "TITLES",
    "Host",
    "Installation",
    "LaunchError",
    "LauncherOptions",
    "Linkage",
    "all_installations",
    "check_settings",
    "choose_installation",
    "choose_native_installation",
    "command",
    "describe",
    "executing",
    "find_installation",
    "find_launcher",
    "find_program",
    "first_installation",
    "installation_of_launcher",
    "job_script",
    "linkage",
    "mpi_installations",
    "name_and_place",
    "parse_hosts",
    "preload_path",
    "read_hostfile",
    "setting_variable",
    "settings_environment",
    "slurm_plugin",
    "unguarded",
    "version_of",
]
