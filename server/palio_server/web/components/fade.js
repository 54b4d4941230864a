/** One thing after another in one place: what was there lies over what comes until it has faded, so nothing is ever blank. */

/** @import { Renderable } from "../vendor/preact.js" */

import { html, useEffect, useRef, useState } from "../lib/html.js";

const FADE_MS = 300;

/** @param {{name: string, children?: Renderable, class: string}} props  another `name` is another thing */
export function Fade({ name, children, class: className }) {
  const shown = useRef(/** @type {{name: string, children: Renderable}} */ ({ name, children: null }));
  const [leaving, setLeaving] = useState(/** @type {{name: string, children: Renderable}|null} */ (null));
  const before = shown.current;
  const going = before.name !== name ? before : leaving;
  useEffect(() => {
    if (before.name === name) return undefined;
    setLeaving(before);
    const timer = setTimeout(() => setLeaving(null), FADE_MS);
    return () => clearTimeout(timer);
  }, [name]);
  shown.current = { name, children };
  return html`
    <div class=${className}>
      <div key=${name} class="fade-in">${children}</div>
      ${going && going.name !== name && html`<div key=${going.name} class="fade-out" aria-hidden="true" inert>${going.children}</div>`}
    </div>
  `;
}
