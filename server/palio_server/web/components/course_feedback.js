/** What the check of one submission found: points by part, the reasons, the output of one's own code. */

/** @import { CourseItem, Feedback } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { STATUS, dateIn, many, ofPoints, placeWords, pollAfter, total } from "../lib/course_words.js";
import { html, useEffect, useRef } from "../lib/html.js";
import { to } from "../lib/router.js";
import { useCourseJson } from "../lib/use_course.js";
import { duration } from "../lib/clock.js";
import { CourseParts } from "./course_parts.js";
import { Failure } from "./empty.js";

/**
 * @param {object} props
 * @param {CourseApi} props.api
 * @param {string} props.id  of the submission
 * @param {CourseItem} props.course
 * @param {string} props.closes  when parts that are told later are told
 * @param {() => void} props.renew  called when the check has ended
 */
export function CourseFeedback({ api, id, course, closes, renew }) {
  const since = useRef(performance.now());
  const again = (/** @type {Feedback} */ { submission }) => (isRunning(submission.status) ? pollAfter(performance.now() - since.current) : null);
  const { value, error, refresh } = useCourseJson(api, /** @type {const} */ (`/submissions/${encodeURIComponent(id)}`), again);
  const status = value?.submission.status ?? "";
  const waited = useRef(false);
  useEffect(() => {
    if (isRunning(status)) waited.current = true;
    else if (status && waited.current) {
      waited.current = false;
      renew();
    }
  }, [status]);
  return html`
    <section class="panel" aria-labelledby="feedback">
      <div class="section-head">
        <h2 id="feedback">Feedback</h2>
        ${value && !isRunning(status) && html`<p class="course-total">${totalOf(value)}</p>`}
      </div>
      <p class="course-status" role="status" data-status=${status}>${value ? statusWords(value, course) : ""}</p>
      ${error && html`<${Failure} error=${error} retry=${refresh} />`}
      ${!value && !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
      ${value && html`<${Found} feedback=${value} course=${course} closes=${closes} />`}
    </section>
  `;
}

/** @param {{feedback: Feedback, course: CourseItem, closes: string}} props */
function Found({ feedback, course, closes }) {
  const { submission, broken, unplayable, parts, withheld, said } = feedback;
  const address = (/** @type {string} */ match) => to("course", course.name, submission.assignment, submission.id, match);
  return html`
    ${broken && html`<p class="course-broken">Nothing of it can run: ${broken}</p>`}
    ${unplayable && html`<p class="course-broken">It cannot play as a bot: ${unplayable}</p>`}
    <${CourseParts} parts=${parts} address=${address} />
    ${withheld > 0 && html`<p class="note">${many(withheld, "more part")} ${withheld === 1 ? "is" : "are"} told when the assignment has closed, after ${dateIn(closes, course.zone, course.now)}.</p>`}
    ${
      said &&
      html`<details class="course-said">
        <summary>What your code printed</summary>
        <pre tabindex="0">${said}</pre>
      </details>`
    }
  `;
}

/** @param {Feedback} feedback */
function totalOf({ parts }) {
  const { points, most } = total(parts);
  return parts.length ? ofPoints(points, most) : "";
}

/**
 * @param {Feedback} feedback
 * @param {CourseItem} course
 */
function statusWords({ submission: { status, at, late_days: late, place, begins_in_s: begins }, seconds }, course) {
  const handed = `Handed in ${dateIn(at, course.zone, course.now)}${late > 0 ? `, ${many(late, "day")} late` : ""}`;
  if (isRunning(status)) return `${handed}; ${STATUS[status]}${status === "waiting" ? placeWords(place, begins) : ""} …`;
  return `${handed}; ${STATUS[status]}${seconds > 0 ? ` in ${duration(seconds * 1000)}` : ""}.`;
}

/** @param {string} status */
function isRunning(status) {
  return status === "waiting" || status === "checking";
}
