"""Files that commands write: whole or not at all, through links, and into what is no file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from anabranch.files import write_whole


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path, is_there: bool) -> None:
    file, link = tmp_path / "elsewhere" / "results.json", tmp_path / "link.json"
    link.symlink_to(file)
    if is_there:
        file.parent.mkdir()
        file.write_text("before")
    write_whole(link, b"after")
    assert link.is_symlink()
    assert file.read_bytes() == b"after"
    assert [path.name for path in file.parent.iterdir()] == ["results.json"]


def test_a_pipe_gets_the_data_and_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(path, b"data")
        assert os.read(reader, 16) == b"data"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_what_a_shell_reads_is_written_to() -> None:
    """As in --csv >(sort), which names a pipe that has no place in any folder."""
    reader, writer = os.pipe()
    try:
        write_whole(Path(f"/dev/fd/{writer}"), b"data")
        assert os.read(reader, 16) == b"data"
    finally:
        os.close(reader)
        os.close(writer)


def test_a_folder_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "results", b"data")
    assert [path.name for path in tmp_path.rglob("*")] == ["results"]
