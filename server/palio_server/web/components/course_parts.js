/** The parts of a grade: those that cost points first, each with its reason; the others folded away if they are many. */

/** @import { PartItem } from "../types/wire.js" */

import { figure, howItWent, many } from "../lib/course_words.js";
import { html } from "../lib/html.js";
import { duration } from "../lib/clock.js";

const MOST = 6; // parts with all points that are not folded away

const SIGNS = { all: "✓", some: "◐", none: "✗", taken: "−" };
const SPOKEN = { all: "all points", some: "some points", none: "no points", taken: "points taken off" };

/**
 * @param {object} props
 * @param {PartItem[]} props.parts
 * @param {boolean} [props.folded]  the parts with all points are, however few
 * @param {(match: string) => string} [props.address]  of a match that can be replayed
 */
export function CourseParts({ parts, folded = false, address }) {
  const lost = parts.filter((part) => howItWent(part) !== "all");
  const whole = parts.filter((part) => howItWent(part) === "all");
  const list = html`<ul class="course-parts" aria-label="Parts with all points">${whole.map((part) => html`<${Part} key=${part.name} part=${part} address=${address} />`)}</ul>`;
  return html`
    ${lost.length > 0 && html`<ul class="course-parts" aria-label="Parts that cost points">${lost.map((part) => html`<${Part} key=${part.name} part=${part} address=${address} />`)}</ul>`}
    ${whole.length > 0 && (folded || whole.length > MOST ? html`<details class="course-whole"><summary>${many(whole.length, "part")} with all points</summary>${list}</details>` : list)}
  `;
}

/** @param {{part: PartItem, address?: (match: string) => string}} props */
function Part({ part, address }) {
  const { matches, name, points, max_points: most, why, extra, timed_out: late, seconds } = part;
  const went = howItWent(part);
  return html`
    <li data-went=${went}>
      <span class="course-sign" aria-hidden="true">${SIGNS[went]}</span><span class="unseen">${SPOKEN[went]}: </span>
      <span class="course-part">${name}${extra && html` <small class="chip-word">extra</small>`}${late && html` <small class="chip-word">hung on time</small>`}</span>
      <span class="course-points">${figure(points)}${most > 0 && html`<small> / ${figure(most)}</small>`}</span>
      ${why && html`<pre class="course-why" tabindex="0">${why}</pre>`}
      ${!why && went !== "all" && html`<p class="course-why quiet">This test is hidden: its reason is not told.</p>`}
      ${address && matches.length > 0 && html`<p class="course-replays">Games ${matches.map((match, index) => html`<a key=${match} href=${address(match)} aria-label=${`game ${index + 1}, ${name}`}>${index + 1}</a> `)}</p>`}
      ${seconds >= 1 && html`<small class="course-took">took ${duration(seconds * 1000)}</small>`}
    </li>
  `;
}
