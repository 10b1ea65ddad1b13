"""`stackel-bench ui`: MLflow's pages on the results below a folder, opened where the runs are."""

import sys
import webbrowser
from pathlib import Path

from stackel_bench import checks
from stackel_bench.reporting.mlflow.ui_server import running_server
from stackel_bench.verbs.steps.find import given_options


def main(overrides: list[str]) -> int:
    """Serve until interrupted; the exit code."""
    options = {"output": ".", "port": "", "study": "", "open": "true"}
    options |= given_options(overrides, tuple(options))
    checks.choice("open", options["open"], ("true", "false"))
    port = None
    if options["port"]:
        digits = options["port"]
        port = checks.integer(
            "port", int(digits) if digits.isascii() and digits.isdigit() else digits, least=1024, most=65535
        )
    print("starting MLflow's pages (some seconds) ...", flush=True)
    with running_server(Path(options["output"]), port=port, study=options["study"]) as server:
        print(f"{server.link}\nCtrl-C stops it.", flush=True)
        if options["open"] == "true" and sys.stdout.isatty():
            webbrowser.open(server.link)
        try:
            server.wait()
        except KeyboardInterrupt:
            return 0
    print("error: the server ended by itself; its last words are above", file=sys.stderr)
    return 1
