/** With a clock, the game begins when one says so: until then the board can be looked at. */

import { html, useEffect, useRef } from "../lib/html.js";

/** @param {{start: () => void}} props */
export function PlayStart({ start }) {
  const button = useRef(/** @type {HTMLButtonElement|null} */ (null));
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  return html`
    <section class="panel key-box play-start" aria-labelledby="start">
      <h2 id="start">The clock waits for you</h2>
      <p>It runs from the moment that all are ready. Press Start, or touch the board, within two minutes.</p>
      <p class="play-acts"><button type="button" class="primary" ref=${button} onClick=${start}>Start</button></p>
    </section>
  `;
}
