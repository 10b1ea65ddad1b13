"""What a person sees: MLflow's pages on the store of a real sweep, and report.html opened from disk.

One test, because its steps share a server that takes long to start.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from stackel_bench.reporting.sweep_results import read_sweep
from tests.browser.conftest import Site


@pytest.mark.browser
def test_what_a_person_sees(site: Site, tab: Page) -> None:
    the_link_opens_runs_with_curves(site, tab)
    the_table_has_the_columns_that_matter(site, tab)
    the_description_says_how_to_read_it(site, tab)
    report_and_figures_open_as_artifacts(site, tab)
    report_is_complete_and_self_contained(site, tab)
    dark_readers_get_light_ink(site, tab)
    for width in (1280, 400):
        nothing_sticks_out(site, tab, width)


def the_link_opens_runs_with_curves(site: Site, tab: Page) -> None:
    tab.goto(site.server.link)
    expect(tab.get_by_text(re.compile(r"trap · paper · (pess|opt)imistic · eps 0\.")).first).to_be_visible()
    expect(tab.get_by_text("Study", exact=False).first).to_be_visible()
    for metric in ("failure_probability", "value_suboptimality", "sample_complexity"):
        expect(tab.get_by_text(metric).first).to_be_visible()
    expect(tab.locator(".js-plotly-plot .scatterlayer .trace path.js-line").first).to_be_visible()
    tab.screenshot(path=site.screenshots / "mlflow_charts.png")


def the_table_has_the_columns_that_matter(site: Site, tab: Page) -> None:
    tab.goto(site.server.link.replace("compareRunsMode=CHART", "compareRunsMode="))
    row = tab.locator(".ag-center-cols-container .ag-row").first
    expect(row).to_be_visible()
    for column in ("failure_probability", "value_suboptimality", "guarantee", "sample_complexity"):
        expect(tab.locator(f".ag-header-cell[col-id*='{column}']").first).to_be_attached()
    expect(tab.get_by_text(re.compile(r"\d+ matching runs"))).to_be_visible()
    tab.screenshot(path=site.screenshots / "mlflow_runs.png")


def the_description_says_how_to_read_it(site: Site, tab: Page) -> None:
    tab.goto(site.server.link)
    tab.locator("[data-component-id='mlflow.experiment.metadata_editor.expand_button']").click()
    expect(tab.get_by_role("heading", name="How to look at it")).to_be_visible()
    expect(tab.get_by_text("from which on the failure probability stays at most delta")).to_be_visible()


def report_and_figures_open_as_artifacts(site: Site, tab: Page) -> None:
    tab.goto(site.server.link)
    tab.get_by_role("link", name="report", exact=True).click()
    tab.get_by_role("tab", name="Artifacts").or_(tab.get_by_role("link", name="Artifacts")).first.click()
    tab.get_by_text("report.html", exact=True).first.click()
    inside = tab.frame_locator("iframe").first
    expect(inside.get_by_role("heading", name=site.study, exact=True)).to_be_visible()
    expect(inside.get_by_role("heading", name="What was run")).to_be_visible()
    tab.screenshot(path=site.folder / "mlflow_report.png")
    tab.get_by_text("figures", exact=True).first.click()
    tab.get_by_text("curves_01.png", exact=True).first.click()
    picture = tab.locator("img[src^='blob:'], img[src*='curves_01'], .image-outer-container img").first
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 500
    tab.screenshot(path=site.folder / "mlflow_figure.png")


def report_is_complete_and_self_contained(site: Site, tab: Page) -> None:
    requests: list[str] = []
    tab.on("request", lambda request: requests.append(request.url))
    report = site.folder / "report.html"
    tab.set_viewport_size({"width": 1280, "height": 1000})
    tab.goto(report.as_uri())
    expect(tab.get_by_role("heading", name=site.study, exact=True)).to_be_visible()
    cells = len(read_sweep(site.folder).cells)
    assert tab.locator("td.holds, td.fails, td.open").count() == cells
    for title in ("Learning curves", "Pessimistic against optimistic", "Calibration", "Statistics"):
        expect(tab.get_by_role("heading", name=title, exact=True)).to_be_visible()
    boxes = [drawing.bounding_box() for drawing in tab.locator("figure svg").all()]
    assert len(boxes) >= 4
    assert all(box is not None and box["width"] > 300 and box["height"] > 100 for box in boxes)
    tab.screenshot(path=site.screenshots / "report_light.png")
    tab.locator("#learning-curves").scroll_into_view_if_needed()
    tab.locator("#learning-curves figure").first.screenshot(path=site.screenshots / "report_curves.png")
    assert requests == [report.as_uri()]
    assert report.stat().st_size < 5_000_000


def nothing_sticks_out(site: Site, tab: Page, width: int) -> None:
    """Tables scroll inside their own box, the page itself does not."""
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto((site.folder / "report.html").as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def dark_readers_get_light_ink(site: Site, tab: Page) -> None:
    def brightness(colour: str) -> float:
        return sum(float(part) for part in re.findall(r"[0-9.]+", tab.evaluate(colour))[:3])

    seen = {}
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        tab.goto((site.folder / "report.html").as_uri())
        paper = brightness("getComputedStyle(document.body).backgroundColor")
        label = brightness("getComputedStyle(document.querySelector('figure svg text')).fill")
        seen[scheme] = (paper, label)
    assert seen["light"][0] > 700 > 200 > seen["light"][1]
    assert seen["dark"][0] < 200 < 600 < seen["dark"][1]
    tab.set_viewport_size({"width": 1280, "height": 1000})
    tab.screenshot(path=site.screenshots / "report_dark.png")
