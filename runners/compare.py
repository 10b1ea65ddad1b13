"""`stackel-bench compare` from a clone, installed or not: `python runners/compare.py A B ...`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from stackel_bench.cli import run_script

run_script("compare")
