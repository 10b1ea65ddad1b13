"""`execution=local` and nothing else: Ray gets one exploration task per leader action, named after it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ACTIONS = 5
# The command as it is, except that what is handed to Ray is written down.
SCRIPT = """
import json, sys
from stackel_bench.cli import main
from stackel_bench.execution.ray.executor import RayExecutor
names, submit = [], RayExecutor.submit
def watched(self, name, *rest):
    names.append(name)
    return submit(self, name, *rest)
RayExecutor.submit = watched
code = main(sys.argv[2:])
open(sys.argv[1], "w").write(json.dumps(names))
sys.exit(code)
"""


def test_one_named_task_per_leader_action(tmp_path: Path) -> None:
    game = ["game=bandit_rl/random", f"game.num_leader_actions={ACTIONS}", "game.num_states=2"]
    small = ["game.horizon=2", "budget=fixed", "budget.samples=500", "replicates=3"]
    asked = ["run", "execution=local", *game, *small, "tracking=off", f"output={tmp_path}"]
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "names.json"), *asked],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    names = json.loads((tmp_path / "names.json").read_text("utf-8"))
    explored = [re.fullmatch(r"explore bandit_rl/random a=(\d+) r=(\d+)-(\d+)", name) for name in names]
    found = [(int(m[1]), range(int(m[2]), int(m[3]) + 1)) for m in explored if m is not None]
    assert len(found) >= ACTIONS
    assert sorted((action, r) for action, replicates in found for r in replicates) == [
        (action, r) for action in range(ACTIONS) for r in range(3)
    ]
    assert all(name.startswith(("explore ", "decide ")) for name in names)
    assert any(name.startswith("decide bandit_rl/random") for name in names)
