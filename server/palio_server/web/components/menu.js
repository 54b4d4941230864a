/** A button with what it opens below it; Escape or a click elsewhere closes it. */

/** @import { Renderable } from "../vendor/preact.js" */

import { html, useEffect, useRef, useState } from "../lib/html.js";

/** @param {{label: string, children?: Renderable}} props */
export function Menu({ label, children }) {
  const [open, setOpen] = useState(false);
  const menu = useRef(/** @type {HTMLDetailsElement|null} */ (null));
  useEffect(() => {
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || !menu.current?.open) return;
      menu.current.open = false;
      menu.current.querySelector("summary")?.focus();
    };
    const onDown = (/** @type {PointerEvent} */ event) => {
      if (menu.current && event.target instanceof Node && !menu.current.contains(event.target)) menu.current.open = false;
    };
    addEventListener("keydown", onKey);
    addEventListener("pointerdown", onDown);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("pointerdown", onDown);
    };
  }, []);
  return html`
    <details class="menu" ref=${menu} onToggle=${() => setOpen(menu.current?.open ?? false)}>
      <summary>${label}</summary>
      <div class="menu-body">${open && children}</div>
    </details>
  `;
}
