"""Payoff tables from files: what is written is what is read, and every fault names its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.games import load_game
from stackel_bench.models import PayoffTable

LEADER = np.array([[0.5, 0.25, 1.0], [0.0, 0.125, 0.75]])
FOLLOWER = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])


def load(path: Path, **parameters: object) -> PayoffTable:
    game = load_game("bandit/from_file", path=str(path), **parameters)
    assert isinstance(game, BanditGame)
    return game.table


def same(table: PayoffTable, leader: np.ndarray = LEADER, follower: np.ndarray = FOLLOWER) -> bool:
    return np.array_equal(table.leader_means, leader) and np.array_equal(table.follower_means, follower)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_npz_and_explicit_are_the_same_game(tmp_path: Path) -> None:
    np.savez(tmp_path / "game.npz", leader_means=LEADER, follower_means=FOLLOWER)
    assert same(load(tmp_path / "game.npz"))
    from_file = load_game("bandit/from_file", path=tmp_path / "game.npz")
    explicit = load_game("bandit/explicit", leader_means=LEADER.tolist(), follower_means=FOLLOWER.tolist())
    assert from_file.identity == explicit.identity


def test_csv_pair(tmp_path: Path) -> None:
    leader = write(tmp_path / "l.csv", "# leader\n0.5, .25, 1\n\n0,0.125,75e-2\n")
    follower = write(tmp_path / "f.csv", "0.1,0.2,0.3\r\n0.4,0.5,0.6")
    assert same(load(leader, follower_path=str(follower)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n0\n", "l.csv, line 2: found '1 numbers', allowed: 2 as above"),
        ("0,1\n\n0,x\n", "l.csv, line 3, column 2: found 'x', allowed: a finite number"),
        ("0,nan\n0,1\n", "l.csv, line 1, column 2: found 'nan'"),
        ("0,1,\n", "l.csv, line 1, column 3: found ''"),
        ("# nothing\n", "l.csv: found 'no numbers'"),
        ("0,1\n", r"f.csv\[follower_means.shape\]: found \(2, 2\)"),
    ],
)
def test_faulty_csv(tmp_path: Path, text: str, message: str) -> None:
    leader = write(tmp_path / "l.csv", text)
    follower = write(tmp_path / "f.csv", "0,1\n1,0\n")
    with pytest.raises(InputError, match=message):
        load(leader, follower_path=str(follower))


def test_csv_needs_its_other_half(tmp_path: Path) -> None:
    leader = write(tmp_path / "l.csv", "0,1\n")
    with pytest.raises(InputError, match=r"^follower_path: found None"):
        load(leader)
    np.savez(tmp_path / "game.npz", leader_means=LEADER, follower_means=FOLLOWER)
    with pytest.raises(InputError, match=r"^follower_path: found .*allowed: null"):
        load(tmp_path / "game.npz", follower_path=str(leader))


def test_missing_and_foreign_files(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.npz", write(tmp_path / "game.txt", "0"), tmp_path):
        with pytest.raises(InputError, match=r"^path: found .*allowed: the path of an existing file"):
            load(path)


def test_faulty_npz(tmp_path: Path) -> None:
    file = tmp_path / "game.npz"
    np.savez(file, leader_means=LEADER)
    with pytest.raises(InputError, match=r"game\.npz\[follower_means\]: found .*only \['leader_means'\]"):
        load(file)
    np.savez(file, leader_means=LEADER, follower_means=np.array([[object()]], dtype=object))
    with pytest.raises(InputError, match="without pickle"):
        load(file)
    np.savez(file, leader_means=LEADER, follower_means=FOLLOWER + 0j)
    with pytest.raises(InputError, match=r"\[follower_means\]: found 'complex128'"):
        load(file)
    bad = FOLLOWER.copy()
    bad[1, 2] = np.nan
    np.savez(file, leader_means=LEADER, follower_means=bad)
    with pytest.raises(InputError, match=r"game\.npz\[follower_means\[1,2\]\]: found nan"):
        load(file)
    file.write_bytes(b"not a zip file at all")
    with pytest.raises(InputError, match="without pickle"):
        load(file)
    np.save(tmp_path / "x.npy", LEADER)
    (tmp_path / "x.npy").rename(file)
    with pytest.raises(InputError, match=r"cannot read .*: it is not an \.npz file"):
        load(file)


def test_rescale_maps_each_player_to_the_unit_interval(tmp_path: Path) -> None:
    file = tmp_path / "game.npz"
    np.savez(file, leader_means=[[-4, 0], [2, 4]], follower_means=[[7, 7], [7, 7]])
    with pytest.raises(InputError, match=r"leader_means\[0,0\]: found -4"):
        load(file)
    assert same(load(file, rescale=True), np.array([[0, 0.5], [0.75, 1]]), np.zeros((2, 2)))
    with pytest.raises(InputError, match=r"^rescale: found 1"):
        load(file, rescale=1)


NFG_PAYOFFS = """NFG 1 R "Two \\"by\\" three" { "Alice" "Bob" } { 2 3 }
0.5 1/10  0 0.4
.25 2/10  0.125 5e-1
1 3/10  3/4 0.6
"""
NFG_NAMED = """NFG 1 D "t"
{ "Alice" "Bob" }

{ { "up" "down" }
{ "a" "b" "c" } }
"a comment
over lines"

0.5 0.1 0 0.4 0.25 0.2 0.125 0.5 1 0.3 0.75 0.6
"""
NFG_OUTCOMES = """NFG 1 R "t" { "Alice" "Bob" } { { "up" "down" } { "a" "b" "c" } }

{
{ "one" 0.5, 0.1 }
{ "" 0, 0.4 }
{ "three" 0.25 0.2 }
{ 0.125, 0.5 }
{ "five" 1, 0.3 }
{ "six" 0.75, 0.6 }
}
1 2 3 4 5 6
"""


@pytest.mark.parametrize("text", [NFG_PAYOFFS, NFG_NAMED, NFG_OUTCOMES])
def test_nfg_formats_hold_the_same_game(tmp_path: Path, text: str) -> None:
    assert same(load(write(tmp_path / "game.nfg", text)))


def test_nfg_outcome_zero_pays_nothing(tmp_path: Path) -> None:
    text = 'NFG 1 R "t" { "A" "B" } { 2 1 } { { "x" 1, 0.5 } } 0 1'
    assert same(load(write(tmp_path / "game.nfg", text)), np.array([[0], [1]]), np.array([[0], [0.5]]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "game.nfg, line 1: found 'end of file', allowed: NFG"),
        ('EFG 2 R "t"', "line 1: found 'EFG', allowed: NFG"),
        ('NFG 1 R "t"\n{ "A" "B" "C" }\n{ 1 1 1 } 0 0 0', "line 2: found '3 players', allowed: 2 players"),
        ('NFG 1 R "t" { "A" "B" }\n{ 2 2 2 } 0', "line 2: found 'strategies of 3 players'"),
        ('NFG 1 R "t" { "A" "B" }\n{ 2 0 } 0', "line 2: found '0', allowed: a number of strategies"),
        ('NFG 1 R "t" { "A" "B" }\n{ { "a" }\n{ } } 0', "line 3: found 'no strategies'"),
        ('NFG 1 R "t" { "A" "B" } { 1 2 }\n0 0\n0 zero', "line 3: found 'zero', allowed: a payoff"),
        ('NFG 1 R "t" { "A" "B" } { 1 2 }\n0 0\n0 1/0', "line 3: found '1/0', allowed: a payoff"),
        ('NFG 1 R "t" { "A" "B" } { 1 2 }\n0 0\n0 nan', "line 3: found 'nan'"),
        ('NFG 1 R "t" { "A" "B" } { 1 2 }\n0 0\n0\n', "line 4: found 'end of file', allowed: a payoff"),
        ('NFG 1 R "t" { "A" "B" } { 1 1 }\n0 0\n0', "line 3: found '0', allowed: the end of the file"),
        (
            'NFG 1 R "t" { "A" "B" } { 1 1 }\n{ { "" 0, 0 } }\n2',
            "line 3: found '2', allowed: the number of an",
        ),
        ('NFG 1 R "t" { "A" "B" } { 1 1 }\n{ { "" 0, 0, 0 } }\n1', "line 2: found '0', allowed: } after two"),
        ('NFG 1 R "t" { "A" "B" }\n{ 999999999 999999999 } 0 0', "line 2: found 'end of file'"),
        ('NFG 1 R "t', "line 1: found '\"t', allowed: a closed text"),
    ],
)
def test_faulty_nfg_names_the_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(write(tmp_path / "game.nfg", text))


def test_nfg_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "game.nfg").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(InputError, match="UTF-8"):
        load(tmp_path / "game.nfg")
