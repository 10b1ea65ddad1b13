"""Files, names and disks that mean no good: one sentence, exit code 2, nothing written, no escapes."""

from __future__ import annotations

import errno
import fcntl
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from stackel_bench.cli import main
from stackel_bench.errors import InputError
from stackel_bench.games import array_files
from stackel_bench.games.array_files import arrays_of_npz, matrix_of_csv
from stackel_bench.text import number_of, printable
from stackel_bench.trials.trial import Failure

CHEAP = ["game=bandit/trap", "budget=fixed", "replicates=1", "execution=serial", "tracking=off", "quiet=true"]


def npz(path: Path, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    np.savez(path, leader_means=np.zeros((3, 2)), follower_means=np.zeros((3, 2)))
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
    if compression != zipfile.ZIP_DEFLATED:
        for info in infos:  # as another program would have written it: local header, central directory
            struct.pack_into("<H", content, info.header_offset + 8, compression)
        for at in _central_headers(bytes(content)):
            struct.pack_into("<H", content, at + 10, compression)
        path.write_bytes(content)
    return path


def _central_headers(content: bytes) -> list[int]:
    return [at for at in range(len(content) - 4) if content[at : at + 4] == b"PK\x01\x02"]


def encrypted(path: Path) -> Path:
    content = bytearray(npz(path).read_bytes())
    for at in _central_headers(bytes(content)):
        content[at + 8] |= 1  # the flag "encrypted"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("make", [encrypted, lambda path: npz(path, compression=9)])
def test_archives_that_python_cannot_read(make: object, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"as an \.npz file of numeric arrays"):
        arrays_of_npz(make(tmp_path / "game.npz"), ("leader_means", "follower_means"))  # type: ignore[operator]


def test_an_archive_says_its_size_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small on disk, large in memory: refused by its directory, before numpy reads a byte of it."""
    path = tmp_path / "bomb.npz"
    np.savez_compressed(
        path, leader_means=np.zeros((1000, 1000)), follower_means=np.zeros(1), other=np.zeros(9)
    )
    assert path.stat().st_size < 50_000
    monkeypatch.setattr(array_files, "MOST_BYTES", 1_000_000)
    with monkeypatch.context() as patch:
        patch.setattr(np, "load", lambda *_, **__: pytest.fail("unpacked"))
        with pytest.raises(InputError, match="found '8000264 bytes of arrays', allowed: at most 1000000"):
            arrays_of_npz(path, ("leader_means", "follower_means"))
    assert arrays_of_npz(path, ("other",))["other"].shape == (9,)


@pytest.mark.parametrize("text", ["1_0", "\u0661\u0660", "nan", "inf", "1e999", "0x1", "", "1 2", "１"])
def test_what_python_takes_for_a_number_and_people_do_not(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no finite decimal number"):
        number_of(text)
    if text.strip():
        (tmp_path / "game.csv").write_text(f"0.5,{text}\n", "utf-8")
        with pytest.raises(InputError, match="line 1, column 2"):
            matrix_of_csv(tmp_path / "game.csv")


@pytest.mark.parametrize(("text", "value"), [("10", 10.0), (" -1.5e-3 ", -0.0015), ("+.5", 0.5), ("7.", 7.0)])
def test_numbers_are_numbers(text: str, value: float) -> None:
    assert number_of(text) == value


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["replicates=1_0"], "numbers without _"),
        (["seed=1,2_000,3"], "numbers without _"),
        (["replicates=\u0661\u0660"], "override: found"),
        (["study.name='a\x1b[31mred'"], r"\x1b[31mred"),
        (["study.name='a\x9b31mred'"], r"\x9b31mred"),
        (["output='~nosuchuser/x'"], "cannot use the path '~nosuchuser/x'"),
        (["study.grids=[{replicats: 7}]"], "did you mean study.grids[0].replicates?"),
        (["study.grids=[{output: elsewhere}]"], "unknown key study.grids[0].output"),
    ],
)
def test_command_lines_that_cannot_be_meant(
    words: list[str], message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["sweep", *CHEAP, f"output={tmp_path / 'output'}", *words]) == 2
    errors = capfd.readouterr().err
    assert message in errors
    assert "\x1b" not in errors
    assert "\x9b" not in errors
    assert not (tmp_path / "output").exists()


def test_words_with_underscores_and_digits_stay_words() -> None:
    from stackel_bench.config.overrides import parse

    assert parse("study.name=sweep_2026_11").value() == "sweep_2026_11"
    assert parse("study.name='2026_11'").value() == "2026_11"
    assert parse("budget.samples=10,1000").is_sweep_override()


def test_a_disk_without_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    assert main(["run", *CHEAP, f"output={tmp_path}"]) == 2
    errors = capfd.readouterr().err
    assert "its disk has no locks (No locks available)" in errors
    assert errors.count("\n") == 1


def test_failures_say_nothing_to_the_terminal() -> None:
    assert Failure.of(ValueError("\x1b]0;title\x07 and \u202eback")).message == (
        "ValueError: \\x1b]0;title\\x07 and \\u202eback"
    )
    assert printable("ε ≤ 1/2\n\tü") == "ε ≤ 1/2\n\tü"
