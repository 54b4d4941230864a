/**
 * One match as its viewer sees it: a snapshot, then numbered deltas, folded into one frozen value after another.
 *
 * Pure: the time comes in as an argument, and nothing is changed in place. `types/wire.d.ts` has the messages.
 *
 * @typedef {object} MatchState
 * @property {number} seq  number of the last delta that is in here
 * @property {Summary} summary  the match, with its newest view, absences and result
 * @property {PlyView[]} lines  the move list
 * @property {RejectedMoveView[]} refusals  rejected moves
 * @property {Record<number, View>} views  every position seen so far, by ply
 * @property {View[]} boards  of a race: the newest board of each entrant; else none
 * @property {(number|null)[]} clocks  milliseconds left by seat, at the moment `at`
 * @property {(number|null)[]} [movesToGo]  by seat: moves until the clock gains its time again
 * @property {number} at  when `clocks` was true, in the caller's milliseconds
 * @property {number[]} since  of a race: when each entrant was asked for its next move, as far as we know
 * @property {boolean} running  whether the clock of the seat to move runs; in a race, those of all that still race
 * @property {Record<number, {ms: number, at: number}>} grace  by absent seat: how long it may still stay away
 * @property {number} analyses  grows whenever there may be an analysis that we do not know: at each snapshot, and when the server says so
 * @property {number|null} wentBack  the ply after which another server went on, when plies that were shown here were lost with the first one; null: none were
 * @property {number|null} viewers  how many watch it here; null: not known yet
 * @property {News} news  the newest thing that happened
 *
 * @typedef {object} News
 * @property {string} kind
 * @property {number} [seat]  to whom it happened
 * @property {string} [text]  a move, or a reason
 * @property {number|null} [cost]  of a race: what the entrant's solution costs now
 * @property {number} [ply]
 */

/** @import { Finished, MatchMessage, MatchSnapshot, PlyView, RejectedMoveView, Summary, View } from "../types/wire.js" */

import { isRace } from "./race.js";
import { raced } from "./race_fold.js";

/** A delta is missing: the caller asks for a fresh snapshot. */
export class Gap extends Error {}

/**
 * @param {MatchState|null} state
 * @param {MatchMessage} message
 * @param {number} now  milliseconds, of any steady clock
 * @returns {MatchState}
 */
export function foldMatch(state, message, now) {
  if (message.type === "match") {
    const found = fromSnapshot(message, now, (state?.analyses ?? 0) + 1);
    const viewers = state?.viewers ?? null;
    const common = state ? commonPlies(state.lines, message.lines) : 0;
    if (!state || common === state.lines.length) return { ...found, wentBack: state?.wentBack ?? null, viewers };
    return { ...found, wentBack: common, viewers, news: { kind: "went-back", ply: common } };
  }
  if (!state) throw new Gap("a delta came before the snapshot");
  if (message.type === "analysed") return { ...state, analyses: state.analyses + 1, news: { kind: "analysed" } };
  if (message.type === "viewers") return { ...state, viewers: message.count };
  if (message.seq <= state.seq) return state; // sent twice: once in the snapshot, once on its own
  if (message.seq !== state.seq + 1) throw new Gap(`delta ${message.seq} came after ${state.seq}`);
  return { ...state, ...change(state, message, now), seq: message.seq };
}

/**
 * The number of first plies that two lists share.
 *
 * @param {PlyView[]} one
 * @param {PlyView[]} other
 */
function commonPlies(one, other) {
  const differ = one.findIndex(({ ply, seat, move }, at) => {
    const also = other[at];
    return also?.ply !== ply || also.seat !== seat || also.move !== move;
  });
  return differ === -1 ? one.length : differ;
}

/**
 * @param {MatchSnapshot} snapshot
 * @param {number} now
 * @param {number} analyses
 * @returns {Omit<MatchState, "viewers" | "wentBack">}
 */
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
    movesToGo: summary.view.moves_to_go,
    at: now,
    since: boards.map(() => now),
    running,
    grace: {},
    analyses,
    news: { kind: "snapshot" },
  };
}

/**
 * What a delta changes.
 *
 * @param {MatchState} state
 * @param {Exclude<MatchMessage, {type: "match"|"analysed"|"viewers"}>} delta
 * @param {number} now
 * @returns {Partial<MatchState>}
 */
function change(state, delta, now) {
  const { summary } = state;
  switch (delta.type) {
    case "started":
      return started(state, delta.summary, now);
    case "played": {
      const { line, view } = delta;
      return {
        summary: { ...summary, view },
        lines: [...state.lines, line],
        clocks: view.clocks_ms,
        movesToGo: view.moves_to_go,
        at: now,
        ...(isRace(summary) ? raced(state, line, view, now) : moved(state, line, view)),
      };
    }
    case "refused": {
      const { refusal: rejection, clocks_ms: clocks } = delta;
      const news = { kind: "rejected", seat: rejection.seat, text: rejection.reason };
      return { refusals: [...state.refusals, rejection], clocks, at: now, news };
    }
    case "absent": {
      const { seat, grace_ms: ms } = delta;
      return {
        summary: { ...summary, absent: [...new Set([...summary.absent, seat])] },
        grace: { ...state.grace, [seat]: { ms, at: now } },
        news: { kind: "absent", seat },
      };
    }
    case "back": {
      const { seat } = delta;
      const { [seat]: _, ...grace } = state.grace;
      const absent = summary.absent.filter((other) => other !== seat);
      return { summary: { ...summary, absent }, grace, news: { kind: "back", seat } };
    }
    case "finished":
      return finished(state, delta, now);
    default:
      throw new Gap(`unknown delta ${/** @type {{type: string}} */ (delta).type}`); // of a newer server
  }
}

/**
 * @param {MatchState} state
 * @param {Summary} summary
 * @param {number} now
 * @returns {Partial<MatchState>}
 */
function started(state, summary, now) {
  return {
    summary,
    views: isRace(summary) ? state.views : { ...state.views, [summary.view.ply]: summary.view },
    clocks: summary.view.clocks_ms,
    movesToGo: summary.view.moves_to_go,
    at: now,
    since: state.boards.map(() => now),
    running: !summary.result,
    news: { kind: "started" },
  };
}

/**
 * @param {MatchState} state
 * @param {Finished} delta
 * @param {number} now
 * @returns {Partial<MatchState>}
 */
function finished(state, { result, view }, now) {
  return {
    summary: { ...state.summary, view, result, absent: [] },
    views: isRace(state.summary) ? state.views : { ...state.views, [view.ply]: view },
    boards: state.boards.map((board) => ({ ...board, to_move: null })),
    clocks: view.clocks_ms,
    movesToGo: view.moves_to_go,
    at: now,
    running: false,
    grace: {},
    news: { kind: "finished" },
  };
}

/**
 * @param {MatchState} state
 * @param {PlyView} line
 * @param {View} view
 * @returns {Partial<MatchState>}
 */
function moved({ views }, line, view) {
  return {
    views: { ...views, [view.ply]: view },
    running: view.to_move !== null,
    news: { kind: "played", seat: line.seat, text: line.move, ply: line.ply },
  };
}
