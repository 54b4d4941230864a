/** The list of keys that `?` opens, on every view: those of the view first. */

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { keysOf } from "../lib/key_list.js";
import { isWriting } from "../lib/shortcuts.js";

/** @param {{view: string, bare: boolean}} props */
export function KeyList({ view, bare }) {
  const [open, setOpen] = useState(false);
  const box = useRef(/** @type {HTMLDialogElement|null} */ (null));
  useEffect(() => {
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isWriting(event.target instanceof HTMLElement ? event.target : null)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      setOpen((before) => !before);
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, []);
  useEffect(() => setOpen(false), [view]);
  useEffect(() => {
    if (open) box.current?.showModal();
    else box.current?.close(); // the browser gives the focus back
  }, [open]);
  const outside = (/** @type {MouseEvent} */ event) => event.target === box.current && setOpen(false);
  const typed = (/** @type {KeyboardEvent} */ event) => event.stopPropagation(); // the board below does not hear them
  return html`
    <dialog class="key-list" ref=${box} aria-label="Keys" onClose=${() => setOpen(false)} onClick=${outside} onKeyDown=${typed}>
      ${
        open &&
        html`
          <div class="key-list-body">
            <header><h2>Keys</h2><button type="button" onClick=${() => setOpen(false)}>Close</button></header>
            ${keysOf(view, bare).map(
              ({ title, keys }) => html`
                <section key=${title} aria-label=${title}>
                  <h3>${title}</h3>
                  <dl>${keys.map(([key, does]) => html`<div key=${key}><dt>${key.split(" ").map((each) => html`<kbd>${each}</kbd>`)}</dt><dd>${does}</dd></div>`)}</dl>
                </section>
              `,
            )}
          </div>
        `
      }
    </dialog>
  `;
}
