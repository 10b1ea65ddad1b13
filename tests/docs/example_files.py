"""The files that the commands of the documentation read."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from tests.docs.code_blocks import ROOT
from tests.outside.conftest import MY_FILE, NEIGHBOUR


def put_example_files(folder: Path) -> None:
    """The files that the commands of docs/add_a_game.md, docs/add_a_learner.md and docs/programs.md read."""
    (folder / "my_file.py").write_text(MY_FILE)
    (folder / "shop.py").write_text(_file_of("programs", "python"))
    (folder / "neighbour.py").write_text(NEIGHBOUR)
    (folder / "my_conf" / "study").mkdir(parents=True)
    (folder / "my_conf" / "study" / "mine.yaml").write_text("name: mine\ngrids: [{game: bandit/trap}]\n")
    (folder / "my_conf" / "study" / "prices.yaml").write_text(_file_of("add_a_game", "yaml"))

    leader, follower = np.array([[0.5, 0.9], [0.7, 0.1]]), np.array([[0.6, 0.2], [0.3, 0.8]])
    np.savez(folder / "my_game.npz", leader_means=leader, follower_means=follower)
    payoffs = " ".join(f"{x} {y}" for x, y in zip(leader.T.ravel(), follower.T.ravel(), strict=True))
    (folder / "my_game.nfg").write_text(f'NFG 1 R "mine" {{ "leader" "follower" }} {{ 2 2 }}\n{payoffs}\n')


def _file_of(page: str, language: str) -> str:
    """The file that a page asks its readers to write."""
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    blocks: list[str] = re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)
    return next(block for block in blocks if ">>>" not in block)
