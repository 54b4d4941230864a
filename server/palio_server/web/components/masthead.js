/** The page's head: the views, the search and the way to the hall screen. On a narrow page one row, the views in a drawer. */

/** @import { GameItem } from "../types/wire.js" */
/** @import { Here } from "../lib/router.js" */

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { go } from "../lib/navigation.js";
import { to } from "../lib/router.js";
import { isWriting, Shortcuts } from "../lib/shortcuts.js";
import { sectionOf } from "../lib/routes.js";
import { SearchBox } from "./search_box.js";

const SECTIONS = [
  ["lobby", "Live"],
  ["play", "Play"],
  ["tournaments", "Tournaments"],
  ["results", "Results"],
  ["leaderboards", "Leaderboards"],
  ["games", "Games"],
  ["bots", "Bots"],
];

/** @param {{here: Here, games: GameItem[]}} props */
export function Masthead({ here, games }) {
  const [drawer, setDrawer] = useState(false);
  const [searching, setSearching] = useState(false);
  const opener = useRef(/** @type {HTMLButtonElement|null} */ (null));
  useKeys(() => setSearching(true));
  useEffect(() => setDrawer(false), [here]);
  useEffect(() => {
    if (!drawer) return undefined;
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      setDrawer(false);
      opener.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [drawer]);
  const section = sectionOf(here.view);
  return html`
    <header class="masthead" data-drawer=${drawer ? "" : null}>
      <a class="brand" href=${to("lobby")} aria-label="Palio, to the lobby">
        <${Banner} />
        <span>Palio</span>
      </a>
      <nav aria-label="Views" id="views">
        <ul>
          ${SECTIONS.map(
            ([name, title]) => html`
              <li key=${name}><a href=${to(name)} aria-current=${section === name ? (here.view === name ? "page" : "true") : null}>${title}</a></li>
            `,
          )}
          <li class="to-hall"><a href=${to("tv")}><${Screen} />Hall screen</a></li>
        </ul>
      </nav>
      <${SearchBox} games=${games} open=${searching} setOpen=${setSearching} />
      <a class="to-hall" href=${to("tv")}><${Screen} />Hall screen</a>
      <div class="masthead-buttons">
        <button type="button" class="masthead-button" aria-label="Search" onClick=${() => setSearching(true)}>
          <svg class="ico" viewBox="0 0 24 24" aria-hidden="true"><path d="M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM14.5 14.5L20 20" /></svg>
        </button>
        <button ref=${opener} type="button" class="masthead-button" aria-label="Menu" aria-expanded=${drawer} aria-controls="views" onClick=${() => setDrawer(!drawer)}>
          <svg class="ico" viewBox="0 0 24 24" aria-hidden="true"><path d=${drawer ? "M6 6l12 12M18 6L6 18" : "M4 7h16M4 12h16M4 17h16"} /></svg>
        </button>
      </div>
    </header>
  `;
}

/**
 * Listen for the keys that all views have.
 *
 * @param {() => void} search
 */
function useKeys(search) {
  useEffect(() => {
    const shortcuts = new Shortcuts();
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target instanceof HTMLElement ? event.target : null)) return;
      const meant = shortcuts.press(event.key, event.timeStamp);
      if (!meant) return;
      if ("search" in meant) search();
      if ("go" in meant) go(to(meant.go));
      if ("waits" in meant) return; // a view may have its own use of the letter
      event.preventDefault(); // the letter is not written into the field
      event.stopImmediatePropagation(); // and is no key of the view's
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, []);
}

/** A palio is a banner: what the riders race for. */
export function Banner() {
  return html`
    <svg class="banner" viewBox="0 0 32 32" aria-hidden="true">
      <path class="pole" d="M5 2v28" />
      <path class="cloth" d="M7 4h21v18l-5.25-3-5.25 3-5.25-3L7 22z" />
      <path class="quarter" d="M7 4h10.5v9H7zM17.5 13H28v9l-5.25-3-5.25 3z" />
    </svg>
  `;
}

function Screen() {
  return html`<svg class="ico" viewBox="0 0 24 24" aria-hidden="true"><path d="M3 5h18v11H3zM8 20h8" /></svg>`;
}
