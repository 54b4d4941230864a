/** One assignment of a student: hand in, feedback, former submissions. */

/** @import { AssignmentItem, CourseItem, GameItem, GradeItem } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { bytes } from "../lib/course_files.js";
import { dateIn, gameTitle, many, ofPoints, timeWords } from "../lib/course_words.js";
import { html, useCallback, useState } from "../lib/html.js";
import { to } from "../lib/router.js";
import { useCourseJson } from "../lib/use_course.js";
import { CourseFeedback } from "./course_feedback.js";
import { CourseFormer } from "./course_former.js";
import { CourseHead } from "./course_head.js";
import { CourseLeaderboard } from "./course_leaderboard.js";
import { CourseMatches } from "./course_matches.js";
import { CourseParts } from "./course_parts.js";
import { CoursePractice } from "./course_practice.js";
import { CourseSubmit } from "./course_submit.js";

/** @param {{api: CourseApi, course: CourseItem, games: GameItem[], assignment: AssignmentItem, grade: GradeItem|null, refresh: () => void, signOut: () => void}} props */
export function CourseAssignment({ api, course, games, assignment, grade, refresh, signOut }) {
  const { name, title, state, submission } = assignment;
  const path = /** @type {const} */ (`/assignments/${encodeURIComponent(name)}`);
  const former = useCourseJson(api, /** @type {const} */ (`${path}/submissions`));
  const [matches, setMatches] = useState(0); // grows when one begins or ends
  const begun = useCallback(() => setMatches((count) => count + 1), []);
  const [newest, setNewest] = useState(""); // handed in or chosen here, before the course says so
  const renew = useCallback(() => {
    refresh();
    former.refresh();
  }, [refresh, former.refresh]);
  const show = (/** @type {string} */ id) => {
    setNewest(id);
    renew();
  };
  const current = newest || submission;
  const isOpen = state === "open" || state === "late";
  return html`
    <${CourseHead} course=${course} title=${title} who=${course.me.name} signOut=${signOut}>
      <b class="course-due" data-state=${state}>${timeWords(assignment, course.free_days_left)}</b>${" · "}${many(course.free_days_left, "free late day")} left
    </${CourseHead}>
    <div class="course-columns">
      <div class="course-main">
        ${isOpen && html`<${CourseSubmit} api=${api} assignment=${assignment} done=${show} />`}
        ${!isOpen && html`<p class="notice">${state === "closed" ? "This assignment is closed. Ask the staff if you have a reason to hand in later." : `It opens on ${dateIn(assignment.opens, course.zone, course.now)}.`}</p>`}
        ${grade && html`<${Published} grade=${grade} course=${course} />`}
        ${current && html`<${CourseFeedback} key=${current} api=${api} id=${current} course=${course} closes=${assignment.closes} renew=${renew} />`}
        ${current && html`<${CoursePractice} api=${api} course=${course} path=${path} begun=${begun} />`}
        <${CourseMatches} api=${api} course=${course} path=${path} submissions=${former.value ?? []} version=${matches} />
        ${!current && isOpen && html`<p class="quiet">Nothing is handed in yet. Feedback comes within a minute after you hand in.</p>`}
      </div>
      <aside aria-label="About the assignment">
        <${About} course=${course} games=${games} assignment=${assignment} />
        <${CourseFormer} api=${api} course=${course} rows=${former.value} error=${former.error} isOpen=${isOpen} chosen=${show} />
        <${CourseLeaderboard} api=${api} course=${course} path=${path} />
      </aside>
    </div>
  `;
}

/** @param {{grade: GradeItem, course: CourseItem}} props */
function Published({ grade, course }) {
  const { points, max_points: most, late_days: late, published_at: at, parts } = grade;
  return html`
    <section class="panel" aria-labelledby="grade">
      <div class="section-head"><h2 id="grade">Your grade</h2><p class="course-total">${ofPoints(points, most)}</p></div>
      <p class="quiet">Published ${dateIn(at, course.zone, course.now)}${late > 0 && `, ${many(late, "late day")}`}.</p>
      <${CourseParts} parts=${parts} folded />
    </section>
  `;
}

/** @param {{course: CourseItem, games: GameItem[], assignment: AssignmentItem}} props */
function About({ course, games, assignment }) {
  const { game, files, optional, size, due, closes, late_days: late, penalty, submissions_a_day: daily } = assignment;
  const date = (/** @type {string} */ at) => html`<time datetime=${at}>${dateIn(at, course.zone, course.now)}</time>`;
  return html`
    <section class="panel" aria-labelledby="about">
      <h2 id="about">About</h2>
      <dl class="course-facts">
        <dt>Game</dt><dd><a href=${to("games", game.split(":")[0])}>${gameTitle(games, game)}</a></dd>
        <dt>Files</dt><dd>${files.map((name) => html`<code key=${name}>${name}</code> `)}</dd>
        ${optional.length > 0 && html`<dt>May be added</dt><dd>${optional.map((name) => html`<code key=${name}>${name}</code> `)}</dd>`}
        <dt>Size</dt><dd>${bytes(size)} at most</dd>
        <dt>Due</dt><dd>${date(due)}</dd>
        ${late > 0 && html`<dt>Closes</dt><dd>${date(closes)}; each begun day after the due date takes ${Math.round(penalty * 100)} % of the points</dd>`}
        <dt>A day</dt><dd>${many(daily, "submission")}</dd>
      </dl>
      <p class="note">Times of ${course.zone}.</p>
    </section>
  `;
}
