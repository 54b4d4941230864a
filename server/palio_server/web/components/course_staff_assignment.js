/** One assignment for the staff: submissions, points, failing tests, publishing; one submission of it if that is asked for. */

/** @import { AssignmentItem, CourseItem, RosterItem } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { dateIn } from "../lib/course_words.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { useCourseJson } from "../lib/use_course.js";
import { CourseFailing } from "./course_failing.js";
import { CourseFeedback } from "./course_feedback.js";
import { CourseLeaderboard } from "./course_leaderboard.js";
import { CoursePoints } from "./course_points.js";
import { CoursePublish } from "./course_publish.js";
import { CourseSimilar } from "./course_similar.js";
import { CourseSubmissions } from "./course_submissions.js";
import { Failure } from "./empty.js";

const SIMILAR = "similar"; // in the place of a submission in the address
const CHECKING_MS = 10_000; // between two looks while submissions are being checked

/** @param {{api: CourseApi, course: CourseItem, assignment: AssignmentItem, roster: RosterItem[], submission: string, refresh: () => void}} props */
export function CourseStaffAssignment({ api, course, assignment, roster, submission, refresh }) {
  const path = /** @type {const} */ (`/assignments/${encodeURIComponent(assignment.name)}`);
  const running = (/** @type {{status: string}[]} */ rows) => (rows.some(({ status }) => status === "waiting" || status === "checking") ? CHECKING_MS : null);
  const all = useCourseJson(api, /** @type {const} */ (`${path}/all`), running);
  const points = useCourseJson(api, /** @type {const} */ (`${path}/points`), ({ unchecked }) => (unchecked > 0 ? CHECKING_MS : null));
  if (submission === SIMILAR) return html`<${CourseSimilar} api=${api} course=${course} assignment=${assignment} />`;
  if (submission) return html`<${One} api=${api} course=${course} assignment=${assignment} id=${submission} name=${all.value?.find(({ id }) => id === submission)?.name ?? ""} />`;
  const error = all.error ?? points.error;
  const [rows, figures] = error || (all.value && points.value) ? [all.value, points.value] : [null, null]; // together: neither moves the other
  const again = () => {
    all.refresh();
    points.refresh();
  };
  return html`
    <h2 class="unseen">${assignment.title}</h2>
    <p class="facts course-staff-facts"><span class="course-due">${assignment.due_in}</span>, ${dateIn(assignment.due, course.zone, course.now)}${assignment.late_days > 0 && ` · closes ${dateIn(assignment.closes, course.zone, course.now)}`}</p>
    ${error && html`<${Failure} error=${error} retry=${again} />`}
    ${!rows && !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
    <div class="course-columns">
      <div class="course-main">
        ${rows && html`<${CourseSubmissions} course=${course} assignment=${assignment} rows=${rows} />`}
      </div>
      <aside aria-label="Figures">
        ${figures && html`<${CoursePoints} distribution=${figures} />`}
        ${figures && html`<${CoursePublish} api=${api} assignment=${assignment} path=${path} students=${roster.length} unchecked=${figures.unchecked} done=${refresh} />`}
        ${rows && rows.length > 1 && html`<p><a class="button course-to-similar" href=${to("course", course.name, assignment.name, SIMILAR)}>Similar submissions</a></p>`}
        ${(rows || figures) && html`<${CourseLeaderboard} api=${api} course=${course} path=${path} roster=${roster} />`}
        ${rows && html`<${CourseFailing} title=${assignment.title} rows=${rows} roster=${roster} />`}
      </aside>
    </div>
  `;
}

/** @param {{api: CourseApi, course: CourseItem, assignment: AssignmentItem, id: string, name: string}} props */
function One({ api, course, assignment, id, name }) {
  return html`
    <p class="course-back"><a href=${to("course", course.name, assignment.name)}>All submissions to ${assignment.title}</a>${name && html` <span aria-hidden="true">›</span> <b>${name}</b>`}</p>
    <div class="course-main"><${CourseFeedback} key=${id} api=${api} id=${id} course=${course} closes=${assignment.closes} renew=${nothing} /></div>
  `;
}

function nothing() {}
