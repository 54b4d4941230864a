/** A button that copies a text and says so for a moment. */

/** @import { Renderable } from "../vendor/preact.js" */

import { copy } from "../lib/clipboard.js";
import { html, useEffect, useState } from "../lib/html.js";

const SAID_MS = 2000;

/**
 * What copies `text()`, and whether it just did.
 *
 * @param {() => string} text
 * @returns {[() => void, "copied"|"failed"|""]}
 */
export function useCopy(text) {
  const [said, setSaid] = useState(/** @type {"copied"|"failed"|""} */ (""));
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(""), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return [() => void copy(text()).then((done) => setSaid(done ? "copied" : "failed")), said];
}

/** @param {{text: string, label: string, children?: Renderable}} props */
export function CopyButton({ text, label, children }) {
  const [run, said] = useCopy(() => text);
  return html`<button type="button" class="copy" aria-label=${label} onClick=${run}>${children ?? "Copy"}<span class="copied" role="status">${SAID[said]}</span></button>`;
}

export const SAID = { copied: "Copied", failed: "Not allowed here", "": "" };
