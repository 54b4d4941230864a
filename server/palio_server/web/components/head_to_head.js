/** Head to head: each bot's points against each other one. */

/** @import { Leader, Pair } from "../types/wire.js" */

import { useJson } from "../lib/hooks.js";
import { html, useMemo } from "../lib/html.js";
import { points } from "../lib/words.js";
import { CrossTable } from "./cross_table.js";
import { Failure } from "./empty.js";

/** @param {{game: string, leaders: Leader[], version: number}} props */
export function HeadToHead({ game, leaders, version }) {
  const { value, error, refresh } = useJson(`head-to-head/${encodeURIComponent(game)}`, version);
  const scores = useMemo(() => byPair(value?.pairs ?? []), [value]);
  if (error) return html`<${Failure} error=${error} retry=${refresh} />`;
  const bots = leaders.map(({ bot }) => bot);
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
      <${CrossTable} label="head to head" bots=${bots} cell=${cell} />
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
