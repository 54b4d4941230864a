/** All submissions of a student to an assignment; a former one can be chosen again. */

/** @import { CourseItem, SubmissionItem } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { bytes } from "../lib/course_files.js";
import { STATUS, dateIn, many, ofPoints } from "../lib/course_words.js";
import { html } from "../lib/html.js";
import { useCourseAction } from "../lib/use_course.js";
import { Failure } from "./empty.js";

/**
 * @param {object} props
 * @param {CourseApi} props.api
 * @param {CourseItem} props.course
 * @param {SubmissionItem[]|null} props.rows  the newest first
 * @param {Error|null} props.error
 * @param {boolean} props.isOpen
 * @param {(submission: string) => void} props.chosen
 */
export function CourseFormer({ api, course, rows, error: failed, isOpen, chosen }) {
  const { run, busy, error } = useCourseAction();
  const choose = (/** @type {string} */ id) =>
    run(async () => {
      await api.post(/** @type {const} */ (`/submissions/${encodeURIComponent(id)}/choice`));
      chosen(id);
    });
  return html`
    <section class="panel" aria-labelledby="former">
      <h2 id="former">Your submissions</h2>
      ${failed && html`<${Failure} error=${failed} />`}
      ${rows && !rows.length && html`<p class="quiet">None yet.</p>`}
      <ul class="course-former">
        ${rows?.map(
          (row) => html`<li key=${row.id} data-current=${row.current ? "" : null}>
            <p><time datetime=${row.at}>${dateIn(row.at, course.zone, course.now)}</time>${row.current && html` <small class="chip-word">counts</small>`}</p>
            <p class="quiet">${STATUS[row.status]}${row.points !== null && row.max_points !== null && `, ${ofPoints(row.points, row.max_points)}`}${row.late_days > 0 && `, ${many(row.late_days, "day")} late`} · ${bytes(row.size)}${!row.by_me && " · by your team"}${row.clock !== "server" && ` · time by ${row.clock}`}</p>
            ${isOpen && !row.current && html`<button type="button" disabled=${busy} aria-label=${`Choose again the submission of ${dateIn(row.at, course.zone, course.now)}`} onClick=${() => choose(row.id)}>Choose again</button>`}
          </li>`,
        )}
      </ul>
      <p class="form-error" role="alert">${error}</p>
    </section>
  `;
}
