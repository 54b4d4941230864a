/** The page's foot. */

import { html } from "../lib/html.js";
import { to } from "../lib/router.js";

export function Footer() {
  const guide = document.querySelector('link[rel="help"]')?.getAttribute("href"); // where the server has the documentation
  return html`
    <footer class="foot">
      <${Campo} />
      <p>
        Every move is checked by the referee. <a href="api/docs">API</a> · <a href=${to("games")}>Rules</a> ·
        ${" "}<a href=${to("write")}>Write a bot</a>${guide ? html` · <a href=${guide}>Guide</a>` : null}
      </p>
    </footer>
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
