/** What the hall's screen knows besides the matches: the event, who stands where, and ratings. */

/** @import { RoundItem, TournamentDetail, TournamentItem } from "../types/wire.js" */
/** @import { Place } from "./interest.js" */
/** @import { Wish } from "./wall.js" */
/** @import { FeedState } from "./wall_feed.js" */

import { get } from "./api.js";
import { roundShown } from "./event_rounds.js";
import { useJson } from "./hooks.js";
import { useEffect, useState } from "./html.js";
import { fits } from "./wall.js";
import { unsent } from "./wall_feed.js";
import { leaderboardOf } from "./words.js";

const EVENT_MS = 3000; // between two questions how an event stands
const RATINGS_MS = 60_000; // between two for the ratings of a game

/**
 * The event with its round in play, kept up to date.
 *
 * @param {TournamentItem|null} item
 * @param {number} version  another one whenever something has ended
 * @returns {{event: TournamentDetail|null, round: RoundItem|null}}
 */
export function useEvent(item, version) {
  const { value: event } = useJson(item && `tournaments/${item.id}`, version, EVENT_MS);
  const number = event ? roundShown(event) : 0;
  const { value: round } = useJson(number > 0 && item ? /** @type {`tournaments/${string}/rounds/${string}`} */ (`tournaments/${item.id}/rounds/${number}`) : null, version, EVENT_MS);
  return { event, round };
}

/**
 * Where each match of a round stands.
 *
 * @param {TournamentDetail|null} event
 * @param {RoundItem|null} round
 * @returns {Map<string, Place>}
 */
export function placesOf(event, round) {
  const leaders = new Set((event?.standings ?? []).filter(({ rank, played }) => rank === 1 && played > 0).map(({ bot }) => bot));
  const places = (round?.encounters ?? []).flatMap(({ board, bots, matches }) => {
    const place = { round: round?.round ?? 0, board, leader: leaders.size === 1 && bots.some((bot) => leaders.has(bot)) };
    return matches.map(({ match }) => /** @type {[string, Place]} */ ([match, place]));
  });
  return new Map(places);
}

/**
 * The ratings of all on these leaderboards, asked for about once a minute, all games at once: the first large match waits
 * for them.
 *
 * @param {string} names  of leaderboards, with a space between them
 * @returns {Record<string, Record<string, number>>}
 */
export function useRatings(names) {
  const [ratings, setRatings] = useState(/** @type {Record<string, Record<string, number>>} */ ({}));
  useEffect(() => {
    const abort = new AbortController();
    const ask = async (/** @type {string} */ game) => {
      try {
        const { leaders } = await get(`leaderboard/${encodeURIComponent(game)}`, abort.signal);
        const found = Object.fromEntries(leaders.map(({ bot, rating }) => [bot, rating]));
        setRatings((before) => ({ ...before, [game]: found }));
      } catch {
        setRatings((before) => ({ [game]: {}, ...before })); // without ratings what else is known decides; the next minute asks again
      }
    };
    const askAll = () => names.split(" ").filter(Boolean).forEach(ask);
    askAll();
    const timer = setInterval(() => document.hidden || askAll(), RATINGS_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [names]);
  return ratings;
}

/**
 * What the matches in progress have in common.
 *
 * @typedef {object} About
 * @property {number|null} event  the one that all belong to
 * @property {string} games  their leaderboards, with a space between them
 * @property {number} running
 * @property {number} version  another one whenever a match has begun or ended
 */

/** @type {About} */
export const UNKNOWN = { event: null, games: "", running: 0, version: 0 };

/**
 * The same object if nothing has changed. Between two rounds, when nothing is played, it is still the same event.
 *
 * @param {About} before
 * @param {FeedState|null} feed
 * @param {Wish} wish
 * @returns {About}
 */
export function aboutOf(before, feed, wish) {
  if (!feed) return before;
  const version = feed.finished + feed.snapshots + feed.count;
  const shown = [...feed.matches.values()].filter(({ summary, ended }) => ended === Infinity && fits(summary, wish));
  const numbers = new Set(shown.map(({ summary }) => summary.tournament));
  const games = shown.length ? [...new Set(shown.map(({ summary }) => leaderboardOf(summary)))].sort().join(" ") : before.games;
  const event = shown.length ? (numbers.size === 1 ? ([...numbers][0] ?? null) : null) : before.event;
  const now = { event, games, running: shown.length + unsent(feed), version };
  return Object.entries(now).every(([name, value]) => before[/** @type {keyof About} */ (name)] === value) ? before : now;
}
