"""The browser's complaints, and the basics of accessibility that a script can check, for any view of the page."""

from playwright.sync_api import ConsoleMessage, Page

# A status of 400 or more, or a socket that the server has cut, is part of some tests' stories.
EXPECTED = ("Failed to load", "WebSocket connection")

_CHECK = """() => {
    const complaints = [];
    const complain = (element, what) => complaints.push(`${what}: ${element.outerHTML.slice(0, 140)}`);
    const all = (selector) => [...document.querySelectorAll(selector)];
    const text = (element) => element?.textContent.trim(); // also of what is not shown yet
    const named = (element) =>
        element.getAttribute("aria-label")?.trim()
        || element.getAttribute("aria-labelledby")?.split(" ").some((id) => text(document.getElementById(id)));
    const said = (node) => node.nodeType === Node.TEXT_NODE ? node.data : node.nodeType !== Node.ELEMENT_NODE ? ""
        : node.getAttribute("aria-hidden") === "true" ? ""
        : node.getAttribute("aria-label") || node.getAttribute("alt") || [...node.childNodes].map(said).join("");
    const hidden = (element) => element.closest("[aria-hidden=true]");

    if (document.documentElement.lang === "") complaints.push("the page has no language");
    if (all("h1").length !== 1) complaints.push(`${all("h1").length} first headings`);
    if (all("main").length !== 1) complaints.push("no single main landmark");
    all("svg, img").filter((e) => !hidden(e) && !(named(e) && e.getAttribute("role") === "img"))
        .forEach((e) => complain(e, "picture without a name"));
    all("input, select, textarea").filter((e) => !named(e) && !e.labels?.length)
        .forEach((e) => complain(e, "field without a label"));
    all("button, a[href]").filter((e) => !named(e) && !said(e).trim())
        .forEach((e) => complain(e, "control without a name"));
    all("th").filter((e) => !e.scope).forEach((e) => complain(e, "header cell without a scope"));
    all(".scroll table").filter((e) => !e.caption).forEach((e) => complain(e, "table without a caption"));
    all("progress, meter, [role=region], [role=group], nav, section").filter((e) => !named(e))
        .forEach((e) => complain(e, "part without a name"));
    all("[tabindex]").filter((e) => e.tabIndex > 0).forEach((e) => complain(e, "order of focus is forced"));
    const ids = all("[id]").map((e) => e.id);
    ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => complaints.push(`id ${id} twice`));
    for (const attribute of ["aria-labelledby", "aria-describedby", "for"])
        all(`[${attribute}]`).forEach((e) => e.getAttribute(attribute).split(" ")
            .forEach((id) => document.getElementById(id) || complain(e, `${attribute} leads nowhere`)));
    let level = 0;
    for (const heading of all("h1, h2, h3")) {
        if (Number(heading.tagName[1]) > level + 1) complain(heading, "heading out of order");
        level = Number(heading.tagName[1]);
    }
    return complaints;
}"""

_CONTRAST = """() => {
    const channel = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const rgba = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { r, g, b, a }; };
    const light = ({ r, g, b }) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ground = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const colour = rgba(getComputedStyle(e).backgroundColor);
            if (colour.a === 1) return colour;
        }
        return rgba("rgb(255, 255, 255)");
    };
    const low = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        const style = getComputedStyle(element);
        if (!walker.currentNode.data.trim() || element.closest("svg, .unseen, noscript, :disabled, option")) continue;
        if (!element.checkVisibility()) continue;
        const [a, b] = [light(rgba(style.color)), light(ground(element))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        const who = element.className || element.tagName;
        if (ratio < 4.5) low.add(`${who} ${ratio.toFixed(2)} "${element.innerText.slice(0, 30)}"`);
    }
    return [...low];
}"""


def listen(page: Page, said: list[str]) -> None:
    """Note in `said` what the browser complains of from now on: errors, warnings, breaches of the content policy."""

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(EXPECTED):
            said.append(f"{message.text} ({message.location})")

    page.on("console", note)
    page.on("pageerror", lambda error: said.append(str(error)))


def complaints(page: Page) -> list[str]:
    """Return the faults in names, labels, headings, landmarks and references on the present page."""
    found: list[str] = page.evaluate(_CHECK)
    return found


def low_contrasts(page: Page) -> list[str]:
    """Texts with less than 4.5 : 1 against their ground."""
    found: list[str] = page.evaluate(_CONTRAST)
    return found


def overflow(page: Page) -> int:
    """By how many pixels the page can be scrolled sideways."""
    found: int = page.evaluate(
        "() => { scrollTo(9999, 0); const x = scrollX; scrollTo(0, 0);"
        " return Math.max(x, document.body.scrollWidth - document.body.clientWidth); }"
    )
    return found
