/** Enter a bot in an event. */

/** @import { TournamentDetail } from "../types/wire.js" */

import { fieldOf, fieldsOf } from "../lib/event_request.js";
import { useJson } from "../lib/hooks.js";
import { html, useEffect, useRef } from "../lib/html.js";
import { Field } from "./fields.js";

/**
 * @param {object} props
 * @param {TournamentDetail} props.event
 * @param {boolean} props.busy
 * @param {string} props.error  why the last entry was refused
 * @param {(entry: object) => Promise<boolean>} props.enter
 */
export function EntryForm({ event, busy, error, enter }) {
  const form = useRef(/** @type {HTMLFormElement|null} */ (null));
  const wrong = error ? fieldOf(error, fieldsOf(form.current)) : "";
  const fault = (/** @type {string} */ name) => (wrong === name ? error : "");
  useEffect(() => {
    const element = wrong ? form.current?.elements.namedItem(wrong) : null;
    if (element instanceof HTMLElement) element.focus();
  }, [wrong, error]);
  const { value: bots } = useJson("bots");
  const free = (bots ?? []).filter(({ name, games }) => games.includes(event.game) && !event.bots.includes(name));
  const submit = async (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ submitted) => {
    submitted.preventDefault();
    const filled = submitted.currentTarget;
    const text = (/** @type {string} */ name) => String(new FormData(filled).get(name) ?? "").trim();
    const byes = text("byes").split(/[\s,]+/).filter(Boolean).map(Number);
    const entered = await enter({ bot: text("bot"), ...(text("rating") ? { rating: Number(text("rating")) } : {}), ...(byes.length ? { byes } : {}) });
    if (entered) filled.reset(); // what was refused can be mended
  };
  return html`
    <h2>Enter a bot</h2>
    <form class="start" ref=${form} onSubmit=${submit} aria-label="Enter a bot">
      <${Field} label="Bot" hint=${free.length ? "those that are connected are offered" : "it may connect later"} fault=${fault("bot")}>
        <input name="bot" list="free-bots" required maxlength="64" autocomplete="off" spellcheck=${false} />
      </${Field}>
      <datalist id="free-bots">${free.map(({ name }) => html`<option key=${name} value=${name} />`)}</datalist>
      <div class="pair">
        <${Field} label="Rating" hint="seeds it" fault=${fault("rating")}><input name="rating" type="number" step="any" placeholder="unknown" /></${Field}>
        <${Field} label="Byes" hint="rounds, as 2, 5" fault=${fault("byes")}><input name="byes" pattern="[0-9]+([ ,]+[0-9]+)*" placeholder="none" autocomplete="off" /></${Field}>
      </div>
      <p class="form-error" role="alert">${wrong ? "" : error}</p>
      <button type="submit" class="primary" disabled=${busy}>Enter</button>
    </form>
  `;
}
