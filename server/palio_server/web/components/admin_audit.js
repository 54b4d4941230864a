/** The newest lines of the audit log. */

/** @import { AuditItem } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { moment } from "../lib/when.js";
import { Wide } from "./wide.js";

/** @param {{lines: AuditItem[]}} props */
export function AdminAudit({ lines }) {
  return html`
    <section aria-labelledby="audit">
      <h2 id="audit">Audit</h2>
      ${
        lines.length === 0
          ? html`<p class="quiet">Nothing has been done yet.</p>`
          : html`
              <${Wide} labelledby="audit">
                <table class="plain-table">
                  <caption class="unseen">Who did what, the newest first</caption>
                  <thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">From</th><th scope="col">Act</th><th scope="col">What</th><th scope="col">Details</th></tr></thead>
                  <tbody>${lines.map((line) => html`<${Line} key=${line.id} line=${line} />`)}</tbody>
                </table>
              </${Wide}>
            `
      }
    </section>
  `;
}

/** @param {{line: AuditItem}} props */
function Line({ line: { at, who, address, act, what, outcome, detail } }) {
  return html`
    <tr>
      <th scope="row"><time dateTime=${at}>${moment(at)}</time></th>
      <td>${who}</td>
      <td>${address}</td>
      <td>${act}</td>
      <td>${what}</td>
      <td>${outcome === "refused" ? html`<span class="bad">refused</span> ` : ""}${detail}</td>
    </tr>
  `;
}
