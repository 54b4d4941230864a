/** Pairs of submissions that are alike, for the staff: a hint, never a verdict. One pair at a time, side by side. */

/** @import { AssignmentItem, CourseItem, SimilarPair } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { alikeLines } from "../lib/course_similar.js";
import { many } from "../lib/course_words.js";
import { html, useState } from "../lib/html.js";
import { to } from "../lib/router.js";
import { useCourseJson } from "../lib/use_course.js";
import { Empty, Failure } from "./empty.js";

/** @param {{api: CourseApi, course: CourseItem, assignment: AssignmentItem}} props */
export function CourseSimilar({ api, course, assignment }) {
  const path = /** @type {`/assignments/${string}/similar?${string}`} */ (`/assignments/${encodeURIComponent(assignment.name)}/similar?sources=true`);
  const { value, error, refresh } = useCourseJson(api, path, undefined, { onFocus: false });
  const [shown, setShown] = useState(0);
  const pair = value?.pairs[shown];
  return html`
    <p class="course-back"><a href=${to("course", course.name, assignment.name)}>All submissions to ${assignment.title}</a></p>
    <h2>Similar submissions</h2>
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${!value && !error && html`<div class="waiting" aria-busy="true"><p>Comparing …</p></div>`}
    ${value && html`<p class="quiet course-hint">${value.hint}</p>`}
    ${value && !value.pairs.length && html`<${Empty} title="No two are alike.">${many(value.submissions, "submission")} compared.</${Empty}>`}
    ${
      pair &&
      html`
        <ul class="course-pairs" aria-label="Pairs">
          ${value.pairs.map((each, i) => html`<li key=${each.submissions.join()}><button type="button" aria-pressed=${i === shown ? "true" : "false"} onClick=${() => setShown(i)}>${each.names.join(" and ")} <small>${percent(each)}</small></button></li>`)}
        </ul>
        <div class="course-both" role="group" aria-label=${`${pair.names.join(" and ")}, side by side`}>
          ${/** @type {(0|1)[]} */ ([0, 1]).map((side) => html`<${Source} key=${pair.submissions[side]} course=${course} assignment=${assignment} pair=${pair} side=${side} />`)}
        </div>
      `
    }
  `;
}

/** @param {{course: CourseItem, assignment: AssignmentItem, pair: SimilarPair, side: 0|1}} props */
function Source({ course, assignment, pair, side }) {
  return html`
    <section class="panel" aria-label=${`Code of ${pair.names[side]}`}>
      <h3><a href=${to("course", course.name, assignment.name, pair.submissions[side])}>${pair.names[side]}</a> <small>${Math.round(pair.shares[side] * 100)} % alike</small></h3>
      ${Object.entries(pair.sources[side] ?? {}).map(([file, text]) => html`<${File} key=${file} file=${file} text=${text} alike=${alikeLines(pair, side, file)} />`)}
    </section>
  `;
}

/** @param {{file: string, text: string, alike: Map<number, number>}} props */
function File({ file, text, alike }) {
  return html`
    <p class="course-file"><code>${file}</code></p>
    <pre class="course-code" tabindex="0" aria-label=${file}>${text.split("\n").map((line, i) => html`<span key=${i} data-block=${alike.get(i + 1) ?? null} data-line=${i + 1}>${line}</span>`)}</pre>
  `;
}

/** @param {SimilarPair} pair */
function percent({ shares }) {
  return `${Math.round(Math.max(...shares) * 100)} %`;
}
