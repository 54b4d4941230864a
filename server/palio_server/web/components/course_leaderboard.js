/** The standings of an assignment's last tournament: students under pseudonyms, one's own line marked. */

/** @import { CourseItem, RosterItem, TermLeaderboard, TermStanding } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { dateIn, figure, many } from "../lib/course_words.js";
import { html } from "../lib/html.js";
import { asking, to } from "../lib/router.js";
import { useCourseJson } from "../lib/use_course.js";
import { sharedPlaces } from "../lib/shared_places.js";
import { points } from "../lib/words.js";
import { Failure } from "./empty.js";

const TOP = 10; // lines, and one's own
const KINDS = { nightly: "Tournament", final: "Final", rehearsal: "Rehearsal" };

/**
 * @param {object} props
 * @param {CourseApi} props.api
 * @param {CourseItem} props.course
 * @param {string} props.path  of the assignment
 * @param {RosterItem[]|null} [props.roster]  of the staff, who also sees names, and matches that ended by a fault
 */
export function CourseLeaderboard({ api, course, path, roster = null }) {
  const { value, error, refresh } = useCourseJson(api, /** @type {`/assignments/${string}/leaderboard`} */ (`${path}/leaderboard`));
  if (error) return html`<${Failure} error=${error} retry=${refresh} />`;
  if (!value?.kind) return null;
  const { kind, at, tournament, note, standings, left_out: out } = value;
  const places = sharedPlaces(standings.map(({ rank }) => rank));
  const placed = standings.map((line, i) => ({ line, place: places[i] }));
  const shown = placed.filter(({ line }, i) => i < TOP || line.me || roster);
  return html`
    <section class="panel" aria-labelledby="leaderboard">
      <h2 id="leaderboard">Leaderboard</h2>
      <p class="quiet">${KINDS[kind]} of ${dateIn(at ?? "", course.zone, course.now)}${tournament !== null && html` · <a class="course-all" href=${to("tournaments", tournament)}>all of it</a>`}</p>
      ${out && html`<p class="course-broken">Your submission did not play: ${out}</p>`}
      ${note && html`<p class="quiet">${note}</p>`}
      ${
        shown.length > 0 &&
        html`<ol class="course-board">${shown.map(({ line, place }) => html`<${Line} key=${line.bot} line=${line} place=${place} roster=${roster ?? []} />`)}</ol>`
      }
      ${shown.length < standings.length && html`<p class="note">${many(standings.length, "bot")} in all.</p>`}
      ${roster && html`<${Faults} board=${value} />`}
    </section>
  `;
}

/** @param {{line: TermStanding, place: string, roster: RosterItem[]}} props */
function Line({ roster, place, line: { bot, shown_as: shown, points: won, played, rating, me, faults } }) {
  const name = roster.find(({ pseudonym }) => pseudonym === bot)?.name || shown;
  return html`
    <li data-me=${me ? "" : null}>
      <span class="rank">${place}</span>
      <span class="course-part">${me ? html`<b>${name}</b> <small class="chip-word">you</small>` : name}</span>
      <span class="course-points">${points(won)}<small> / ${played}${rating !== null && ` · ${figure(Math.round(rating))}`}</small></span>
      ${faults.length > 0 && html`<pre class="course-why" tabindex="0">${faults.join("\n")}</pre>`}
    </li>
  `;
}

/** @param {{board: TermLeaderboard}} props */
function Faults({ board: { tournament, standings } }) {
  const failed = standings.filter(({ faults }) => faults.length > 0).length;
  if (tournament === null) return null;
  return html`<p class="note">
    ${failed ? `${many(failed, "bot")} lost games by faults; ` : "No bot lost a game by a fault; "}
    <a href=${asking(to("results"), { tournament, ended: "fault" })}>matches that ended by a fault</a>
  </p>`;
}
