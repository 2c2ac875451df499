"""The accessibility faults of a page, found by axe-core."""

from collections.abc import Sequence

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = ("serious", "critical")
ENFORCED = (
    "heading-order",
    "empty-table-header",
)  # rules for whole pages; axe ranks them as moderate or minor


def grave_findings(page: Page, within: str, rules: Sequence[str] = ()) -> list[str]:
    """Each serious, critical or enforced finding in the part of the page that the selector names.

    One line each: the rule, its help and the elements. With ``rules`` only these are checked.
    """
    assert page.locator(within).count() > 0, f"nothing to scan: no {within} on the page"
    # Each rule that passed names one element: naming them all would take twice as long.
    options = {"resultTypes": ["violations"], **({"runOnly": [*rules]} if rules else {})}
    found = Axe().run(page, context=within, options=options).response
    assert found["passes"], f"axe looked at nothing in {within}"
    return [
        f"{finding['id']} ({finding['impact']}): {finding['help']}: "
        + ", ".join(str(node["target"]) for node in finding["nodes"])
        for finding in found["violations"]
        if finding["impact"] in GRAVE or (within == "body" and finding["id"] in ENFORCED)
    ]
