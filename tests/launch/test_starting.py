"""Command lines and environments of the launchers, without starting anything."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import lab, launch
from anabranch.launch import Installation, LaunchError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

INSTALLATIONS = {
    "mpich": Installation(
        "mpich", Path("/m"), Path("/m/bin/mpiexec"), Path("/m/lib/libmpi.so.12"), ("mpich", "abi")
    ),
    "openmpi": Installation(
        "openmpi", Path("/o"), Path("/o/bin/mpirun"), Path("/o/lib/libmpi.so.40"), ("openmpi",)
    ),
    "intel": Installation(
        "intel", Path("/i"), Path("/i/bin/mpiexec.hydra"), Path("/i/lib/libmpi.so.12"), ("mpich",)
    ),
}
EVERY_MPI = pytest.mark.parametrize("kind", INSTALLATIONS)


def start(kind: str, ranks: int = 4, **options) -> tuple[list[str], dict[str, str]]:
    options.setdefault("preload", False)
    return launch.command(["./app", "-x", "1"], ranks, INSTALLATIONS[kind], **options)


def hosts_of_ranks(arguments: list[str], kind: str, ranks: int) -> list[str]:
    """Where a launcher of this MPI puts each rank: it fills the hosts in order."""
    hosts = value_after(arguments, "--host" if kind == "openmpi" else "-hosts").split(",")
    each = value_after(arguments, "-ppn") if "-ppn" in arguments else None
    slots = [(host.partition(":")[0], each or host.partition(":")[2]) for host in hosts]
    return [name for name, count in slots for _ in range(int(count))][:ranks]


def value_after(arguments: list[str], option: str) -> str:
    return arguments[arguments.index(option) + 1]


@EVERY_MPI
def test_the_program_comes_last_with_its_arguments(kind: str) -> None:
    arguments, _ = start(kind, 3)
    assert arguments[0] == str(INSTALLATIONS[kind].launcher)
    assert arguments[-3:] == ["./app", "-x", "1"]
    assert value_after(arguments, "-n") == "3"


@EVERY_MPI
def test_the_chosen_mpi_comes_first_on_the_library_path(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/elsewhere:/other")
    folder = str(INSTALLATIONS[kind].library_folder)
    _, environment = start(kind)
    assert environment["LD_LIBRARY_PATH"] == f"{folder}:/elsewhere:/other"
    assert environment["MPI4PY_LIBMPI"] == str(INSTALLATIONS[kind].library)


@EVERY_MPI
def test_only_the_ranks_are_preloaded(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.setenv("ANABRANCH_LIBRARY_DIR", str(tmp_path))
    (tmp_path / "libanabranch.so").touch()
    arguments, environment = start(kind, preload=True)
    assert "LD_PRELOAD" not in environment
    assert str(tmp_path / "libanabranch.so") in " ".join(arguments)
    monkeypatch.setenv("LD_PRELOAD", "/tool.so")
    arguments, environment = start(kind, preload=True)
    assert environment["LD_PRELOAD"] == "/tool.so"
    assert f"/tool.so {tmp_path}/libanabranch.so" in " ".join(arguments)


def test_a_missing_library_is_an_error_only_when_it_is_preloaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANABRANCH_LIBRARY_DIR", str(tmp_path))
    start("mpich", preload=False)
    with pytest.raises(LaunchError, match=r"no libanabranch\.so in .*ANABRANCH_LIBRARY_DIR"):
        start("mpich", preload=True)


@EVERY_MPI
def test_settings_reach_all_ranks(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANABRANCH_WATCHDOG", "30s")
    extra = launch.settings_environment(["bcast=bcast/chain", "segment-size=8KiB"])
    arguments, environment = start(kind, environment=extra)
    expected = {
        "ANABRANCH_BCAST": "bcast/chain",
        "ANABRANCH_SEGMENT_SIZE": "8KiB",
        "ANABRANCH_WATCHDOG": "30s",
    }
    assert expected.items() <= environment.items()
    if kind == "openmpi":  # Hydra forwards all by itself
        forwarded = {arguments[i + 1] for i, a in enumerate(arguments) if a == "-x"}
        assert expected.keys() <= forwarded


@pytest.mark.parametrize("text", ["bcast", "=x", "bcast=", "2=3", "a b=c"])
def test_what_is_no_setting_is_refused(text: str) -> None:
    with pytest.raises(LaunchError, match="NAME=VALUE"):
        launch.settings_environment([text])


def test_the_network_is_used_inside_a_lab(inside_lab: Callable[..., lab.Description]) -> None:
    place = inside_lab(4)
    arguments, environment = start("mpich")
    assert value_after(arguments, "-hosts") == "n0,n1,n2,n3"
    assert value_after(arguments, "-launcher-exec") == place.remote_shell
    assert (environment["UCX_TLS"], environment["UCX_NET_DEVICES"]) == ("tcp,self", "e0")
    arguments, environment = start("mpich", netmod="ofi")
    assert environment["MPIR_CVAR_CH4_NETMOD"] == "ofi"
    assert (environment["FI_PROVIDER"], environment["FI_TCP_IFACE"]) == ("tcp", "e0")
    arguments, environment = start("openmpi")
    assert value_after(arguments, "--host") == "n0:1,n1:1,n2:1,n3:1"
    assert environment["PRTE_MCA_plm_ssh_agent"] == place.remote_shell
    assert environment["PRTE_MCA_prte_tmpdir_base"] == place.temporary_folder
    assert environment["OMPI_MCA_btl"] == "tcp,self"
    assert environment["OMPI_MCA_btl_tcp_if_include"] == "e0"
    arguments, environment = start("intel")
    assert environment["I_MPI_HYDRA_BOOTSTRAP_EXEC"] == place.remote_shell
    assert environment["I_MPI_FABRICS"] == "ofi"


def test_the_user_has_the_last_word_on_the_network(
    inside_lab: Callable[..., lab.Description], monkeypatch: pytest.MonkeyPatch
) -> None:
    inside_lab(2)
    monkeypatch.setenv("UCX_TLS", "all")
    assert start("mpich", 2)[1]["UCX_TLS"] == "all"


def test_nodes_of_a_lab_are_reached_whatever_is_set_for_other_hosts(
    inside_lab: Callable[..., lab.Description], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = inside_lab(2)
    monkeypatch.setenv("PRTE_MCA_plm_ssh_agent", "rsh")
    monkeypatch.setenv("PRTE_MCA_prte_tmpdir_base", "/scratch")
    monkeypatch.setenv("I_MPI_HYDRA_BOOTSTRAP", "slurm")
    environment = start("openmpi", 2)[1]
    assert environment["PRTE_MCA_plm_ssh_agent"] == place.remote_shell
    assert environment["PRTE_MCA_prte_tmpdir_base"] == place.temporary_folder
    assert start("intel", 2)[1]["I_MPI_HYDRA_BOOTSTRAP"] == "ssh"


@EVERY_MPI
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(nodes=st.integers(1, 64), per_node=st.integers(1, 8), data=st.data())
def test_ranks_fill_nodes_in_blocks(kind: str, inside_lab, nodes: int, per_node: int, data) -> None:
    ranks = data.draw(st.integers(1, nodes * per_node))
    inside_lab(nodes)
    arguments, _ = start(kind, ranks, ranks_per_node=per_node)
    assert hosts_of_ranks(arguments, kind, ranks) == [f"n{r // per_node}" for r in range(ranks)]


def test_the_lab_says_how_many_ranks_a_node_takes(
    inside_lab: Callable[..., lab.Description],
) -> None:
    inside_lab(4, ppn=3)
    assert value_after(start("mpich", 12)[0], "-ppn") == "3"
    with pytest.raises(LaunchError, match=r"13 processes .*4 nodes with 3 each.*--ppn 4"):
        start("mpich", 13)


@pytest.mark.parametrize("ranks", [0, -1, 65537])
def test_process_counts_out_of_range_are_refused(ranks: int) -> None:
    with pytest.raises(LaunchError, match="give 1 to 65536"):
        start("mpich", ranks)


def test_an_unknown_netmod_is_refused() -> None:
    with pytest.raises(LaunchError, match="ucx or ofi"):
        start("mpich", netmod="verbs")


def test_more_ranks_than_processors_yield(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: set(range(4)))
    assert "OMPI_MCA_mpi_yield_when_idle" not in start("openmpi", 4)[1]
    assert start("openmpi", 5)[1]["OMPI_MCA_mpi_yield_when_idle"] == "1"


def test_a_stale_lab_variable_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(lab.VARIABLE, str(tmp_path / "gone.json"))
    with pytest.raises(lab.LabError, match="does not describe a running lab"):
        start("mpich")


@EVERY_MPI
@pytest.mark.parametrize("per_node", [0, -1])
@pytest.mark.parametrize("options", [None, launch.LauncherOptions(hosts=(launch.Host("n0"),))])
def test_fewer_ranks_on_a_node_than_one_are_refused(
    kind: str, per_node: int, options: launch.LauncherOptions | None
) -> None:
    with pytest.raises(LaunchError, match=f"{per_node} processes per node: give at least 1"):
        start(kind, ranks_per_node=per_node, options=options)


@pytest.mark.parametrize("name", ["two words", "one:two", "$ORIGIN"])
def test_a_library_that_loaders_would_not_find_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """LD_PRELOAD takes such a name apart, and programs would run without the library."""
    folder = tmp_path / name
    folder.mkdir()
    (folder / "libanabranch.so").touch()
    monkeypatch.setenv("ANABRANCH_LIBRARY_DIR", str(folder))
    with pytest.raises(LaunchError, match=r"LD_PRELOAD cannot name .*: install Anabranch below"):
        start("mpich", preload=True)
    start("mpich", preload=False)


def test_a_launcher_that_no_kernel_executes_is_named(tmp_path: Path) -> None:
    file = tmp_path / "launcher"
    file.write_text("no program\n")
    file.chmod(0o755)
    refused = rf"the launcher '{file}' cannot be executed \(Exec format error\): give a program"
    with pytest.raises(LaunchError, match=refused), launch.executing(str(file)):
        subprocess.run([file], check=False)
    with launch.executing("sh"):
        subprocess.run(["sh", "-c", "exit 7"], check=False)
