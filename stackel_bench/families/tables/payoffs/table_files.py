"""Payoff tables read from files: .npz, a pair of CSV files, or a Gambit .nfg file with two players."""

from pathlib import Path

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.families.tables.payoffs.gambit_files import payoffs_of_nfg
from stackel_bench.games.array_files import arrays_of_npz, existing_file, matrix_of_csv
from stackel_bench.models import PayoffTable

KEYS = ("leader_means", "follower_means")


def table_from_file(path: str, follower_path: str | None, rescale: bool) -> PayoffTable:
    """The table of an .npz (arrays leader_means, follower_means), of an .nfg (player 1 leads) or of two .csv.

    `rescale` maps each player's payoffs to [0,1], smallest to 0 and largest to 1: best responses stay, values
    and eps are then in units of that player's range. Without it Bernoulli noise needs payoffs in [0,1].
    """
    if not isinstance(rescale, bool):
        raise InputError("rescale", rescale, "true or false")
    file = existing_file("path", path, (".npz", ".csv", ".nfg"))
    leader, follower = _matrices(file, follower_path)
    try:
        table = PayoffTable(leader, follower)
    except InputError as error:
        blamed = follower_path if follower_path and error.field.startswith("follower") else file
        raise InputError(f"{blamed}[{error.field}]", error.found, error.allowed) from error
    if rescale:
        table = PayoffTable(_rescaled(table.leader_means), _rescaled(table.follower_means))
    return table


def _matrices(file: Path, follower_path: str | None) -> tuple[np.ndarray, np.ndarray]:
    if file.suffix.lower() == ".csv":
        return matrix_of_csv(file), matrix_of_csv(existing_file("follower_path", follower_path, (".csv",)))
    if follower_path is not None:
        raise InputError("follower_path", follower_path, f"null, because {file} holds both players' payoffs")
    if file.suffix.lower() == ".nfg":
        return payoffs_of_nfg(file)
    arrays = arrays_of_npz(file, KEYS)
    return arrays[KEYS[0]], arrays[KEYS[1]]


def _rescaled(means: np.ndarray) -> np.ndarray:
    low, high = means.min(), means.max()
    return np.asarray((means - low) / (high - low if high > low else 1.0))
