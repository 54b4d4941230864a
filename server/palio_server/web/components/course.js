/** A course: what its students, and its staff, see of it. A personal link says who one is. */

/** @import { EventOn } from "../lib/html.js" */
/** @import { GameItem } from "../types/wire.js" */

import { ApiError } from "../lib/api.js";
import { CourseApi } from "../lib/course_api.js";
import { courseToken, keepCourseToken, tokenIn, useCourseToken } from "../lib/course_token.js";
import { useTitle } from "../lib/hooks.js";
import { html, useEffect, useMemo, useState } from "../lib/html.js";
import { useCourseJson } from "../lib/use_course.js";
import { CourseStaff } from "./course_staff.js";
import { CourseStudent } from "./course_student.js";
import { Failure } from "./empty.js";
import { Field } from "./fields.js";

/** @param {{id: string, rest: string[], games: GameItem[]}} props */
export function Course({ id, rest, games }) {
  const token = useCourseToken(id);
  const [fault, setFault] = useState("");
  const denied = (/** @type {string} */ why) => {
    setFault(why);
    if (courseToken(id) === token) keepCourseToken(id, "");
  };
  return html`
    <div class="course">
      ${token ? html`<${SignedIn} key=${token} id=${id} token=${token} rest=${rest} games=${games} denied=${denied} />` : html`<${SignIn} id=${id} fault=${fault} />`}
    </div>
  `;
}

/** @param {{id: string, token: string, rest: string[], games: GameItem[], denied: (why: string) => void}} props */
function SignedIn({ id, token, rest, games, denied }) {
  const api = useMemo(() => new CourseApi(id, token), [id, token]);
  const { value, error, refresh } = useCourseJson(api, "");
  const assignment = value?.assignments.find(({ name }) => name === rest[0]);
  useTitle(value ? [assignment?.title, value.title].filter(Boolean).join(" · ") : "Course"); // here alone: a child's would be overwritten by this one
  const refused = error instanceof ApiError && (error.status === 401 || error.status === 403);
  const isStaff = value?.me.role === "staff";
  useEffect(() => {
    if (refused) denied(error.message);
  }, [refused]);
  useEffect(() => {
    if (isStaff) keepCourseToken(id, token, { tab: true }); // it opens more than a student's
  }, [isStaff]);
  if (!value) {
    return html`
      <h1>${id}</h1>
      ${error && !refused ? html`<${Failure} error=${error} retry=${refresh} />` : html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
    `;
  }
  const signOut = () => keepCourseToken(id, "");
  const Shown = isStaff ? CourseStaff : CourseStudent;
  return html`
    ${error && !refused && html`<${Failure} error=${error} retry=${refresh} />`}
    <${Shown} api=${api} course=${value} games=${games} rest=${rest} refresh=${refresh} signOut=${signOut} />
  `;
}

/** @param {{id: string, fault: string}} props */
function SignIn({ id, fault: refused }) {
  const [fault, setFault] = useState("");
  useTitle("Course");
  const send = (/** @type {EventOn<HTMLFormElement>} */ event) => {
    event.preventDefault();
    const found = tokenIn(String(new FormData(event.currentTarget).get("link") ?? ""));
    if (found) keepCourseToken(id, found);
    else setFault("this is no personal link; it ends with # and about forty letters");
  };
  return html`
    <section class="panel sign-in" aria-labelledby="course-sign-in">
      <h1 id="course-sign-in">Sign in to ${id}</h1>
      <p>The staff of the course has sent you a personal link. Open it, or paste it here.</p>
      <form onSubmit=${send}>
        <${Field} label="Personal link" hint="kept in this browser until you sign out" fault=${fault || refused}>
          <input name="link" type="password" autocomplete="off" required />
        </${Field}>
        <button type="submit" class="primary">Sign in</button>
      </form>
    </section>
  `;
}
