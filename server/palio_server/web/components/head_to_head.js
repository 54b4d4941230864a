/** Head to head: each bot's points against each other one. */

/** @import { Leader, Pair } from "../types/wire.js" */

import { useJson } from "../lib/hooks.js";
import { html, useMemo } from "../lib/html.js";
import { points } from "../lib/words.js";
import { Failure } from "./empty.js";
import { Matrix } from "./matrix.js";

const MOST = 40; // a larger square is for a spreadsheet, not for a page

/** @param {{game: string, leaders: Leader[], version: number}} props */
export function HeadToHead({ game, leaders, version }) {
  const { value, error, refresh } = useJson(`head-to-head/${encodeURIComponent(game)}`, version);
  const scores = useMemo(() => byPair(value?.pairs ?? []), [value]);
  if (error) return html`<${Failure} error=${error} retry=${refresh} />`;
  const bots = leaders.slice(0, MOST).map(({ bot }) => bot);
  const cell = (/** @type {string} */ row, /** @type {string} */ col) => {
    const score = scores.get(`${row} ${col}`);
    if (!score) return null;
    const { wins, draws, losses } = score;
    const made = wins + draws / 2;
    const games = wins + draws + losses;
    const title = `${row} against ${col}: +${wins} =${draws} −${losses}`;
    return { text: `${points(made)}/${games}`, title, share: made / games };
  };
  return html`
    <section aria-labelledby="pairs">
      <h2 id="pairs">Head to head</h2>
      <${Matrix} label="head to head" bots=${bots} cell=${cell} />
      ${leaders.length > MOST && html`<p class="note">The first ${MOST} bots of ${leaders.length}.</p>`}
    </section>
  `;
}

/**
 * Scores by "row col", both ways round.
 *
 * @param {Pair[]} pairs
 * @returns {Map<string, {wins: number, draws: number, losses: number}>}
 */
export function byPair(pairs) {
  return new Map(
    pairs.flatMap(({ first, second, wins, draws, losses }) => [
      [`${first} ${second}`, { wins, draws, losses }],
      [`${second} ${first}`, { wins: losses, draws, losses: wins }],
    ]),
  );
}
