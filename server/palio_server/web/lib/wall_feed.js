/**
 * The matches that the hall's screen may show: all in progress, and those that ended a moment ago and were not shown yet.
 *
 * Folded from the lobby's messages. What is kept is bounded: by the matches in progress, and by `UNSEEN` of the others.
 *
 * @typedef {object} Entry
 * @property {Summary} summary  as it is, or as it ended
 * @property {number} at  when its clocks were true
 * @property {number} order  matches that came later have a higher one
 * @property {number} since  when we heard of it first
 * @property {number} ended  when we heard of its result; Infinity before
 * @property {number[][]} told  by seat, the last few scores that its bot has told, the newest last
 *
 * @typedef {object} Ended  one line of "Just finished"
 * @property {string} match
 * @property {SeatOf[]} seats
 * @property {Result} result
 * @property {number} plies
 * @property {string} game
 * @property {number|null} tournament
 *
 * @typedef {object} FeedState
 * @property {number} seq
 * @property {Map<string, Entry>} matches
 * @property {Ended[]} ended  the newest first
 * @property {number} count  matches that came so far
 * @property {number} finished  grows with each result
 * @property {number} snapshots  grows with each connection
 * @property {number} [playing]  matches in progress that fit, also those that are not sent; unset if all are sent
 */

/** @import { LobbyMessage, Result, SeatOf, Summary } from "../types/wire.js" */

import { Gap } from "./fold.js";

/** Finished matches that may still be shown: more would only be old news. */
export const UNSEEN = 32;

/** How long they may wait for it. */
export const STALE_MS = 15_000;

/** Results in the list of those. */
const LISTED = 24;

const SCORES = 6; // of each seat: enough to see a turn, too few to see a whole game as one

/**
 * @param {FeedState|null} state
 * @param {LobbyMessage} message
 * @param {number} now
 * @returns {FeedState}
 */
export function foldFeed(state, message, now) {
  if (message.type === "lobby") {
    /** @type {Omit<FeedState, "finished"|"snapshots">} */
    const fresh = { seq: message.seq, matches: new Map(), ended: state?.ended ?? [], count: state?.count ?? 0, playing: message.playing };
    const rest = { finished: state?.finished ?? 0, snapshots: (state?.snapshots ?? 0) + 1 };
    return message.matches.reduce((folded, summary) => take(folded, summary, now, state), /** @type {FeedState} */ ({ ...fresh, ...rest }));
  }
  if (message.type !== "update") throw new Gap(`unknown lobby message ${/** @type {{type: string}} */ (message).type}`);
  if (!state) throw new Gap("an update came before the snapshot");
  if (message.seq <= state.seq) return state;
  if (message.seq !== state.seq + 1) throw new Gap(`update ${message.seq} came after ${state.seq}`);
  /** @type {FeedState} */
  const folded = { ...state, seq: message.seq, matches: new Map(state.matches), playing: message.playing };
  return sweep(message.matches.reduce((before, summary) => take(before, summary, now, before), folded), now);
}

/**
 * How many matches are in progress of which only the number is known.
 *
 * @param {FeedState|null} feed
 */
export function unsent(feed) {
  if (feed?.playing === undefined) return 0;
  return Math.max(0, feed.playing - [...feed.matches.values()].filter(({ ended }) => ended === Infinity).length);
}

/**
 * With how a match has ended that was gone: it ended while the connection was lost.
 *
 * @param {FeedState} state
 * @param {Summary} summary
 * @param {number} now
 * @returns {FeedState}
 */
export function foldEnd(state, summary, now) {
  if (!summary.result) return state;
  const folded = { ...state, matches: new Map(state.matches) };
  return sweep(take(folded, summary, now, folded), now);
}

/**
 * @param {FeedState} state  its `matches` are changed
 * @param {Summary} summary
 * @param {number} now
 * @param {FeedState|null} known  where the match may have been before
 * @returns {FeedState}
 */
function take(state, summary, now, known) {
  const old = known?.matches.get(summary.match);
  if (old?.summary.result) return state; // the last word has been said
  if (summary.rests) {
    state.matches.delete(summary.match); // a person has left it alone
    return state;
  }
  const over = Boolean(summary.result);
  const count = old ? state.count : state.count + 1;
  state.matches.set(summary.match, {
    summary,
    at: now,
    order: old?.order ?? count,
    since: old?.since ?? now,
    ended: over ? now : Infinity,
    told: heard(old?.told ?? [], summary.told ?? []),
  });
  return over ? { ...state, count, finished: state.finished + 1, ended: listed(state.ended, summary) } : { ...state, count };
}

/**
 * @param {number[][]} before
 * @param {(number|null)[]} told
 */
function heard(before, told) {
  return told.map((score, seat) => {
    const scores = before[seat] ?? [];
    return score === null || score === scores.at(-1) ? scores : [...scores, score].slice(-SCORES);
  });
}

/**
 * @param {Ended[]} ended
 * @param {Summary} summary
 */
function listed(ended, { match, seats, result, view, game, tournament }) {
  return result ? [{ match, seats, result, plies: view.ply, game, tournament }, ...ended].slice(0, LISTED) : ended;
}

/**
 * Without finished matches that are old news.
 *
 * @param {FeedState} state
 * @param {number} now
 * @returns {FeedState}
 */
function sweep(state, now) {
  const over = [...state.matches.values()].filter(({ ended }) => ended < Infinity).sort((a, b) => b.ended - a.ended);
  for (const [index, { summary, ended }] of over.entries()) {
    if (index >= UNSEEN || now - ended > STALE_MS) state.matches.delete(summary.match);
  }
  return state;
}
