"""`anabranch env`: what it prints is read by the programs that it is for."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
HELLO = Path(__file__).with_name("programs") / "hello.c"
AWKWARD = "0-4KiB:native,4KiB-:bcast/chain:segment=4KiB"


@pytest.fixture
def printed(run_command: Run) -> Callable[..., str]:
    """`printed("--launcher", "mpiexec", ...)`: what `anabranch env` prints."""

    def run(*arguments: str | Path, **options) -> str:
        done = run_command([sys.executable, "-m", "anabranch", "env", *arguments], **options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize("shell", ["sh", "csh"])
def test_a_job_script_puts_the_library_in_front_of_ranks_alone(
    mpi,
    shell: str,
    compile_mpi,
    printed,
    run_command: Run,
    witness_folder: Path,
    tmp_path: Path,
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    program = compile_mpi(mpi, HELLO)
    launcher = mpi.prefix / "bin" / "mpiexec"
    folder = {"ANABRANCH_LIBRARY_DIR": str(witness_folder)}
    options = ["--launcher", launcher, "--shell", shell, "--set", f"bcast={AWKWARD}"]
    lines = printed(*options, environment=folder)
    script = tmp_path / "script"
    call = f"{launcher} $WITH_ANABRANCH -n 2 {program} ANABRANCH_BCAST\n"
    script.write_text(lines + call)
    done = run_command([shell, script], environment={"WITNESS_FILE": str(tmp_path / "witness")})
    assert done.returncode == 0, done.stderr
    assert [line.split()[-1] for line in done.stdout.splitlines()] == [
        f"ANABRANCH_BCAST={AWKWARD}"
    ] * 2
    loaded_by = (tmp_path / "witness").read_text().split()
    assert loaded_by == [program.name[: len(loaded_by[0])]] * 2


# How a shell loads the file `anabranch` that lies in the folder $1, and what goes before that.
MODULES = {
    "module": (["/usr/share/modules/init/sh", "/usr/share/Modules/init/sh"], "anabranch"),
    "lmod": (["/usr/share/lmod/lmod/init/sh", "/opt/apps/lmod/lmod/init/sh"], "anabranch.lua"),
}


@pytest.mark.parametrize("shell", MODULES)
def test_a_module_sets_library_and_settings(
    mpich, shell: str, printed, run_command: Run, witness_folder: Path, tmp_path: Path
) -> None:
    starts, name = MODULES[shell]
    start = next((path for path in starts if Path(path).exists()), None)
    if start is None:
        pytest.skip(f"no {shell} is installed here")
    folder = {"ANABRANCH_LIBRARY_DIR": str(witness_folder)}
    value = 'a"b$c[d]\\e{f'
    lines = printed(
        *("--launcher", mpich.mpiexec, "--shell", shell, "--set", f"bcast={AWKWARD}"),
        environment={**folder, "ANABRANCH_CONFIG": value},
    )
    (tmp_path / name).write_text(lines)
    script = tmp_path / "script"
    script.write_text(
        f". {start}\nmodule use {tmp_path}\nmodule load anabranch\n"
        'echo "$LD_PRELOAD"; echo "$ANABRANCH_BCAST"; printf "%s\\n" "$ANABRANCH_CONFIG"\n'
    )
    done = run_command(["bash", script], environment={"LD_PRELOAD": "", "LMOD_SYSTEM_NAME": ""})
    library = f"{witness_folder}/libanabranch.so"
    assert done.stdout.splitlines()[-3:] == [library, AWKWARD, value], done.stderr


def test_the_help_of_a_module_names_what_open_mpi_has_to_forward(openmpi, printed) -> None:
    lines = printed("--launcher", openmpi.mpiexec, "--shell", "module", "--set", "bcast=native")
    assert "-x ANABRANCH_BCAST -x LD_PRELOAD -n 4 ./your_program" in lines
    assert "WITH_ANABRANCH" not in lines


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "--launcher"),
        (["--launcher", "qsub"], "give mpiexec, mpirun, srun, or the path of one"),
        (["--launcher", "mpiexec", "--shell", "fish"], "give sh, csh, module, lmod"),
        (["--launcher", "mpiexec", "--set", "bcast=no"], "bcast"),
        (["--launcher", "mpiexec", "--set", "x"], "write NAME=VALUE"),
    ],
)
def test_bad_input_gets_one_line(
    mpich, run_command: Run, options: list[str], expected: str
) -> None:
    done = run_command([sys.executable, "-m", "anabranch", "env", *options])
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert expected in line


def test_a_path_that_ld_preload_cannot_name_is_refused(
    mpich, run_command: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "my library"
    folder.mkdir()
    (folder / "libanabranch.so").touch()
    command = [sys.executable, "-m", "anabranch", "env", "--launcher", "mpiexec"]
    done = run_command(command, environment={"ANABRANCH_LIBRARY_DIR": str(folder)})
    assert done.returncode == 2
    assert "install Anabranch below a path without blanks" in done.stderr
