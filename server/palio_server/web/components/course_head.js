/** The head of a course's views: where one is, who one is, the way out. */

/** @import { CourseItem } from "../types/wire.js" */
/** @import { Renderable } from "../vendor/preact.js" */

import { html } from "../lib/html.js";
import { to } from "../lib/router.js";

/**
 * @param {object} props
 * @param {CourseItem} props.course
 * @param {string} [props.title]  of what is shown, below the course
 * @param {string} props.who
 * @param {() => void} props.signOut
 * @param {Renderable} [props.children]  facts
 */
export function CourseHead({ course, title, who, signOut, children }) {
  const home = title ? html`<a href=${to("course", course.name)}>${course.title}</a> <span aria-hidden="true">›</span> <span>${title}</span>` : html`<span>Course</span>`;
  return html`
    <div class="course-head">
      <div>
        <nav class="crumbs" aria-label="Where this is">${home}</nav>
        <h1>${title ?? course.title}</h1>
        ${children && html`<p class="facts">${children}</p>`}
      </div>
      <p class="course-who"><span>${who}</span> <button type="button" onClick=${signOut}>Sign out</button></p>
    </div>
  `;
}
