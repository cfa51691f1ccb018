"""Finding installed MPIs, in made-up prefixes."""

from __future__ import annotations

from pathlib import Path

import pytest
from anabranch import launch, remedies
from anabranch.launch import LaunchError, installations, preloading

TREES = {
    "mpich": ["bin/mpiexec", "lib/libmpi.so.12", "lib/libmpi_abi.so.1"],
    "openmpi": ["bin/mpirun", "lib/libmpi.so.40"],
    "intel": ["bin/mpiexec.hydra", "bin/hydra_bstrap_proxy", "lib/libmpi.so.12"],
}


def make_tree(prefix: Path, files: list[str]) -> Path:
    for name in files:
        file = prefix / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(0o755)
    return prefix


@pytest.mark.parametrize("kind", TREES)
def test_a_prefix_is_recognised_by_its_files(kind: str, tmp_path: Path) -> None:
    found = launch.find_installation(str(make_tree(tmp_path, TREES[kind])))
    assert found.kind == kind
    assert found.launcher == tmp_path / TREES[kind][0]
    assert found.library_folder == tmp_path / "lib"


def test_the_standard_interface_is_seen(tmp_path: Path) -> None:
    assert launch.find_installation(str(make_tree(tmp_path, TREES["mpich"]))).abis == (
        "mpich",
        "abi",
    )


def test_debian_keeps_both_below_one_prefix(tmp_path: Path) -> None:
    multiarch = installations.sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu"
    files = ["bin/mpiexec.mpich", "bin/mpirun.openmpi", "bin/mpiexec"]
    files += [f"lib/{multiarch}/libmpich.so.12", f"lib/{multiarch}/libmpi.so.40"]
    found = {i.kind: i for i in installations.installations_in(make_tree(tmp_path, files))}
    assert found["mpich"].launcher.name == "mpiexec.mpich"
    assert found["mpich"].library.name == "libmpich.so.12"
    assert found["openmpi"].launcher.name == "mpirun.openmpi"
    assert found["mpich"].provides("libmpich.so.12")
    assert found["openmpi"].provides("libmpi.so.40")
    for kind, library in (
        ("mpich", "libmpi.so.12"),  # a file that is not there
        ("mpich", "libmpi.so.40"),  # a file of the neighbour
        ("openmpi", "libmpich.so.12"),
    ):
        assert not found[kind].provides(library)


@pytest.mark.parametrize("missing", [0, 1])
def test_half_an_mpi_is_none(tmp_path: Path, missing: int) -> None:
    files = [name for index, name in enumerate(TREES["openmpi"]) if index != missing]
    with pytest.raises(LaunchError, match="no MPI in"):
        launch.find_installation(str(make_tree(tmp_path, files)))


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(LaunchError, match="give mpich, openmpi, intel"):
        launch.find_installation("mvapich")


def test_one_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installations, "_prefixes", lambda: iter(()))
    with pytest.raises(LaunchError, match=r"Intel MPI is not installed .*make setup-intel"):
        launch.find_installation("intel")


def test_outside_of_a_source_tree_pip_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(remedies, "_SOURCE_TREE", tmp_path)
    monkeypatch.setattr(installations, "_prefixes", lambda: iter(()))
    with pytest.raises(LaunchError, match=r"installed: none\): run 'pip install impi-rt', or give"):
        launch.find_installation("intel")
    monkeypatch.setattr(preloading, "library_file", lambda: tmp_path / "libanabranch.so")
    with pytest.raises(
        LaunchError, match=r"there is no libanabranch\.so .*pip install .*anabranch"
    ):
        launch.preload_path()


def test_the_environment_comes_before_the_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_tree(tmp_path / "first", TREES["mpich"])
    make_tree(tmp_path / "second", TREES["mpich"])
    make_tree(tmp_path / "second", TREES["openmpi"])
    prefixes = [tmp_path / "first", tmp_path / "second"]
    monkeypatch.setattr(installations, "_prefixes", lambda: iter(prefixes))
    found = launch.mpi_installations()
    assert found["mpich"].prefix == tmp_path / "first"
    assert found["openmpi"].prefix == tmp_path / "second"
    assert list(found) == ["mpich", "openmpi"]
