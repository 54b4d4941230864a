/** Enter a bot in an event. */

/** @import { TournamentDetail } from "../types/wire.js" */

import { useJson } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { Field } from "./fields.js";

/** @param {{event: TournamentDetail, busy: boolean, enter: (entry: object) => void}} props */
export function EntryForm({ event, busy, enter }) {
  const { value: bots } = useJson("bots");
  const free = (bots ?? []).filter(({ name, games }) => games.includes(event.game) && !event.bots.includes(name));
  const submit = (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ submitted) => {
    submitted.preventDefault();
    const text = (/** @type {string} */ name) => String(new FormData(submitted.currentTarget).get(name) ?? "").trim();
    const byes = text("byes").split(/[\s,]+/).filter(Boolean).map(Number);
    enter({ bot: text("bot"), ...(text("rating") ? { rating: Number(text("rating")) } : {}), ...(byes.length ? { byes } : {}) });
    submitted.currentTarget.reset();
  };
  return html`
    <h2>Enter a bot</h2>
    <form class="start" onSubmit=${submit} aria-label="Enter a bot">
      <${Field} label="Bot" hint=${free.length ? "those that are connected are offered" : "it may connect later"}>
        <input name="bot" list="free-bots" required maxlength="40" autocomplete="off" spellcheck=${false} />
      </${Field}>
      <datalist id="free-bots">${free.map(({ name }) => html`<option key=${name} value=${name} />`)}</datalist>
      <div class="pair">
        <${Field} label="Rating" hint="seeds it"><input name="rating" type="number" step="any" placeholder="unknown" /></${Field}>
        <${Field} label="Byes" hint="rounds, as 2, 5"><input name="byes" pattern="[0-9]+([ ,]+[0-9]+)*" placeholder="none" autocomplete="off" /></${Field}>
      </div>
      <button type="submit" class="primary" disabled=${busy}>Enter</button>
    </form>
  `;
}
