/** A game of a submission's check, against a bot of the staff: its board, its moves, step by step. */

/** @import { CourseItem, MatchSnapshot, Replay } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { foldMatch } from "../lib/fold.js";
import { html, useMemo } from "../lib/html.js";
import { boardsAt, boardsByEntrant, isRace } from "../lib/race.js";
import { byPly, viewAt } from "../lib/replay.js";
import { to } from "../lib/router.js";
import { useStepping } from "../lib/stepping.js";
import { useCourseJson } from "../lib/use_course.js";
import { cause, verdict } from "../lib/words.js";
import { Board } from "./board.js";
import { Failure } from "./empty.js";
import { Moves } from "./moves.js";
import { Steps, useSwipe } from "./steps.js";

const OWN = "submission"; // the student's bot, as a check calls it

/**
 * @param {object} props
 * @param {CourseApi} props.api
 * @param {CourseItem} props.course
 * @param {string} props.assignment
 * @param {string} props.id  of the submission
 * @param {string} props.match
 * @param {string} props.back  where all of the feedback is
 */
export function CourseGame({ api, course, assignment, id, match, back }) {
  const path = /** @type {const} */ (`/submissions/${encodeURIComponent(id)}/matches/${encodeURIComponent(match)}`);
  const { value, error, refresh } = useCourseJson(api, path, undefined, { onFocus: false });
  const address = new URL(to("course", course.name, assignment, id, match), document.baseURI).href;
  return html`
    <p class="course-back"><a href=${back}>Feedback</a></p>
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${!value && !error && html`<h2>Match</h2><div class="waiting" aria-busy="true"><p>Loading the match …</p></div>`}
    ${value && html`<${Shown} replay=${value} address=${address} />`}
  `;
}

/** @param {{replay: Replay, address: string}} props */
function Shown({ replay, address }) {
  const { summary, lines, refusals } = replay;
  const { match, seats, title, result, view: newest } = summary;
  const race = isRace(summary);
  const state = useMemo(() => {
    const views = byPly(replay.views);
    const boards = race ? boardsAt(boardsByEntrant(views, seats.length), newest.ply, views[0]) : [];
    const snapshot = /** @type {MatchSnapshot} */ ({ type: "match", seq: 0, summary, lines, refusals, boards });
    return foldMatch(null, snapshot, 0);
  }, [replay]);
  const stepping = useStepping(state, match, undefined, replay);
  const { live, ply, views, go } = stepping;
  const swipe = useSwipe(go);
  const own = Math.max(0, seats.findIndex(({ bot }) => bot === OWN));
  const lists = useMemo(() => (race ? boardsByEntrant(views, seats.length) : []), [race, views]);
  const view = race ? boardsAt(lists, ply, views[0] ?? newest)[own] : viewAt(views, ply, newest);
  return html`
    <div class="match course-game">
      <header class="match-head">
        <h2 class="match-title"><span class="match-game">${title}</span><span class="unseen">: </span><span class="match-bots">${seats.map(({ bot, name }) => (race ? bot : `${bot} (${name})`)).join(" against ")}</span></h2>
      </header>
      ${result && html`<p class="course-verdict"><strong>${verdict(result, seats)}</strong> ${cause(result, seats)}</p>`}
      <div class="stage" ...${swipe}><${Board} view=${view} before=${race ? null : views[view.ply - 1]} seats=${seats} title=${title} entrant=${race ? own : undefined} /></div>
      <div class="match-side">
        <${Steps} stepping=${stepping} over link=${address} trial=${null} />
        <${Moves} lines=${lines} refusals=${refusals} seats=${seats} ply=${ply} live=${live} go=${go} marks=${new Map()} strikes=${null} result=${result} scene=${newest.scene} race=${race} />
      </div>
    </div>
  `;
}
