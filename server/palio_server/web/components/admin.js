/** For the operator: all servers that share the work, what waits, who meets a limit, bans, the audit; pause and drain. */

/** @import { AdminView } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */

import { useAction } from "../lib/action.js";
import { keepToken, post } from "../lib/api.js";
import { useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { useAdmin } from "../lib/use_admin.js";
import { plural } from "../lib/words.js";
import { AdminAudit } from "./admin_audit.js";
import { AdminLimits } from "./admin_limits.js";
import { AdminPeople } from "./admin_people.js";
import { AdminServer } from "./admin_server.js";
import { AskFirst } from "./ask_first.js";
import { Field } from "./fields.js";

export function Admin() {
  useTitle("Operating");
  const { view, audit, bans, error, denied, refresh } = useAdmin();
  if (denied) return html`<${OperatorSignIn} error=${error} refresh=${refresh} />`;
  return html`
    <div class="admin">
      <${Head} view=${view} refresh=${refresh} />
      ${error && html`<p class="notice" role="alert">${view ? `These figures are old: ${error}.` : error}</p>`}
      ${!view && !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
      ${
        view &&
        html`
          <section aria-labelledby="servers">
            <h2 id="servers">Servers</h2>
            <ul class="admin-servers">${view.servers.map((server) => html`<${AdminServer} key=${server.worker} server=${server} here=${view.here} refresh=${refresh} />`)}</ul>
          </section>
          <${AdminPeople} bans=${bans} refresh=${refresh} />
          <${AdminLimits} servers=${view.servers} />
          <${AdminAudit} lines=${audit} />
        `
      }
    </div>
  `;
}

/** @param {{view: AdminView|null, refresh: () => void}} props */
function Head({ view, refresh }) {
  const { run, busy, error } = useAction(refresh);
  const playing = view?.servers.reduce((sum, server) => sum + server.playing, 0) ?? 0;
  const sum = view && [plural(view.servers.length, "server"), `${playing} in play`, `${view.scheduled} scheduled`].join(" · ");
  return html`
    <div class="section-head">
      <div><h1>Operating</h1>${sum && html`<p class="facts">${sum}</p>`}</div>
      ${view?.paused && html`<button type="button" class="button primary" disabled=${busy} onClick=${() => run(() => post("admin/resume"))}>Resume all servers</button>`}
      ${view && !view.paused && html`<${AskFirst} label="Pause all servers" question=${`Pause ${plural(view.servers.length, "server")}? Matches in play go on, no new match begins.`} busy=${busy} act=${() => run(() => post("admin/pause"))} />`}
    </div>
    ${view?.paused && html`<p class="notice" role="status">All servers are paused: matches in play go on, no new match begins.</p>`}
    ${error && html`<p class="notice" role="alert">${error}</p>`}
  `;
}

/** @param {{error: string, refresh: () => void}} props */
function OperatorSignIn({ error, refresh }) {
  const send = (/** @type {EventOn<HTMLFormElement>} */ event) => {
    event.preventDefault();
    keepToken(String(new FormData(event.currentTarget).get("token") ?? "").trim());
    refresh();
  };
  return html`
    <section class="panel sign-in" aria-labelledby="sign-in">
      <h1 id="sign-in">Operating</h1>
      <p>This page needs a token of scope admin. In a terminal beside the server:</p>
      <pre><code>palio bot add ops --scope admin</code></pre>
      <form onSubmit=${send}>
        <${Field} label="Token" hint="kept in this tab only" fault=${error}>
          <input name="token" type="password" autocomplete="off" required />
        </${Field}>
        <button type="submit" class="primary">Open</button>
      </form>
    </section>
  `;
}
