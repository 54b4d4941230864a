/** A course for its staff: the roster, and each assignment with its submissions, points and faults. */

/** @import { CourseItem } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { many } from "../lib/course_words.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { useCourseJson } from "../lib/use_course.js";
import { CourseHead } from "./course_head.js";
import { CourseRoster } from "./course_roster.js";
import { CourseStaffAssignment } from "./course_staff_assignment.js";
import { Failure } from "./empty.js";
import { Tabs } from "./tabs.js";
import { Later } from "./later.js";

const loadGame = async () => (await import("./course_game.js")).CourseGame;

/** @param {{api: CourseApi, course: CourseItem, rest: string[], refresh: () => void, signOut: () => void}} props */
export function CourseStaff({ api, course, rest, refresh, signOut }) {
  const [asked, submission = "", match = ""] = rest;
  const { value: roster, error, refresh: again } = useCourseJson(api, "/roster");
  const assignment = course.assignments.find(({ name }) => name === asked);
  const parts = [{ name: "", title: "Roster" }, ...course.assignments];
  const tabs = parts.map(({ name, title }) => ({ word: name, name: title, address: to("course", course.name, name) }));
  const here = assignment?.name ?? "";
  return html`
    <${CourseHead} course=${course} who=${`Staff: ${course.me.name}`} signOut=${signOut}>
      ${many(course.assignments.length, "assignment")}${roster && ` · ${many(roster.length, "student")}`} · times of ${course.zone}
    </${CourseHead}>
    <${Tabs} label="Parts of the course" tabs=${tabs} here=${here} />
    ${asked && !assignment && html`<p class="notice" role="alert">There is no assignment ${asked} in this course.</p>`}
    ${error && html`<${Failure} error=${error} retry=${again} />`}
    ${!roster && !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
    ${roster && !assignment && html`<${CourseRoster} course=${course} roster=${roster} />`}
    ${assignment && match && html`<${Later} key=${match} load=${loadGame} props=${{ api, course, assignment: assignment.name, id: submission, match, back: to("course", course.name, assignment.name, submission) }} />`}
    ${roster && assignment && !match && html`<${CourseStaffAssignment} key=${assignment.name} api=${api} course=${course} assignment=${assignment} roster=${roster} submission=${submission} refresh=${refresh} />`}
  `;
}
