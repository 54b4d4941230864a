/** Where a match belongs, above its name: its event, and there its round and board, with the way back to them. */

/** @import { MatchDetail, RoundItem, Summary } from "../types/wire.js" */

import { moment } from "../lib/facts.js";
import { useJson } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";
import { leaderboardOf } from "../lib/words.js";

/**
 * What is known of a match beyond what is played in it.
 *
 * @typedef {object} About
 * @property {MatchDetail|null} item
 * @property {RoundItem|null} round  of its event
 */

/**
 * @param {Summary} summary
 * @returns {About}
 */
export function useAbout({ match, tournament, result }) {
  const { value: item } = useJson(`matches/${encodeURIComponent(match)}`, result ? 1 : 0);
  const { value: round } = useJson(tournament !== null && item?.round ? `tournaments/${tournament}/rounds/${item.round}` : null, result ? 1 : 0);
  return { item, round };
}

/**
 * The ratings of the bots of a match in its game, by name: "1554", "1676?" after few games. They are asked again at its end.
 *
 * @param {Summary} summary
 * @returns {Map<string, string>}
 */
export function useRatings(summary) {
  const { seats, result } = summary;
  const playing = new Set(seats.map(({ bot }) => bot));
  const { value } = useJson(`leaderboard/${encodeURIComponent(leaderboardOf(summary))}?bots=${encodeURIComponent([...playing].join(","))}`, result ? 1 : 0);
  const leaders = (value?.leaders ?? []).filter(({ bot }) => playing.has(bot));
  return new Map(leaders.map(({ bot, rating, provisional }) => [bot, `${Math.round(rating)}${provisional ? "?" : ""}`]));
}

/** @param {{summary: Summary, about: About}} props */
export function MatchEvent({ summary: { match, game, title, event, tournament }, about: { item, round } }) {
  const encounter = round?.encounters.find(({ matches }) => matches.some((each) => each.match === match));
  const number = encounter && encounter.games > 1 ? `, match ${encounter.matches.findIndex((each) => each.match === match) + 1}` : "";
  return html`
    <nav class="match-event" aria-label="where it belongs">
      ${
        tournament === null
          ? html`<a href=${to("lobby")}>Live</a><span aria-hidden="true">›</span><a href=${to("games", game)}>${title}</a>${event && html`<span aria-hidden="true">›</span><span>${event}</span>`}`
          : html`
              <a href=${to("tournaments")}>Tournaments</a><span aria-hidden="true">›</span>
              <a href=${to("tournaments", tournament)}>${event || `Tournament ${tournament}`}</a>
              ${item?.round ? html`<span aria-hidden="true">›</span><span><a href=${to("tournaments", tournament, "rounds", item.round)}>round ${item.round}${encounter && `, board ${encounter.board}`}</a>${number}</span>` : ""}
            `
      }
    </nav>
    ${item?.void && html`<p class="match-void" role="note"><strong>This match counts for nothing:</strong> ${item.void.reason} <small>(${item.void.by}, ${moment(item.void.at)})</small></p>`}
    ${item?.archived && html`<p class="match-archived" role="note">The moves of this match are archived in ${item.archived.file} (since ${moment(item.archived.at)}); its result counts as before. On the server, <code>palio import ${item.archived.file}</code> brings the moves back.</p>`}
  `;
}
