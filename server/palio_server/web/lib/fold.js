/**
 * One match as its viewer sees it: a snapshot, then numbered deltas, folded into one frozen value after another.
 *
 * Pure: the time comes in as an argument, and nothing is changed in place. The messages are those of palio_rules/live.py.
 *
 * @typedef {object} MatchState
 * @property {number} seq  number of the last delta that is in here
 * @property {object} summary  the match as in live.Summary, with its newest view, absences and result
 * @property {object[]} lines  the move list (live.PlyView)
 * @property {object[]} refusals  refused moves (live.RefusalView)
 * @property {Object<number, object>} views  every position seen so far, by ply
 * @property {object[]} boards  of a race: the newest board (live.View) of each entrant; else none
 * @property {(number|null)[]} clocks  milliseconds left by seat, at the moment `at`
 * @property {number} at  when `clocks` was true, in the caller's milliseconds
 * @property {number[]} since  of a race: when each entrant was asked for its next move, as far as we know
 * @property {boolean} running  whether the clock of the seat to move runs; in a race, those of all that still race
 * @property {Object<number, {ms: number, at: number}>} grace  by absent seat: how long it may still stay away
 * @property {number} analyses  grows whenever there may be an analysis that we do not know: at each snapshot, and when told
 * @property {{kind: string, seat?: number, text?: string}} news  the newest thing that happened
 */

import { isRace } from "./race.js";
import { raced } from "./race_fold.js";

/** A delta is missing: the caller asks for a fresh snapshot. */
export class Gap extends Error {}

/**
 * @param {MatchState|null} state
 * @param {object} message  a live message for one match
 * @param {number} now  milliseconds, of any steady clock
 * @returns {MatchState}
 */
export function foldMatch(state, message, now) {
  if (message.type === "match") return fromSnapshot(message, now, (state?.analyses ?? 0) + 1);
  if (!state) throw new Gap("a delta came before the snapshot");
  if (message.type === "analysed") return { ...state, analyses: state.analyses + 1, news: { kind: "analysed" } };
  if (message.seq <= state.seq) return state; // sent twice: once in the snapshot, once on its own
  if (message.seq !== state.seq + 1) throw new Gap(`delta ${message.seq} came after ${state.seq}`);
  const next = DELTAS[message.type];
  if (!next) throw new Gap(`unknown delta ${message.type}`);
  return { ...state, ...next(state, message, now), seq: message.seq };
}

function fromSnapshot({ seq, summary, lines, refusals, boards = [] }, now, analyses) {
  const running = !summary.result && seq > 0;
  const newest = boards[lines.at(-1)?.seat ?? 0] ?? summary.view;
  return {
    seq,
    summary,
    lines,
    refusals,
    views: { [newest.ply]: newest },
    boards,
    clocks: summary.view.clocks_ms,
    at: now,
    since: boards.map(() => now),
    running,
    grace: {},
    analyses,
    news: { kind: "snapshot" },
  };
}

const DELTAS = {
  started: (state, { summary }, now) => ({
    summary,
    views: isRace(summary) ? state.views : { ...state.views, [summary.view.ply]: summary.view },
    clocks: summary.view.clocks_ms,
    at: now,
    since: state.boards.map(() => now),
    running: !summary.result,
    news: { kind: "started" },
  }),

  played: (state, { line, view }, now) => ({
    summary: { ...state.summary, view },
    lines: [...state.lines, line],
    clocks: view.clocks_ms,
    at: now,
    ...(isRace(state.summary) ? raced(state, line, view, now) : moved(state, line, view)),
  }),

  refused: (state, { refusal, clocks_ms: clocks }, now) => ({
    refusals: [...state.refusals, refusal],
    clocks,
    at: now,
    news: { kind: "refused", seat: refusal.seat, text: refusal.reason },
  }),

  absent: (state, { seat, grace_ms: ms }, now) => ({
    summary: { ...state.summary, absent: [...new Set([...state.summary.absent, seat])] },
    grace: { ...state.grace, [seat]: { ms, at: now } },
    news: { kind: "absent", seat },
  }),

  back: (state, { seat }) => {
    const { [seat]: _, ...grace } = state.grace;
    return {
      summary: { ...state.summary, absent: state.summary.absent.filter((other) => other !== seat) },
      grace,
      news: { kind: "back", seat },
    };
  },

  finished: (state, { result, view }, now) => ({
    summary: { ...state.summary, view, result, absent: [] },
    views: isRace(state.summary) ? state.views : { ...state.views, [view.ply]: view },
    boards: state.boards.map((board) => ({ ...board, to_move: null })),
    clocks: view.clocks_ms,
    at: now,
    running: false,
    grace: {},
    news: { kind: "finished" },
  }),
};

function moved({ views }, line, view) {
  return {
    views: { ...views, [view.ply]: view },
    running: view.to_move !== null,
    news: { kind: "played", seat: line.seat, text: line.move, ply: line.ply },
  };
}
