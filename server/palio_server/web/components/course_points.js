/** The distribution of points of an assignment, as bars and as a table. */

/** @import { Distribution } from "../types/wire.js" */

import { bars, figure, many } from "../lib/course_words.js";
import { html } from "../lib/html.js";

const HIGH = 110; // pixels of the highest bar
const FOOT = 22; // for the words below
const HEAD = 18; // for the counts above

/** @param {{distribution: Distribution}} props */
export function CoursePoints({ distribution }) {
  const { counts, mean, median, missing, unchecked, broken } = distribution;
  const graded = counts.reduce((sum, count) => sum + count, 0);
  return html`
    <section class="panel" aria-labelledby="points">
      <h2 id="points">Points</h2>
      ${graded > 0 ? html`<${Plot} distribution=${distribution} graded=${graded} />` : html`<p class="quiet">Nothing is checked yet.</p>`}
      <dl class="course-facts">
        ${mean !== null && html`<dt>Mean</dt><dd>${figure(mean)}</dd>`}
        ${median !== null && html`<dt>Median</dt><dd>${figure(median)}</dd>`}
        <dt>Checked</dt><dd>${graded}${broken > 0 && `, ${many(broken, "submission")} cannot run`}</dd>
        <dt>Waiting</dt><dd>${unchecked}</dd>
        <dt>Nothing handed in</dt><dd>${missing}</dd>
      </dl>
    </section>
  `;
}

/** @param {{distribution: Distribution, graded: number}} props */
function Plot({ distribution, graded }) {
  const { edges, mean, median } = distribution;
  const all = bars(distribution);
  const share = 100 / all.length;
  const most = edges[edges.length - 1];
  const spoken = `Points of ${many(graded, "student")}: mean ${figure(mean ?? 0)}, median ${figure(median ?? 0)} of ${figure(most)}`;
  const foot = HEAD + HIGH;
  return html`
    <svg class="course-plot" width="100%" height=${foot + FOOT} role="img" aria-label=${spoken}>
      ${mean !== null && html`<line class="course-mean" x1=${`${(mean / most) * 100}%`} x2=${`${(mean / most) * 100}%`} y1=${HEAD - 4} y2=${foot} />`}
      ${all.map(
        ({ from, count, height }, i) => html`<g key=${from}>
          <rect x=${`${i * share + 0.6}%`} y=${foot - height * HIGH} width=${`${share - 1.2}%`} height=${height * HIGH} rx="2" />
          ${count > 0 && html`<text class="course-count" x=${`${(i + 0.5) * share}%`} y=${foot - height * HIGH - 5} text-anchor="middle">${count}</text>`}
        </g>`,
      )}
      <line x1="0" x2="100%" y1=${foot + 0.5} y2=${foot + 0.5} />
      <text x="0" y=${foot + 17}>0</text>
      <text x="50%" y=${foot + 17} text-anchor="middle">${figure(most / 2)}</text>
      <text x="100%" y=${foot + 17} text-anchor="end">${figure(most)}</text>
    </svg>
    <details class="chart-table">
      <summary>The same as a table</summary>
      <table class="plain-table">
        <caption class="unseen">Students by points</caption>
        <thead><tr><th scope="col">Points</th><th scope="col" class="num">Students</th></tr></thead>
        <tbody>${all.map(({ from, to, count }) => html`<tr key=${from}><td>${figure(from)} to ${figure(to)}</td><td class="num">${count}</td></tr>`)}</tbody>
      </table>
    </details>
  `;
}
