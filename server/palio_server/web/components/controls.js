/** What whoever runs an event can do with it. The server says who may; its refusal stands here in its own words. */

/** @import { TournamentDetail } from "../types/wire.js" */

import { post } from "../lib/api.js";
import { useAction } from "../lib/action.js";
import { html, useState } from "../lib/html.js";
import { Menu } from "./menu.js";
import { Token } from "./token_field.js";

/** @type {Record<string, [verb: string, label: string][]>} */
const VERBS = {
  open: [["start", "Start now"]],
  running: [["pause", "Pause"]],
  paused: [["resume", "Resume"]],
};

/** @param {{event: TournamentDetail, refresh: () => void}} props */
export function Controls({ event, refresh }) {
  const { id, stage, rounds, round } = event;
  const { run, busy, error, guarded } = useAction(refresh);
  const [sure, setSure] = useState(false);
  const [wanted, setWanted] = useState("");
  const longer = rounds !== null && !event.bracket && !event.sprt; // a finished league goes on when it gets more rounds
  if (stage === "cancelled" || (stage === "finished" && !longer)) return null;
  const ask = (/** @type {string} */ verb, /** @type {object} */ body = {}) => run(() => post(`tournaments/${id}/${verb}`, body));
  const extend = (/** @type {SubmitEvent} */ submitted) => {
    submitted.preventDefault();
    ask("extend", { rounds: Number(wanted) });
  };
  const cancel = () => (sure ? ask("cancel") : setSure(true));
  return html`
    <${Menu} label="Manage">
      <div class="manage">
        ${(VERBS[stage] ?? []).map(
          ([verb, label]) => html`<button key=${verb} type="button" class=${verb === "pause" ? "" : "primary"} disabled=${busy} onClick=${() => ask(verb)}>${label}</button>`,
        )}
        ${
          longer &&
          html`
            <form class="extend" onSubmit=${extend}>
              <label for="extend">Rounds in all</label>
              <input id="extend" type="number" min=${Math.max(1, round)} max="1000" placeholder=${rounds} required value=${wanted} onInput=${(/** @type {InputEvent & {currentTarget: HTMLInputElement}} */ typed) => setWanted(typed.currentTarget.value)} />
              <button type="submit" disabled=${busy}>Change</button>
            </form>
          `
        }
        ${stage !== "finished" && html`<button type="button" class="danger" disabled=${busy} onClick=${cancel} onBlur=${() => setSure(false)}>${sure ? "Cancel for good?" : "Cancel the event"}</button>`}
        ${guarded && html`<${Token} />`}
        <p class="form-error" role="alert">${error}</p>
      </div>
    </${Menu}>
  `;
}
