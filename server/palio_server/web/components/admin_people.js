/** What an operator does to bots and people: ban, void all matches of, rename, forget. */

/** @import { Ban } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */

import { useAction } from "../lib/action.js";
import { post, remove } from "../lib/api.js";
import { html, useState } from "../lib/html.js";
import { moment } from "../lib/when.js";
import { plural } from "../lib/words.js";
import { Field } from "./fields.js";

/** @param {{bans: Ban[], refresh: () => void}} props */
export function AdminPeople({ bans, refresh }) {
  return html`
    <section aria-labelledby="people">
      <h2 id="people">Bots and people</h2>
      ${bans.length > 0 && html`<ul class="admin-bans">${bans.map((ban) => html`<${Banned} key=${ban.id} ban=${ban} refresh=${refresh} />`)}</ul>`}
      <div class="admin-acts">
        <${MakeBan} refresh=${refresh} />
        <${VoidAll} refresh=${refresh} />
        <${Rename} refresh=${refresh} />
        <${Forget} refresh=${refresh} />
      </div>
    </section>
  `;
}

/** @param {{ban: Ban, refresh: () => void}} props */
function Banned({ ban: { id, kind, value, reason, until, who }, refresh }) {
  const { run, busy, error } = useAction(refresh);
  return html`
    <li>
      <b>${kind} ${value}</b> is banned ${until ? `until ${moment(until)}` : "for good"}: ${reason} <span class="quiet">(${who})</span>
      <button type="button" disabled=${busy} onClick=${() => run(() => remove(`admin/bans/${id}`))}>Lift</button>
      ${error && html`<span role="alert">${error}</span>`}
    </li>
  `;
}

/** @param {{refresh: () => void}} props */
function MakeBan({ refresh }) {
  const act = async (/** @type {FormData} */ form) => {
    const until = text(form, "until");
    await post("admin/bans", { kind: text(form, "kind"), value: text(form, "value"), reason: text(form, "reason"), until: until ? `${until}:00Z` : null });
    return `${text(form, "value")} is banned`;
  };
  return html`
    <${Act} title="Ban" button="Ban" act=${act} refresh=${refresh}>
      <${Field} label="Whom"><select name="kind"><option value="bot">a bot</option><option value="owner">an owner with all bots</option><option value="address">an address or network</option></select></${Field}>
      <${Field} label="Name or address"><input name="value" required autocomplete="off" /></${Field}>
      <${Field} label="Reason" hint="the banned are told"><input name="reason" required maxlength="500" autocomplete="off" /></${Field}>
      <${Field} label="Until" hint="in UTC; empty: for good"><input name="until" type="datetime-local" /></${Field}>
    </${Act}>
  `;
}

/** @param {{refresh: () => void}} props */
function VoidAll({ refresh }) {
  const act = async (/** @type {FormData} */ form) => {
    const asked = { bot: text(form, "bot") || null, address: text(form, "address") || null, reason: text(form, "reason"), undo: form.has("undo") };
    const count = (await post("admin/void", { ...asked, count: true })).left;
    if (!count) return "No match fits";
    const question = asked.undo ? "count again" : "count for nothing";
    if (!window.confirm(`Let ${plural(count, "match", "matches")} ${question}?`)) return "Nothing was changed";
    let done = 0;
    for (let left = count; left; ) {
      const step = await post("admin/void", asked);
      done += step.changed;
      left = step.changed && step.left;
    }
    return `${plural(done, "match", "matches")} ${asked.undo ? "count again" : "no longer count"}`;
  };
  return html`
    <${Act} title="Void all matches" button="Count the matches" act=${act} refresh=${refresh}>
      <${Field} label="Of the bot"><input name="bot" autocomplete="off" /></${Field}>
      <${Field} label="From the address" hint="or network; with a bot both must fit"><input name="address" autocomplete="off" /></${Field}>
      <${Field} label="Reason" hint="their records show it"><input name="reason" required maxlength="500" autocomplete="off" /></${Field}>
      <label class="check"><input type="checkbox" name="undo" /> let those count again that are void for this reason</label>
    </${Act}>
  `;
}

/** @param {{refresh: () => void}} props */
function Rename({ refresh }) {
  const act = async (/** @type {FormData} */ form) => {
    await post("admin/rename", { bot: text(form, "bot"), to: text(form, "to") });
    return `${text(form, "bot")} is called ${text(form, "to")} now`;
  };
  return html`
    <${Act} title="Rename a bot" button="Rename" act=${act} refresh=${refresh}>
      <${Field} label="Bot"><input name="bot" required autocomplete="off" /></${Field}>
      <${Field} label="New name"><input name="to" required autocomplete="off" /></${Field}>
    </${Act}>
  `;
}

/** @param {{refresh: () => void}} props */
function Forget({ refresh }) {
  const act = async (/** @type {FormData} */ form) => {
    const bot = text(form, "bot");
    if (!window.confirm(`Forget ${bot}? This cannot be undone.`)) return "Nothing was changed";
    const gone = await post("admin/forget", { bot });
    return `Forgotten; the results stay under ${gone.names.join(", ")}`;
  };
  return html`
    <${Act} title="Forget a bot" button="Forget" act=${act} refresh=${refresh}>
      <${Field} label="Bot" hint="its results stay under a pseudonym, all else is deleted for good"><input name="bot" required autocomplete="off" /></${Field}>
    </${Act}>
  `;
}

/**
 * One act: a form that is folded away, and what came of it.
 *
 * @param {{title: string, button: string, act: (form: FormData) => Promise<string>, refresh: () => void, children?: unknown}} props
 */
function Act({ title, button, act, refresh, children }) {
  const { run, busy, error } = useAction(refresh);
  const [said, setSaid] = useState("");
  const submit = (/** @type {EventOn<HTMLFormElement>} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    setSaid("");
    run(async () => setSaid(await act(new FormData(form))));
  };
  return html`
    <details class="admin-act">
      <summary>${title}</summary>
      <form onSubmit=${submit}>
        ${children}
        <button type="submit" disabled=${busy}>${button}</button>
        ${error && html`<p class="notice" role="alert">${error}</p>`}
        ${said && html`<p role="status">${said}.</p>`}
      </form>
    </details>
  `;
}

/**
 * @param {FormData} form
 * @param {string} name
 */
function text(form, name) {
  return String(form.get(name) ?? "").trim();
}
