/** Beside the boards of the hall's screen: who stands where, and what has just finished. */

/** @import { GameItem, MatchItem, TournamentDetail } from "../types/wire.js" */
/** @import { Wish } from "../lib/wall.js" */
/** @import { Ended } from "../lib/wall_feed.js" */

import { reason } from "../lib/codes.js";
import { useJson } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { sharedPlaces } from "../lib/shared_places.js";
import { plural, points, ruleDetail, winners } from "../lib/words.js";
import { BotName } from "./bot_name.js";
import { Face } from "./face.js";

const PLACES = 16;
const RESULTS = 12;

/** @param {{event: TournamentDetail|null, ended: Ended[], wish: Wish, ratings: Record<string, Record<string, number>>, game: string, games: GameItem[]}} props */
export function WallRail({ event, ended, wish, ratings, game, games }) {
  const { value: older } = useJson("matches?status=finished&limit=24");
  const places = event?.standings.length ? placed(event.standings.map(({ rank, bot, points: own }) => ({ merit: rank, bot, figure: points(own) }))) : rated(ratings[game] ?? {});
  const known = new Set(ended.map(({ match }) => match));
  const results = [...ended, ...(older ?? []).filter(({ id }) => !known.has(id)).flatMap(finished)].filter(
    ({ seats, game: played, tournament }) =>
      (wish.event === null || tournament === wish.event) && (!wish.game || played === wish.game) && (!wish.bot || seats.some(({ bot }) => bot === wish.bot)),
  );
  if (!places.length && !results.length) return null;
  return html`
    <aside class="rail" aria-label="Standings and results">
      ${
        places.length > 0 &&
        html`
          <h2>${event?.standings.length ? "Standings" : `${games.find(({ name }) => name === game)?.title ?? "Best"} ratings`}</h2>
          <ol class="rail-places" data-shared=${places.some(({ place }) => place.includes("–")) ? "" : null}>
            ${places.slice(0, PLACES).map(
              ({ merit, place, bot, figure }) => html`
                <li key=${bot} data-first=${merit === 1 ? "" : null}>
                  <span class="rail-rank">${place}</span><${Face} name=${bot} /><${BotName} name=${bot} /><em>${figure}</em>
                </li>
              `,
            )}
          </ol>
        `
      }
      ${
        results.length > 0 &&
        html`
          <h2>Just finished</h2>
          <ul class="rail-results">
            ${results.slice(0, RESULTS).map((each) => html`<li key=${each.match}><${Outcome} ...${each} /></li>`)}
          </ul>
        `
      }
    </aside>
  `;
}

/** @param {Ended} props */
function Outcome({ seats, result, plies }) {
  const first = winners(result);
  const others = seats.flatMap(({ bot }, seat) => (first.includes(seat) ? [] : [bot]));
  const names = first.map((seat) => seats[seat].bot);
  const cause = result.reason === "ranked" ? "race" : result.reason === "aborted" ? "broken off" : ruleDetail(result) || reason(result.reason);
  const how = `${cause}, ${plural(plies, "ply", "plies")}`;
  if (result.reason === "aborted") return html`${seats.map(({ bot }) => bot).join(", ")}<small>${how}</small>`;
  if (!others.length) return html`<b>${names.slice(0, 3).join(", ")}</b>${names.length > 1 ? " drew" : ""}<small>${how}</small>`;
  const beaten = others.length > 2 ? `${others.length} others` : others.join(" and ");
  return html`<b>${names.join(" and ")}</b> beat ${beaten}<small>${how}</small>`;
}

/** @param {MatchItem} item */
function finished({ id, seats, scores, reason: code, detail, plies, game, tournament }) {
  if (!scores || !code) return [];
  const result = /** @type {import("../types/wire.js").Result} */ ({ scores, reason: code, termination: "rule", seat: null, detail: detail ?? "" });
  return [{ match: id, seats, result, plies: plies ?? 0, game, tournament }];
}

/** @param {Record<string, number>} ratings */
function rated(ratings) {
  const order = Object.entries(ratings).sort(([, a], [, b]) => b - a);
  return order.map(([bot, rating], index) => ({ merit: index + 1, place: String(index + 1), bot, figure: String(Math.round(rating)) }));
}

/** @param {{merit: number, bot: string, figure: string}[]} lines  in their order, of equal merit where they share a place */
function placed(lines) {
  const places = sharedPlaces(lines.map(({ merit }) => merit));
  return lines.map((line, index) => ({ ...line, place: places[index] }));
}
