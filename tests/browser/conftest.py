"""A headless Chromium, and the real MLflow server on the store of a real sweep."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from stackel_bench.reporting.find_sweep import existing_sweeps
from stackel_bench.reporting.mlflow.ui_server import UiServer, running_server

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en-US",
]
SECONDS = 90  # patience with a busy machine
SMALL = (
    "game=bandit/trap budget=ladder budget.epsilon=0.2,0.4 algorithm=paper,plug_in "
    "tie_breaking=pessimistic,optimistic replicates=100 study.name=pages"
)
QUICKSTART = "study=quickstart"


@dataclass(frozen=True)
class Site:
    server: UiServer
    study: str
    folder: Path  # of the sweep
    screenshots: Path  # those that the documentation shows


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Set STACKEL_SCREENSHOTS=docs/images to run the quickstart and renew the documentation's pictures."""
    wanted = os.environ.get("STACKEL_SCREENSHOTS")
    screenshots = Path(wanted) if wanted else tmp_path_factory.mktemp("screenshots")
    output = tmp_path_factory.mktemp("store")
    words = QUICKSTART if wanted else SMALL
    program = Path(sys.executable).parent / "stackel-bench"
    subprocess.run([program, "sweep", *words.split(), "execution=serial", f"output={output}"], check=True)
    with running_server(output) as server:
        yield Site(server, "quickstart" if wanted else "pages", existing_sweeps(output)[0], screenshots)


@pytest.fixture
def browser() -> Iterator[Browser]:
    """Debian's Chromium, or another one that is already here."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert found, "no Chromium here: run tests/browser/install.sh"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A page of somebody who has never been here: nothing is stored in the browser."""
    context = browser.new_context(viewport={"width": 1600, "height": 1000}, locale="en-US")
    page = context.new_page()
    page.set_default_timeout(SECONDS * 1000)
    expect.set_options(timeout=SECONDS * 1000)
    yield page
    context.close()
