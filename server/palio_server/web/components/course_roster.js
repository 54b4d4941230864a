/** The roster: who is in the course, and who has handed in nothing yet. */

/** @import { CourseItem, RosterItem } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */

import { addresses, many } from "../lib/course_words.js";
import { html, useState } from "../lib/html.js";
import { CopyButton } from "./copy_button.js";
import { Empty } from "./empty.js";
import { Wide } from "./wide.js";

/** @param {{course: CourseItem, roster: RosterItem[]}} props */
export function CourseRoster({ course, roster }) {
  const [text, setText] = useState("");
  const [missing, setMissing] = useState("");
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = roster.filter((each) => {
    const said = `${each.name} ${each.id} ${each.email} ${each.team} ${each.pseudonym}`.toLowerCase();
    return (!missing || each.missing.includes(missing)) && words.every((word) => said.includes(word));
  });
  if (!roster.length) return html`<${Empty} title="No students yet."><pre>palio course roster ${course.name} FILE.csv</pre></${Empty}>`;
  return html`
    <h2 class="unseen">Roster</h2>
    <form class="result-filters" role="search" aria-label="Which students" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label class="grow">Search <input type="search" value=${text} onInput=${(/** @type {EventOn<HTMLInputElement>} */ event) => setText(event.currentTarget.value)} placeholder="a name, an address, a team" autocomplete="off" /></label>
      <label>Handed in
        <select onChange=${(/** @type {EventOn<HTMLSelectElement>} */ event) => setMissing(event.currentTarget.value)}>
          <option value="">anything or nothing</option>
          ${course.assignments.map(({ name, title }) => html`<option key=${name} value=${name}>nothing to ${title}</option>`)}
        </select>
      </label>
    </form>
    <div class="course-listed"><p role="status">${many(rows.length, "student")}</p>${addresses(rows) && html`<${CopyButton} text=${addresses(rows)} label="Copy addresses of the listed students">Copy addresses</${CopyButton}>`}</div>
    <${Wide} label="roster">
      <table class="plain-table">
        <caption class="unseen">Students of the course</caption>
        <thead><tr><th scope="col">Student</th><th scope="col">Nothing handed in to</th><th scope="col">ID</th><th scope="col">Address</th><th scope="col">Team</th><th scope="col">Pseudonym</th><th scope="col">Link</th></tr></thead>
        <tbody>${rows.map((row) => html`<${Line} key=${row.id} row=${row} course=${course} />`)}</tbody>
      </table>
    </${Wide}>
  `;
}

/** @param {{row: RosterItem, course: CourseItem}} props */
function Line({ row, course }) {
  const titles = course.assignments.filter(({ name }) => row.missing.includes(name)).map(({ title }) => title);
  return html`
    <tr>
      <th scope="row">${row.name}</th>
      <td>${titles.length ? html`<span class="bad">${titles.join(", ")}</span>` : html`<span class="quiet">–</span>`}</td>
      <td>${row.id}</td>
      <td>${row.email}</td>
      <td>${row.team}</td>
      <td>${row.pseudonym}</td>
      <td>${row.has_link ? "sent" : html`<span class="bad">none</span>`}</td>
    </tr>
  `;
}
