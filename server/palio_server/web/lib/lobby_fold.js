/**
 * The lobby: matches in progress as cards that keep their places.
 *
 * A finished match stays in its place with its result until it has been seen for long enough; then its place is free for
 * the next match. A card never goes to another place, so that the page does not jump while an event runs.
 *
 * @typedef {{summary: Summary, at: number, stands?: boolean}} Card  a match, when its clocks were true, and whether they stand still: the server is not heard
 * @typedef {{seq: number, cards: Card[], playing?: number, here?: number, boards: Record<string, number>, finished: number, crowd: number, snapshots: number}} LobbyState
 *   `playing` matches are in progress and `here` bots connected; unset if the server sends all matches and counts nothing;
 *   `boards` counts, by game, how often its leaderboard has changed; `finished` counts matches seen to end; `crowd` counts
 *   how often bots have come, gone, begun to play or become free; `snapshots` counts the times from which on we know: what has happened before, or between two of them, nobody has told us
 */

/** @import { LobbyMessage, Summary } from "../types/wire.js" */

import { Gap } from "./fold.js";

/** How long a result stays before its place is used again, unless so many end that there is no room for all. */
export const SHOWN_MS = 8000;

/** How long a finished match keeps its place if nothing else wants it. */
export const LINGER_MS = 16_000;

/** How many finished matches may wait like that: very short matches end by the dozen. */
export const LINGERING = 8;

/**
 * @returns {LobbyState}
 * @param {LobbyState|null} state
 * @param {LobbyMessage} message
 * @param {number} now
 */
export function foldLobby(state, message, now) {
  if (message.type === "lobby") {
    return {
      seq: message.seq,
      cards: renewed(state?.cards ?? [], message.matches, now),
      playing: message.playing,
      here: message.here,
      boards: state?.boards ?? {},
      finished: state?.finished ?? 0,
      crowd: state?.crowd ?? 0,
      snapshots: (state?.snapshots ?? 0) + 1,
    };
  }
  if (message.type !== "update") throw new Gap(`unknown lobby message ${/** @type {{type: string}} */ (message).type}`);
  if (!state) throw new Gap("an update came before the snapshot");
  if (message.seq <= state.seq) return state;
  if (message.seq !== state.seq + 1) throw new Gap(`update ${message.seq} came after ${state.seq}`);
  const [cards, begun] = placed(state.cards, message.matches, now);
  const ended = message.ended ?? message.matches.filter((summary) => summary.result).length;
  return {
    ...state,
    seq: message.seq,
    cards,
    playing: message.playing,
    here: message.here,
    boards: count(state.boards, message.leaderboards ?? []),
    finished: state.finished + ended,
    crowd: state.crowd + (message.bots || (message.playing === undefined && (begun || ended)) ? 1 : 0),
  };
}

/**
 * The lobby without the finished matches that have lingered long enough; the same value if there are none. One with others
 * behind it stays until its place is taken, so that these do not move.
 *
 * @param {LobbyState} state
 * @param {number} now
 * @returns {LobbyState}
 */
export function expire(state, now) {
  const last = state.cards.findLastIndex((card) => !card.summary.result || now - card.at < LINGER_MS);
  return last + 1 === state.cards.length ? state : { ...state, cards: state.cards.slice(0, last + 1) };
}

/**
 * Another number whenever there may be another result.
 *
 * @param {LobbyState|null} state
 */
export function resultsVersion(state) {
  return state ? state.finished + state.snapshots : 0;
}

/**
 * Another number whenever other bots may be here, or others of them be free.
 *
 * @param {LobbyState|null} state
 */
export function crowdVersion(state) {
  return state ? state.crowd + state.snapshots : 0;
}

/**
 * Another number whenever the leaderboard of `game` may have changed.
 *
 * @param {LobbyState|null} state
 * @param {string} game
 */
export function boardVersion(state, game) {
  return state ? (state.boards[game] ?? 0) + state.snapshots : 0;
}

/**
 * How many matches are still being played.
 *
 * @param {LobbyState} state
 */
export function playing(state) {
  return state.playing ?? state.cards.filter((card) => !card.summary.result).length;
}

/**
 * The cards after a snapshot: those that are still played and those with a result where they were, then the others.
 *
 * @param {Card[]} cards
 * @param {Summary[]} matches
 * @param {number} now
 */
function renewed(cards, matches, now) {
  const played = new Set(matches.map(({ match }) => match));
  const kept = cards.filter(({ summary }) => summary.result || played.has(summary.match));
  return placed(kept, matches, now)[0];
}

/**
 * Each match in its own place; a new one in that of the result that has been seen for longest, if it has been seen for
 * long enough or there are too many of them, else at the end. One that a person has left alone is no longer there.
 *
 * @param {Card[]} cards
 * @param {Summary[]} matches
 * @param {number} now
 * @returns {[Card[], number]}  the cards, and how many of the matches had none
 */
function placed(cards, matches, now) {
  const all = [...cards];
  const places = new Map(all.map(({ summary }, index) => [summary.match, index])); // there may be thousands
  let begun = 0;
  for (const summary of matches) {
    const known = places.get(summary.match);
    begun += known === undefined ? 1 : 0;
    if (summary.rests) {
      if (known !== undefined) {
        all.splice(known, 1);
        for (let index = known; index < all.length; index += 1) places.set(all[index].summary.match, index);
        places.delete(summary.match);
      }
      continue;
    }
    const index = known ?? placeOfResult(all, now) ?? all.length;
    if (index < all.length) places.delete(all[index].summary.match);
    all[index] = { summary, at: now };
    places.set(summary.match, index);
  }
  return [all, begun];
}

/**
 * Where the result stands that has been seen for longest, if its place is free.
 *
 * @param {Card[]} cards
 * @param {number} now
 */
export function placeOfResult(cards, now) {
  let [oldest, finished] = [-1, 0];
  cards.forEach(({ summary, at }, index) => {
    if (!summary.result) return;
    finished += 1;
    if (oldest < 0 || at < cards[oldest].at) oldest = index;
  });
  return oldest >= 0 && (now - cards[oldest].at >= SHOWN_MS || finished >= LINGERING) ? oldest : undefined;
}

/**
 * @param {Record<string, number>} boards
 * @param {string[]} games
 * @returns {Record<string, number>}
 */
function count(boards, games) {
  return games.reduce((counted, game) => ({ ...counted, [game]: (counted[game] ?? 0) + 1 }), boards);
}
