/** The submissions to an assignment, for the staff: searched, by status, fifty at a time. */

/** @import { AssignmentItem, CourseItem, StaffSubmission } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */

import { STATUS, dateIn, figure, filtered, many } from "../lib/course_words.js";
import { html, useState } from "../lib/html.js";
import { to } from "../lib/router.js";
import { Wide } from "./wide.js";

const PAGE = 50;

/** @type {[string, string][]} */
const KINDS = [
  ["", "all"],
  ["checked", "checked"],
  ["broken", "cannot run"],
  ["waiting", "waiting"],
  ["checking", "being checked"],
  ["late", "late"],
];

/** @param {{course: CourseItem, assignment: AssignmentItem, rows: StaffSubmission[]}} props */
export function CourseSubmissions({ course, assignment, rows }) {
  const [text, setText] = useState("");
  const [status, setStatus] = useState("");
  const [shown, setShown] = useState(PAGE);
  const found = filtered(rows, text, status);
  return html`
    <section aria-labelledby="submissions">
      <div class="section-head"><h2 id="submissions">Submissions</h2><p class="count" role="status">${found.length === rows.length ? rows.length : `${found.length} of ${rows.length}`}</p></div>
      <form class="result-filters" role="search" aria-label="Which submissions" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
        <label class="grow">Search <input type="search" value=${text} onInput=${(/** @type {EventOn<HTMLInputElement>} */ event) => setText(event.currentTarget.value)} placeholder="a student, a test, an error" autocomplete="off" /></label>
        <label>Status
          <select onChange=${(/** @type {EventOn<HTMLSelectElement>} */ event) => setStatus(event.currentTarget.value)}>${KINDS.map(([value, words]) => html`<option key=${value} value=${value}>${words}</option>`)}</select>
        </label>
      </form>
      ${
        found.length
          ? html`<${Wide} labelledby="submissions">
              <table class="plain-table course-submissions">
                <caption class="unseen">Current submissions to ${assignment.title}</caption>
                <thead><tr><th scope="col">Student</th><th scope="col" class="num">Points</th><th scope="col">Status</th><th scope="col">Handed in</th><th scope="col">Late</th></tr></thead>
                <tbody>${found.slice(0, shown).map((row) => html`<${Line} key=${row.id} row=${row} course=${course} assignment=${assignment} />`)}</tbody>
              </table>
            </${Wide}>`
          : html`<p class="quiet">${rows.length ? "No submission is like that." : "Nothing has been handed in."}</p>`
      }
      ${found.length > shown && html`<p class="page-links"><button type="button" onClick=${() => setShown(shown + PAGE)}>${many(Math.min(PAGE, found.length - shown), "more submission")}</button></p>`}
    </section>
  `;
}

/** @param {{row: StaffSubmission, course: CourseItem, assignment: AssignmentItem}} props */
function Line({ row, course, assignment }) {
  const { id, name, student, points, max_points: most, status, at, late_days: late, broken, failed, note, who } = row;
  const said = broken || (failed.length ? many(failed.length, "part") + " cost points" : "");
  return html`
    <tr>
      <th scope="row"><a href=${to("course", course.name, assignment.name, id)}>${name || student}</a></th>
      <td class="num">${points === null ? "" : html`${figure(points)}<small> / ${figure(most ?? 0)}</small>`}</td>
      <td><span class=${status === "broken" ? "bad" : null}>${STATUS[status]}</span>${said && html` <small class="course-why-short" title=${said}>${said}</small>`}</td>
      <td><time datetime=${at}>${dateIn(at, course.zone, course.now)}</time>${(note || who) && html` <small>${[note, who && `by ${who}`].filter(Boolean).join(", ")}</small>`}</td>
      <td>${late > 0 ? many(late, "day") : ""}</td>
    </tr>
  `;
}
