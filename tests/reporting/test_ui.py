"""The ui verb's mistakes, and MLflow's untouched pages where our plug-in does not work."""

from __future__ import annotations

import shutil
import socket
import urllib.request
from pathlib import Path

import pytest

from stackel_bench.errors import InputError
from stackel_bench.reporting.mlflow import ui_server
from stackel_bench.reporting.mlflow.ui_server import running_server
from stackel_bench.verbs.ui import main
from tests.sweeps.conftest import shared_folder  # noqa: F401


@pytest.mark.parametrize("word", ["prot=5000", "port=abc", "port=80", "open=maybe", "output"])
def test_wrong_options(word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        main([f"output={tmp_path}", word])


def test_nothing_to_show(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a folder with mlflow\.db"):
        main([f"output={tmp_path}"])


def test_taken_port(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").touch()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match="a port that is free"), running_server(tmp_path, port=port):
            pass


def test_without_the_plug_in_mlflows_own_pages_open(
    shared_folder: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A plug-in that cannot be imported, as after a change inside MLflow: the server starts without it."""
    shutil.copy(shared_folder / "template" / "mlflow.db", tmp_path / "mlflow.db")
    monkeypatch.setattr(ui_server, "entry_points", lambda **_: ["found, but MLflow cannot start it"])
    monkeypatch.setattr(ui_server, "APP", "no such plug-in")
    with running_server(tmp_path) as server:
        assert "/#/experiments/" in server.link
        with urllib.request.urlopen(f"{server.url}/", timeout=60) as answer:
            assert "stackel" not in answer.read().decode()
