"""axe-core on a page as it stands. It comes with the tools that check the page (`npm --prefix tools/web ci`)."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "tools" / "web" / "node_modules" / "axe-core" / "axe.min.js"


def serious(page: Page) -> list[str]:
    """Return axe-core's findings that are serious or critical, each with the first element."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run `npm --prefix tools/web ci`")
    page.evaluate(AXE.read_text())
    found: list[str] = page.evaluate(
        """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
            .filter(({ impact }) => impact === "serious" || impact === "critical")
            .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0].html.slice(0, 160)}`)"""
    )
    return found
