/** The page's head and foot. */

/** @import { GameItem } from "../types/wire.js" */
/** @import { Here } from "../lib/router.js" */

import { html } from "../lib/html.js";
import { to } from "../lib/router.js";

/** @param {{here: Here, games: GameItem[]}} props */
export function Header({ here, games }) {
  const link = (/** @type {string} */ href, /** @type {boolean} */ current, /** @type {string} */ text) => html`
    <li><a href=${href} aria-current=${current ? "page" : null}>${text}</a></li>
  `;
  const events = ["tournaments", "new-tournament", "tournament"].includes(here.view);
  return html`
    <header class="masthead">
      <a class="brand" href=${to("lobby")} aria-label="Palio, to the lobby">
        <${Banner} />
        <span>Palio</span>
      </a>
      <nav aria-label="Views">
        <ul>
          ${link(to("lobby"), here.view === "lobby", "Live")}
          ${link(to("tournaments"), events, "Tournaments")}
          ${games.map(({ name, title }) => link(to("games", name), here.view === "game" && here.id === name, title))}
        </ul>
      </nav>
    </header>
  `;
}

export function Footer() {
  return html`
    <footer class="foot">
      <${Campo} />
      <p>Every move is checked by the referee. <a href="api/docs">The JSON interface</a></p>
    </footer>
  `;
}

/** A palio is a banner: what the riders race for. */
function Banner() {
  return html`
    <svg class="banner" viewBox="0 0 32 32" aria-hidden="true">
      <path class="pole" d="M5 2v28" />
      <path class="cloth" d="M7 4h21v18l-5.25-3-5.25 3-5.25-3L7 22z" />
      <path class="quarter" d="M7 4h10.5v9H7zM17.5 13H28v9l-5.25-3-5.25 3z" />
    </svg>
  `;
}

/** The Campo of Siena: nine fields of brick that meet where everybody can see. */
export function Campo() {
  const rays = Array.from({ length: 10 }, (_, i) => {
    const angle = Math.PI * (1 + i / 9);
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    return `M${60 + 9 * x} ${56 + 9 * y}L${60 + 54 * x} ${56 + 48 * y}`;
  });
  return html`
    <svg class="campo" viewBox="0 0 120 60" aria-hidden="true">
      <path class="shell" d="M6 56a54 48 0 0 1 108 0z" />
      <path class="rays" d=${rays.join("")} />
    </svg>
  `;
}
