/** The matches of one's own bot, in tournaments and practice, each with the submission that played it. */

/** @import { CourseItem, SubmissionItem, TermMatch } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { dateIn, many } from "../lib/course_words.js";
import { html, useEffect, useState } from "../lib/html.js";
import { to } from "../lib/router.js";
import { useCourseJson } from "../lib/use_course.js";
import { plain, points } from "../lib/words.js";
import { Failure } from "./empty.js";
import { Wide } from "./wide.js";

const PAGE = 12;
const REGULAR = ["rule", "adjudicated"]; // ways of ending that nobody's fault brings

/**
 * @param {object} props
 * @param {CourseApi} props.api
 * @param {CourseItem} props.course
 * @param {string} props.path  of the assignment
 * @param {SubmissionItem[]} props.submissions
 * @param {number} props.version  grows when a match was begun here
 */
export function CourseMatches({ api, course, path, submissions, version }) {
  const { value, error, refresh } = useCourseJson(api, /** @type {`/assignments/${string}/matches`} */ (`${path}/matches`));
  const [shown, setShown] = useState(PAGE);
  useEffect(() => {
    if (version > 0) refresh();
  }, [version]);
  if (error) return html`<${Failure} error=${error} retry=${refresh} />`;
  if (!value?.length) return null;
  return html`
    <section aria-labelledby="course-matches">
      <div class="section-head"><h2 id="course-matches">Your matches</h2><p class="count">${value.length}</p></div>
      <${Wide} labelledby="course-matches">
        <table class="plain-table">
          <caption class="unseen">Matches of your bot, the newest first</caption>
          <thead><tr><th scope="col">Against</th><th scope="col" class="num">Points</th><th scope="col">How it ended</th><th scope="col">In</th><th scope="col">Submission</th></tr></thead>
          <tbody>${value.slice(0, shown).map((row) => html`<${Line} key=${row.match} row=${row} course=${course} submissions=${submissions} />`)}</tbody>
        </table>
      </${Wide}>
      ${value.length > shown && html`<p class="page-links"><button type="button" onClick=${() => setShown(shown + PAGE)}>${many(Math.min(PAGE, value.length - shown), "more match")}</button></p>`}
    </section>
  `;
}

/** @param {{row: TermMatch, course: CourseItem, submissions: SubmissionItem[]}} props */
function Line({ row, course, submissions }) {
  const { match, kind, tournament, submission, against, score, termination, detail, fault } = row;
  const played = submissions.find(({ id }) => id === submission);
  return html`
    <tr>
      <th scope="row"><a href=${to("match", match)}>${against.join(", ") || "alone"}</a></th>
      <td class="num">${score === null ? "" : points(score)}</td>
      <td class=${termination && !REGULAR.includes(termination) ? "bad" : null}>${score === null ? "not over" : (detail ?? plain(termination ?? ""))}${fault && html`<details class="course-said"><summary>What your program said</summary><pre tabindex="0">${fault}</pre></details>`}</td>
      <td>${tournament === null ? kind : html`<a href=${to("tournaments", tournament)}>${kind}</a>`}</td>
      <td>${played ? dateIn(played.at, course.zone, course.now) : ""}</td>
    </tr>
  `;
}
