/** Who takes part, since when and until when; more can be entered, and withdrawn, while the event goes on. */

/** @import { EntryItem } from "../types/wire.js" */
/** @import { PartProps } from "./tournament.js" */

import { useAction } from "../lib/action.js";
import { post, remove } from "../lib/api.js";
import { useJson } from "../lib/hooks.js";
import { html, useState } from "../lib/html.js";
import { plural } from "../lib/words.js";
import { BotLink } from "./bot_name.js";
import { EntryForm } from "./entry_form.js";
import { Token } from "./token_field.js";
import { Wide } from "./wide.js";

/** @param {PartProps} props */
export function EntriesPart({ event, version, refresh }) {
  const { entries, stage } = event;
  const { run, busy, error, guarded } = useAction(refresh);
  const going = stage === "open" || stage === "running" || stage === "paused";
  const { value: bots } = useJson("bots", version);
  const lost = (/** @type {string} */ name) => bots?.some((each) => each.name === name && !each.games.includes(event.game)) ?? false;
  const path = `tournaments/${event.id}/entries`;
  const [asked, setAsked] = useState(""); // what the last error is about
  const enter = (/** @type {object} */ entry) => {
    setAsked("enter");
    return run(() => post(path, entry));
  };
  const withdraw = (/** @type {string} */ bot) => {
    setAsked("withdraw");
    run(() => remove(`${path}/${encodeURIComponent(bot)}`));
  };
  const rated = entries.some(({ rating }) => rating !== null);
  return html`
    <section aria-labelledby="entries">
      <h2 id="entries">${plural(entries.length, "bot")} entered</h2>
      <div class="entry-columns">
        <${Wide} labelledby="entries">
          <table class="event-table">
            <caption class="unseen">Entries by starting number</caption>
            <thead>
              <tr>
                <th scope="col" class="num"><abbr title="starting number">No.</abbr></th>
                <th scope="col">Bot</th>
                ${rated && html`<th scope="col" class="num"><abbr title="the rating that seeds it">Rating</abbr></th>`}
                <th scope="col">Here</th>
                <th scope="col">Takes part</th>
                ${going && html`<th scope="col"><span class="unseen">Withdraw</span></th>`}
              </tr>
            </thead>
            <tbody>
              ${entries.map((entry) => html`<${Line} key=${entry.bot} entry=${entry} rated=${rated} lost=${going && lost(entry.bot)} going=${going} busy=${busy} withdraw=${withdraw} />`)}
            </tbody>
          </table>
        </${Wide}>
        ${
          going &&
          html`
            <aside class="panel">
              <${EntryForm} event=${event} busy=${busy} error=${asked === "enter" ? error : ""} enter=${enter} />
              ${guarded && html`<${Token} />`}
              ${asked !== "enter" && html`<p class="form-error" role="alert">${error}</p>`}
            </aside>
          `
        }
      </div>
    </section>
  `;
}

/** @param {{entry: EntryItem, rated: boolean, lost: boolean, going: boolean, busy: boolean, withdraw: (bot: string) => void}} props */
function Line({ entry, rated, lost, going, busy, withdraw }) {
  const { bot, number, rating, left, connected } = entry;
  return html`
    <tr data-left=${left === null ? null : ""}>
      <td class="num rank">${number}</td>
      <th scope="row"><${BotLink} name=${bot} /></th>
      ${rated && html`<td class="num">${rating === null ? "–" : Math.round(rating)}</td>`}
      ${
        lost
          ? html`<td class="danger">does not play this game</td>`
          : html`<td class=${connected ? "is-here" : "quiet"}>${connected ? "connected" : "away"}</td>`
      }
      <td>${since(entry)}</td>
      ${going && html`<td>${left === null && html`<button type="button" disabled=${busy} onClick=${() => withdraw(bot)} aria-label=${`withdraw ${bot}`}>Withdraw</button>`}</td>`}
    </tr>
  `;
}

/** @param {EntryItem} entry */
function since({ joined, left, byes }) {
  const words = [
    joined > 1 && `from round ${joined}`,
    left !== null && (left > 1 ? `withdrawn before round ${left}` : "withdrawn"),
    byes.length > 0 && `half-point bye in ${byes.length === 1 ? "round" : "rounds"} ${byes.join(", ")}`,
  ].filter(Boolean);
  return words.join(", ") || "in all rounds";
}

