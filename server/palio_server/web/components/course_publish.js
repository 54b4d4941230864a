/** Publishing the grades of an assignment, which is asked once more before it is done. */

/** @import { AssignmentItem } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { many } from "../lib/course_words.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { useCourseAction } from "../lib/use_course.js";

/**
 * @param {object} props
 * @param {CourseApi} props.api
 * @param {AssignmentItem} props.assignment
 * @param {`/assignments/${string}`} props.path
 * @param {number} props.students
 * @param {number} props.unchecked
 * @param {() => void} props.done
 */
export function CoursePublish({ api, assignment: { title, published, state }, path, students, unchecked, done }) {
  const { run, busy, error, clear } = useCourseAction();
  const [asks, setAsks] = useState(false);
  const [said, setSaid] = useState("");
  const opener = useRef(/** @type {HTMLButtonElement|null} */ (null));
  const sure = useRef(/** @type {HTMLButtonElement|null} */ (null));
  useEffect(() => {
    if (asks) sure.current?.focus();
  }, [asks]);
  const close = () => {
    setAsks(false);
    requestAnimationFrame(() => opener.current?.focus());
  };
  const publish = () =>
    run(async () => {
      const answer = await api.post(/** @type {const} */ (`${path}/publish`));
      setSaid(`The grades of ${many(answer.students, "student")} are published.`);
      close();
      done();
    });
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") close();
  };
  return html`
    <section class="panel" aria-labelledby="publish">
      <h2 id="publish">Grades</h2>
      <p>${published ? "Students see the grades that were published last." : "Students see no grades yet."}</p>
      ${unchecked > 0 && html`<p class="quiet">${many(unchecked, "submission")} must be checked first.</p>`}
      ${
        asks
          ? html`<div class="course-sure" role="group" aria-label="Publish the grades?" onKeyDown=${onKey}>
              <p>From then on each of the ${many(students, "student")} sees the own grade for ${title}, as it is now.${state !== "closed" && " The assignment still takes submissions."}</p>
              <button ref=${sure} type="button" class="primary" disabled=${busy} onClick=${publish}>Publish now</button>
              <button type="button" disabled=${busy} onClick=${close}>Not yet</button>
            </div>`
          : html`<button ref=${opener} type="button" class="course-publish" disabled=${unchecked > 0} onClick=${() => (clear(), setSaid(""), setAsks(true))}>${published ? "Publish again …" : "Publish grades …"}</button>`
      }
      <p class="form-error" role="alert">${error}</p>
      <p role="status">${said}</p>
    </section>
  `;
}
