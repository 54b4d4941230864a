/** Who is best at a game, and how sure we are. */

/** @import { BoardOf, Leader, RankedGame } from "../types/wire.js" */

import { duration } from "../lib/clock.js";
import { firstMoveWorth } from "../lib/first_move.js";
import { useJson } from "../lib/hooks.js";
import { html, useState } from "../lib/html.js";
import { memo } from "../lib/memo.js";
import { money, tokens } from "../lib/model_costs.js";
import { boardVersion } from "../lib/lobby_fold.js";
import { useLobby } from "../lib/lobby_stream.js";
import { to } from "../lib/router.js";
import { ratingMerit, sharedPlaces } from "../lib/shared_places.js";
import { points } from "../lib/words.js";
import { BotLink } from "./bot_name.js";
import { Connection } from "./connection.js";
import { Empty, Failure } from "./empty.js";
import { Form } from "./form.js";
import { HeadToHead } from "./head_to_head.js";
import { Interval, scale } from "./interval.js";
import { Tabs } from "./tabs.js";
import { Wide } from "./wide.js";

const MOST = 100; // lines, unless somebody wants to see more
const [Table, Against] = [memo(Leaders), memo(HeadToHead)]; // the lobby changes more often

/**
 * The part of a game's page that says who is best at it.
 *
 * @param {{id: string}} props  `id`: the game, perhaps with settings: `go:size=19`
 */
export function Leaderboard({ id }) {
  const { state, status, why } = useLobby({ boards: 0 });
  const version = boardVersion(state, id);
  const [whole, setWhole] = useState(false);
  const path = /** @type {const} */ (`leaderboard/${encodeURIComponent(id)}`);
  const { value: first, error, refresh } = useJson(`${path}?limit=${MOST}`, version);
  const { value: all } = useJson(whole ? path : null, version);
  const value = all ?? first;
  return html`
    <${Connection} status=${status} why=${why} />
    <h2 id="leaderboard">Leaderboard</h2>
    ${value && html`<${Boards} boards=${value.boards ?? []} here=${id} />`}
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${!error && !value && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
    ${value && (value.leaders.length ? html`<${Table} board=${value} whole=${whole} setWhole=${setWhole} />` : html`<${None} />`)}
    ${value !== null && value.leaders.length > 1 && html`<${Against} game=${id} leaders=${value.leaders} version=${version} />`}
  `;
}

/**
 * The leaderboards of a game, if it has been played with other settings, too: each of them makes another game of it.
 *
 * @param {{boards: BoardOf[], here: string}} props
 */
function Boards({ boards, here }) {
  if (!boards.some(({ game }) => game !== here)) return null;
  return html`<${Tabs} label="Boards" here=${here} tabs=${boards.map(({ game, title }) => ({ word: game, name: title, address: to("leaderboards", game) }))} />`;
}

function None() {
  return html`
    <${Empty} title="Nobody has finished a match yet.">
      <p>Start one from the <a href=${to("lobby")}>live matches</a>, and its result stands here at once.</p>
    </${Empty}>
  `;
}

/** @param {{board: RankedGame, whole: boolean, setWhole: (whole: boolean) => void}} props */
function Leaders({ board: { leaders, first_move: first, disputed = [], total = leaders.length, level = 0 }, whole, setWhole }) {
  const all = scale(leaders);
  const merits = leaders.map(ratingMerit);
  const places = sharedPlaces([...merits, ...Array(level).fill(merits.at(-1))]); // lines that are not here share the last place
  const asked = leaders.some(({ latency_ms: latency, tokens_in: read }) => isKnown(latency) || isKnown(read));
  return html`
    <${Wide} label="leaderboard">
      <table class="leaders">
        <caption class="unseen">Ratings are Elo, with the 95 % interval</caption>
        <thead>
          <tr>
            <th scope="col" class="num"><abbr title="rank">#</abbr></th>
            <th scope="col">Bot</th>
            <th scope="col" class="num">Rating</th>
            <th scope="col" class="wide"><span class="unseen">95 % interval</span></th>
            <th scope="col" class="num">Games</th>
            <th scope="col" class="num"><abbr title="wins">W</abbr></th>
            <th scope="col" class="num"><abbr title="draws">D</abbr></th>
            <th scope="col" class="num"><abbr title="losses">L</abbr></th>
            <th scope="col" class="num">Points</th>
            <th scope="col">Form</th>
            <th scope="col" class="num"><abbr title="mean thinking time a move">Time a move</abbr></th>
            <th scope="col" class="num"><abbr title="illegal moves">Illegal</abbr></th>
            <th scope="col" class="num"><abbr title="losses on time">On time</abbr></th>
            ${
              asked &&
              html`
                <th scope="col" class="num"><abbr title="tokens that a language model reads and writes, a move">Tokens a move</abbr></th>
                <th scope="col" class="num"><abbr title="what a language model costs, in dollars">Cost a game</abbr></th>
                <th scope="col" class="num"><abbr title="mean time until a language model has answered, a move">Latency</abbr></th>
              `
            }
          </tr>
        </thead>
        <tbody>
          ${leaders.slice(0, whole ? leaders.length : MOST).map(
            (leader, index) => html`<${Line} key=${leader.bot} leader=${leader} place=${places[index]} disputed=${disputed.includes(leader.bot)} scale=${all} asked=${asked} apart=${index > 0 && leader.provisional && !leaders[index - 1].provisional} />`,
          )}
        </tbody>
      </table>
    </${Wide}>
    ${total > MOST && html`<p class="note"><button type="button" aria-pressed=${whole} onClick=${() => setWhole(!whole)}>${whole ? `Only the first ${MOST}` : `All ${total} bots`}</button></p>`}
    <p class="note">
      Ratings are Elo by maximum likelihood; the bar is the 95 % interval.
      ${leaders.some(({ provisional }) => provisional) && " A question mark: too few games for a rank."}
      ${first && ` ${firstMoveWorth(first)}`}
    </p>
  `;
}

/**
 * A line; `apart`: it is the first of those who have too few games, below all others. `disputed`: two programs play
 * under the name. `asked`: some leader asks a language model, and what that costs has columns.
 *
 * @param {{leader: Leader, place: string, disputed: boolean, scale: {low: number, high: number}, asked: boolean, apart: boolean}} props
 */
function Line({ leader, place, disputed, scale: all, asked, apart }) {
  const { bot, rating, error, provisional, games, wins, draws, losses, form } = leader;
  return html`
    <tr data-provisional=${provisional ? "" : null} data-apart=${apart ? "" : null}>
      <td class="num rank">${place}</td>
      <th scope="row"><${BotLink} name=${bot} />${disputed && html` <abbr class="disputed" title="two programs play under this name now: the rating is neither's">2 programs</abbr>`}</th>
      <td class="num rating">
        ${Math.round(rating)}${provisional && html`<abbr class="provisional" title="provisional: too few games">?</abbr>`}
        <small>±${Math.round(error)}</small>
      </td>
      <td class="wide"><${Interval} leader=${leader} scale=${all} /></td>
      <td class="num">${games}</td>
      <td class="num">${wins}</td>
      <td class="num">${draws}</td>
      <td class="num">${losses}</td>
      <td class="num">${points(leader.points)}</td>
      <td><${Form} form=${form} /></td>
      <td class="num">${duration(leader.mean_ms)}</td>
      <td class=${`num ${leader.illegal_moves ? "bad" : "zero"}`}>${leader.illegal_moves}</td>
      <td class=${`num ${leader.time_losses ? "bad" : "zero"}`}>${leader.time_losses}</td>
      ${asked && html`<${Costs} leader=${leader} />`}
    </tr>
  `;
}

/** @param {{leader: Leader}} props */
function Costs({ leader: { tokens_in: read, tokens_out: written, cost, latency_ms: latency } }) {
  return html`
    <td class="num">${tokens(read, written).replace(" tokens", "")}</td>
    <td class="num">${isKnown(cost) && money(cost)}</td>
    <td class="num">${isKnown(latency) && duration(latency)}</td>
  `;
}

/**
 * @param {number|null|undefined} value
 * @returns {value is number}
 */
function isKnown(value) {
  return value !== null && value !== undefined;
}
