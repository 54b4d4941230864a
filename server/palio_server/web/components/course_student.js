/** A student's course: the assignments, what is still to do, who sees what of one. */

/** @import { AssignmentItem, CourseItem, GameItem, GradeItem } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { STATUS, byUrgency, dateIn, gameTitle, many, ofPoints, timeWords } from "../lib/course_words.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { useCourseJson } from "../lib/use_course.js";
import { CourseAssignment } from "./course_assignment.js";
import { CourseConsent } from "./course_consent.js";
import { CourseHead } from "./course_head.js";
import { Empty } from "./empty.js";
import { Later } from "./later.js";

const loadGame = async () => (await import("./course_game.js")).CourseGame;

/** @param {{api: CourseApi, course: CourseItem, games: GameItem[], rest: string[], refresh: () => void, signOut: () => void}} props */
export function CourseStudent({ api, course, games, rest, refresh, signOut }) {
  const { value: grades } = useCourseJson(api, "/grades");
  const [asked, submission, match] = rest;
  const assignment = course.assignments.find(({ name }) => name === asked);
  if (assignment && submission && match) {
    return html`
      <${CourseHead} course=${course} title=${assignment.title} who=${course.me.name} signOut=${signOut} />
      <${Later} key=${match} load=${loadGame} props=${{ api, course, assignment: assignment.name, id: submission, match, back: to("course", course.name, assignment.name) }} />
    `;
  }
  if (assignment) {
    const grade = grades?.find((each) => each.assignment === assignment.name) ?? null;
    return html`<${CourseAssignment} key=${assignment.name} api=${api} course=${course} games=${games} assignment=${assignment} grade=${grade} refresh=${refresh} signOut=${signOut} />`;
  }
  const { me, assignments, free_days_left: free } = course;
  return html`
    <${CourseHead} course=${course} who=${me.name} signOut=${signOut}>
      ${many(assignments.length, "assignment")} · ${many(free, "free late day")} left · times of ${course.zone}
    </${CourseHead}>
    ${asked && html`<p class="notice" role="alert">There is no assignment ${asked} in this course.</p>`}
    <div class="course-columns">
      <section aria-labelledby="assignments">
        <h2 id="assignments">Assignments</h2>
        ${
          assignments.length
            ? html`<ul class="course-list">${byUrgency(assignments).map((each) => html`<${Item} key=${each.name} course=${course} games=${games} assignment=${each} grade=${grades?.find((one) => one.assignment === each.name) ?? null} />`)}</ul>`
            : html`<${Empty} title="No assignment yet.">The staff adds them to the course.</${Empty}>`
        }
      </section>
      <aside aria-label="You"><${CourseConsent} api=${api} me=${me} refresh=${refresh} /></aside>
    </div>
  `;
}

/** @param {{course: CourseItem, games: GameItem[], assignment: AssignmentItem, grade: GradeItem|null}} props */
function Item({ course, games, assignment, grade }) {
  const { name, title, game, state, due, status, left_today: left, submissions } = assignment;
  const isOpen = state === "open" || state === "late";
  return html`
    <li class="panel course-item" data-state=${state}>
      <h3><a href=${to("course", course.name, name)}>${title}</a></h3>
      <p class="course-when"><b>${timeWords(assignment, course.free_days_left)}</b> <time datetime=${due}>${dateIn(state === "not open" ? assignment.opens : due, course.zone, course.now)}</time></p>
      <p class="quiet">${gameTitle(games, game)}${isOpen && ` · ${many(left, "submission")} left today`}</p>
      <p class="course-standing">
        ${grade ? html`<b>${ofPoints(grade.points, grade.max_points)}</b> <small>published</small>` : html`<${Standing} assignment=${assignment} />`}
        ${!grade && (status ? html`<small>${STATUS[status]}</small>` : html`<small>${submissions ? "" : "nothing handed in"}</small>`)}
      </p>
    </li>
  `;
}

/** @param {{assignment: AssignmentItem}} props */
function Standing({ assignment: { points, max_points: most } }) {
  if (points === null || most === null) return null;
  return html`<b>${ofPoints(points, most)}</b><meter min="0" max=${most || 1} value=${points} aria-label="points so far">${points}</meter>`;
}
