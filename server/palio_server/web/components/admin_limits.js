/** The rate limits in effect, and who was refused by them lately, on all servers. */

/** @import { ServerFigures } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { Wide } from "./wide.js";

/** @param {{servers: ServerFigures[]}} props */
export function AdminLimits({ servers }) {
  const names = [...new Set(servers.flatMap(({ limits }) => limits.map(({ name }) => name)))];
  const rows = names.map((name) => {
    const found = servers.flatMap(({ worker, limits }) => limits.filter((limit) => limit.name === name).map((limit) => ({ worker, ...limit })));
    const met = found.flatMap(({ worker, met: refused }) => refused.map((each) => ({ worker, ...each }))).sort((a, b) => a.ago_s - b.ago_s);
    return { name, rate: found[0].rate, burst: found[0].burst, met };
  });
  return html`
    <section aria-labelledby="limits">
      <h2 id="limits">Rate limits</h2>
      <${Wide} labelledby="limits">
        <table class="plain-table">
          <caption class="unseen">Limits of one client each, on one server</caption>
          <thead><tr><th scope="col">Limit</th><th scope="col">A second</th><th scope="col">At once</th><th scope="col">Refused lately</th></tr></thead>
          <tbody>
            ${rows.map(
              ({ name, rate, burst, met }) => html`
                <tr key=${name}>
                  <th scope="row">${name}</th><td>${rate}</td><td>${burst}</td>
                  <td>${met.length ? html`<ul class="admin-met">${met.slice(0, 5).map(({ worker, who, times, ago_s: ago }) => html`<li key=${`${worker} ${who}`}><b>${who || "this machine"}</b> ${times} times, ${Math.round(ago)} s ago, on ${worker}</li>`)}</ul>` : html`<span class="quiet">nobody</span>`}</td>
                </tr>
              `,
            )}
          </tbody>
        </table>
      </${Wide}>
    </section>
  `;
}
