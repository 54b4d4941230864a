/** Who plays at the large board: banner, name, rating, seat, clock; after the end the score. */

/** @import { Summary } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { isRace } from "../lib/race.js";
import { ending, paid } from "../lib/race_words.js";
import { leaderboardOf, plural, points, winners } from "../lib/words.js";
import { BotName } from "./bot_name.js";
import { Clock } from "./clock.js";
import { Face } from "./face.js";
import { Token } from "./seat.js";

/**
 * @param {object} props
 * @param {Summary} props.summary
 * @param {number} props.seat
 * @param {number} props.at  when its clocks were true
 * @param {boolean} props.lost
 * @param {Record<string, Record<string, number>>} props.ratings
 * @param {boolean} props.refused
 */
export function WallBar({ summary, seat, at, lost, ratings, refused }) {
  const { seats, view, result, time, absent } = summary;
  const { bot, name } = seats[seat];
  const race = isRace(summary);
  const rating = ratings[leaderboardOf(summary)]?.[bot];
  const moves = !result && view.to_move === seat && !race;
  const won = result !== null && winners(result).length === 1 && winners(result)[0] === seat;
  const state = absent.includes(seat) ? "away" : refused && moves ? "move refused" : moves ? "to move" : "";
  const words = [rating === undefined ? "" : String(Math.round(rating)), race ? stands(summary, seat) : name, state].filter(Boolean);
  return html`
    <div class="bar" data-moves=${moves ? "" : null} data-won=${won ? "" : null} data-refused=${refused && moves ? "" : null}>
      <${Face} name=${bot} size="large" />
      <div class="bar-who"><${BotName} name=${bot} /><small>${words.join(" · ")}</small></div>
      <${Token} seats=${seats} seat=${seat} scene=${race ? null : (view.scene ?? null)} />
      ${
        result || race
          ? html`<span class="bar-score">${result && !race ? points(result.scores[seat]) : paid(view.race?.[seat]?.cost)}</span>`
          : html`<${Clock} state=${{ clocks: view.clocks_ms, movesToGo: view.moves_to_go, at, running: !lost }} seat=${seat} toMove=${view.to_move} time=${time} label=${`clock of ${name}`} />`
      }
    </div>
  `;
}

/**
 * @param {Summary} summary
 * @param {number} seat
 */
function stands({ view }, seat) {
  const standing = view.race?.[seat];
  return standing ? ending(standing) || plural(standing.plies, "ply", "plies") : "";
}
