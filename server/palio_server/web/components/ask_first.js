/** A button whose work has to be confirmed: a dialog says what will happen. Escape cancels, as Enter does at first. */

import { html, useRef } from "../lib/html.js";

/**
 * @param {object} props
 * @param {string} props.label  of the button, and of the one that confirms
 * @param {string} props.question  what will happen
 * @param {boolean} props.busy
 * @param {() => void} props.act
 */
export function AskFirst({ label, question, busy, act }) {
  const box = useRef(/** @type {HTMLDialogElement|null} */ (null));
  const closed = () => {
    if (box.current?.returnValue === "yes") act();
  };
  const open = () => {
    if (!box.current) return;
    box.current.returnValue = ""; // Escape leaves it as it is
    box.current.showModal();
  };
  return html`
    <button type="button" class="button primary" disabled=${busy} aria-haspopup="dialog" onClick=${open}>${label}</button>
    <dialog class="ask-first" ref=${box} aria-label=${label} onClose=${closed}>
      <form method="dialog">
        <p>${question}</p>
        <button value="">Cancel</button>${" "}<button value="yes" class="primary">${label}</button>
      </form>
    </dialog>
  `;
}
