/** Who stands where: points, what each made of each round, tie-breaks, ratings; in races what the bots have paid. */

/** @import { StandingItem, TournamentDetail } from "../types/wire.js" */
/** @import { Placed } from "../lib/cells.js" */
/** @import { PartProps } from "./tournament.js" */

import { byBot, cellWords, roundsShown } from "../lib/cells.js";
import { roundShown } from "../lib/event_rounds.js";
import { figure, signed, tieBreak, tieBreakInWords } from "../lib/event_words.js";
import { html, useMemo } from "../lib/html.js";
import { paid } from "../lib/race_words.js";
import { sharedPlaces } from "../lib/shared_places.js";
import { plural, points } from "../lib/words.js";
import { BotLink } from "./bot_name.js";
import { Empty } from "./empty.js";
import { Groups } from "./groups.js";
import { Interval, scale } from "./interval.js";
import { PairFigures } from "./pair_figures.js";
import { Playing } from "./playing.js";
import { Wide } from "./wide.js";

const MOST_ROUNDS = 40; // with a column each; beyond, the rounds have their own part

/** @param {PartProps} props */
export function StandingsPart({ event, cards, games }) {
  const { groups, standings, sprt, pair_figures: figures } = event;
  return html`
    ${groups.length > 0 && html`<${Groups} groups=${groups} />`}
    ${standings.length ? html`<${Table} event=${event} seats=${games.find(({ name }) => name === event.game)?.seats} />` : html`<${Empty} title="Nobody is entered yet."><p>Bots are entered under “Bots and entries”.</p></${Empty}>`}
    ${figures && !sprt && html`<${PairFigures} figures=${figures} />`}
    <${Playing} cards=${cards} />
  `;
}

/** @param {TournamentDetail} event */
function heading(event) {
  const { stage, sprt } = event;
  const round = roundShown(event);
  if (stage === "finished") return "Final standings";
  if (sprt) return "Standings";
  return round > 1 && stage === "running" ? `Standings, with round ${round} in play` : "Standings";
}

/** @param {{event: TournamentDetail, seats: string[]|undefined}} props */
function Table({ event, seats }) {
  const { standings, tie_breaks: breaks, stage } = event;
  const lines = useMemo(() => byBot(standings), [standings]);
  const places = sharedPlaces(standings.map(({ rank }) => rank));
  const rounds = roundsShown(event, MOST_ROUNDS);
  const barred = standings.flatMap(({ rating, error }) => (rating !== null && error !== null ? [{ rating, error, provisional: false }] : []));
  const bars = barred.length ? scale(barred) : null;
  const rated = standings.some(({ rating }) => rating !== null);
  const raced = standings.some(({ costs }) => costs !== null);
  const now = stage === "running" ? roundShown(event) : 0;
  return html`
    <section aria-labelledby="standings">
      <h2 id="standings">${heading(event)}</h2>
      <${Wide} labelledby="standings">
        <table class="event-table">
          <caption class="unseen">Bots, the first first</caption>
          <thead>
            <tr>
              <th scope="col" class="num"><abbr title="rank">#</abbr></th>
              <th scope="col">Bot</th>
              <th scope="col" class="num">Points</th>
              ${!rounds.length && html`<th scope="col" class="num"><abbr title="wins, level ones, losses">+ = −</abbr></th>`}
              ${rounds.map((each) => html`<th key=${`r${each}`} scope="col" class="round" data-now=${each === now ? "" : null}><abbr title=${`round ${each}`}>${each}</abbr></th>`)}
              ${breaks.map((name) => html`<th key=${name} scope="col" class="num"><abbr title=${tieBreakInWords(name)}>${tieBreak(name)}</abbr></th>`)}
              ${raced && ["Solved", "Mean cost", "Over best"].map((title) => html`<th key=${title} scope="col" class="num">${title}</th>`)}
              ${rated && html`<th scope="col" class="num"><abbr title="Elo from this event's results, with the 95 % interval">Rating</abbr></th>`}
              ${bars && html`<th scope="col"><span class="unseen">95 % interval</span></th>`}
              ${rated && html`<th scope="col" class="num"><abbr title="performance rating">Perf.</abbr></th>`}
            </tr>
          </thead>
          <tbody>
            ${standings.map((line, index) => html`<${Line} key=${line.bot} line=${line} place=${places[index]} seats=${seats} lines=${lines} rounds=${rounds} now=${now} rated=${rated} raced=${raced} bars=${bars} />`)}
          </tbody>
        </table>
      </${Wide}>
      <p class="note">${legend(event, rounds)}</p>
    </section>
  `;
}

/**
 * @param {TournamentDetail} event
 * @param {number[]} rounds
 */
function legend({ tie_breaks: breaks, first_move_advantage: first, standings }, rounds) {
  return [
    sharedPlaces(standings.map(({ rank }) => rank)).some((place) => place.includes("–")) && "Bots that are level share their places: 2–3.",
    rounds.length > 0 && roundLegend(standings),
    breaks.length > 0 && `Equal points are split by ${breaks.map(tieBreakInWords).join("; then ")}.`,
    standings.some(({ rating }) => rating !== null) && "Ratings are Elo from this event's results, with the 95 % interval.",
    first !== null && `Moving first is worth ${signed(first)} Elo here.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/**
 * How a cell of a round is read, by what such cells have here: colours, opponents, or neither.
 *
 * @param {StandingItem[]} standings
 */
function roundLegend(standings) {
  const cells = standings.flatMap(({ rounds }) => rounds);
  if (cells.some(({ colour }) => colour)) return "A round shows the result, the colour and the opponent's line: “1 b9” is a win with black against the bot in line 9; + and − are forfeits.";
  if (cells.some(({ opponents }) => opponents.length > 2)) return "A round shows the points.";
  return "A round shows the points and the opponents' lines: “1 9” is a point against the bot in line 9; + and − are forfeits.";
}

/** @param {{line: StandingItem, place: string, seats: string[]|undefined, lines: Map<string, Placed>, rounds: number[], now: number, rated: boolean, raced: boolean, bars: {low: number, high: number}|null}} props */
function Line({ line, place, seats, lines, rounds, now, rated, raced, bars }) {
  const { bot, wins, draws, losses, left, note, rating, error, performance, costs } = line;
  const of = new Map(line.rounds.map((cell) => [cell.round, cell]));
  return html`
    <tr data-left=${left ? "" : null}>
      <td class="num rank">${place}</td>
      <th scope="row"><${BotLink} name=${bot} />${left && html` <span class="chip">withdrawn</span>`}${note && html` <small>${note}</small>`}</th>
      <td class="num points">${points(line.points)}</td>
      ${!rounds.length && html`<td class="num" title=${`${plural(wins, "win")}, ${draws} level, ${plural(losses, "loss", "losses")}`}>${wins} ${draws} ${losses}</td>`}
      ${rounds.map((each) => {
        const { text, aside, title, kind } = cellWords(of.get(each), lines, seats);
        return html`
          <td key=${`r${each}`} class=${`round ${kind}`} data-now=${each === now ? "" : null} title=${title}>
            ${text && html`<span class="made">${text}</span>`}${aside && html` <small>${aside}</small>`}
          </td>
        `;
      })}
      ${line.tie_breaks.map((value, index) => html`<td key=${`t${index}`} class="num">${figure(value)}</td>`)}
      ${raced && html`<td class="num">${costs ? `${costs.solved}/${costs.races}` : "–"}</td><td class="num">${paid(costs?.mean)}</td><td class="num">${percent(costs?.over_best)}</td>`}
      ${rated && html`<td class="num rating">${rating === null ? "–" : Math.round(rating)} ${error !== null && html`<small>±${Math.round(error)}</small>`}</td>`}
      ${bars && html`<td>${rating !== null && error !== null && html`<${Interval} leader=${{ rating, error, provisional: false }} scale=${bars} />`}</td>`}
      ${rated && html`<td class="num">${performance === null ? "–" : Math.round(performance)}</td>`}
    </tr>
  `;
}

/** @param {number|null|undefined} share */
function percent(share) {
  return share === null || share === undefined ? "–" : `+${(100 * share).toFixed(1)} %`;
}
