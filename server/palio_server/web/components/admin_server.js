/** One server for its operator: how it is, how fast, what waits in it, and draining it. */

/** @import { ServerFigures } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */

import { useAction } from "../lib/action.js";
import { post } from "../lib/api.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { moment } from "../lib/when.js";
import { plural } from "../lib/words.js";

const STATES = { plays: "in service", draining: "draining", drained: "drained", stopping: "stopping", silent: "silent" };

/** @param {{server: ServerFigures, here: string, refresh: () => void}} props */
export function AdminServer({ server, here, refresh }) {
  const { worker, role, release, state, health, reason } = server;
  const { run, busy, error } = useAction(refresh);
  const path = /** @type {const} */ (`admin/servers/${encodeURIComponent(worker)}`);
  const held = state === "draining" || state === "drained";
  return html`
    <li class="panel admin-server" data-health=${state === "silent" ? "failing" : health}>
      <div class="admin-server-head">
        <h3>${worker}</h3>
        <span class="admin-state" data-state=${state}>${STATES[state]}</span>
      </div>
      <p class="quiet">${[role === "all" ? "gateway and referee" : role, `palio ${release}`, state !== "silent" && `up ${span(server.up_s)}`, worker === here && "answers this page"].filter(Boolean).join(" · ")}</p>
      ${reason && html`<p class="admin-reason">${reason}</p>`}
      ${state !== "silent" && html`<${Figures} server=${server} />`}
      ${server.last_error && html`<p class="admin-error"><b>Last error</b>, ${moment(server.last_error.at)}: ${server.last_error.text}</p>`}
      ${server.matches.length > 0 && html`<${Playing} server=${server} />`}
      ${held && html`<button type="button" disabled=${busy} onClick=${() => run(() => post(`${path}/resume`))}>Resume ${worker}</button>`}
      ${state === "plays" && role !== "gateway" && html`<${Drain} worker=${worker} busy=${busy} send=${(/** @type {object} */ how) => run(() => post(`${path}/drain`, how))} />`}
      ${error && html`<p class="notice" role="alert">${error}</p>`}
    </li>
  `;
}

/** @param {{server: ServerFigures}} props */
function Figures({ server }) {
  const { queues } = server;
  const figures = [
    { name: "In play", value: server.concurrency ? `${server.playing} of ${server.concurrency}` : `${server.playing}` },
    { name: "Bots", value: server.bots },
    { name: "Plies a second", value: server.plies_a_second },
    { name: "Matches a minute", value: server.matches_a_minute },
    { name: "Finished", value: server.finished },
    { name: "Without a result", value: server.aborted, bad: server.aborted > 0 },
    { name: "Bots crashed", value: server.crashed, bad: server.crashed > 0 },
    { name: "Taken over by others", value: server.taken_away },
    { name: "Errors in the log", value: server.errors, bad: server.errors > 0 },
    { name: "Failed writes", value: server.database_errors, bad: server.database_errors > 0 },
    { name: "Claimed, not begun", value: queues.claims },
    { name: "Plies to journal", value: queues.journal_plies ? `${queues.journal_plies}, ${queues.journal_s} s` : 0 },
    { name: "Writes that wait", value: queues.writes },
    { name: "To the broker", value: queues.broker },
  ];
  return html`<dl class="admin-figures">${figures.map(({ name, value, bad }) => html`<div key=${name}><dt>${name}</dt><dd class=${bad ? "bad" : null}>${value}</dd></div>`)}</dl>`;
}

/** @param {{server: ServerFigures}} props */
function Playing({ server: { matches, playing } }) {
  return html`
    <details>
      <summary>${plural(playing, "match", "matches")} in play</summary>
      <ul class="admin-matches">${matches.map((match) => html`<li key=${match}><a href=${to("match", match)}>${match}</a></li>`)}</ul>
      ${playing > matches.length && html`<p class="quiet">and ${playing - matches.length} more</p>`}
    </details>
  `;
}

/** @param {{worker: string, busy: boolean, send: (how: object) => void}} props */
function Drain({ worker, busy, send }) {
  const submit = (/** @type {EventOn<HTMLFormElement>} */ event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    send({ matches: form.get("matches"), then: form.get("then") });
  };
  return html`
    <details class="admin-drain">
      <summary>Drain ${worker}</summary>
      <form onSubmit=${submit}>
        <label>Its matches <select name="matches"><option value="end">go on to their end</option><option value="hand_over">go to other servers now</option></select></label>
        <label>Then it <select name="then"><option value="wait">waits</option><option value="stop">stops</option></select></label>
        <button type="submit" disabled=${busy}>Drain</button>
      </form>
    </details>
  `;
}

/** @param {number} seconds */
function span(seconds) {
  const hours = Math.floor(seconds / 3600);
  if (hours >= 48) return `${Math.floor(hours / 24)} days`;
  return hours ? `${hours} h` : `${Math.floor(seconds / 60)} min`;
}
