/**
 * Stepping through a match. A cursor is a ply to look at, or LIVE, which follows the newest position.
 *
 * @typedef {number|null} Cursor
 * @typedef {"back"|"on"|"first"|"live"|number} Step  a number jumps to that ply
 * @typedef {{first: number, last: number}} Range  the plies there are
 * @typedef {{kind: "line", line: PlyView}|{kind: "rejection", rejection: RejectedMoveView}} Row  of the move list
 */

/** @import { PlyView, RejectedMoveView, View } from "../types/wire.js" */

/** @type {null} */
export const LIVE = null;

/**
 * The cursor after one step. Stepping on from the last but one ply arrives at the newest and follows it again.
 *
 * @param {Cursor} cursor
 * @param {Step} step
 * @param {Range} range
 * @returns {Cursor}
 */
export function move(cursor, step, { first, last }) {
  const at = cursor ?? last;
  const target = typeof step === "number" ? step : { back: at - 1, on: at + 1, first, live: last }[step];
  const within = Math.max(first, target);
  return within >= last ? LIVE : within;
}

/**
 * The views of a replay, by ply. In a race one without a scene looks like that entrant's last one.
 *
 * @param {View[]} views
 * @returns {Record<number, View>}
 */
export function byPly(views) {
  const scenes = new Map(); // by entrant
  return Object.fromEntries(
    views.map((view) => {
      const { seat = null } = view;
      const scene = view.scene ?? (seat === null ? null : (scenes.get(seat) ?? null));
      scenes.set(seat, scene);
      return [view.ply, scene === view.scene ? view : { ...view, scene }];
    }),
  );
}

/**
 * The view to draw for `cursor`: the exact one, else the nearest earlier one that is known, else the newest.
 *
 * @param {Record<number, View>} views
 * @param {Cursor} cursor
 * @param {View} newest
 */
export function viewAt(views, cursor, newest) {
  if (cursor === LIVE) return newest;
  for (let ply = cursor; ply >= 0; ply -= 1) if (views[ply]) return views[ply];
  return newest;
}

/**
 * Whether every position from `first` to `last` is known.
 *
 * @param {Record<number, View>} views
 * @param {number} first
 * @param {number} last
 */
export function complete(views, first, last) {
  for (let ply = first; ply <= last; ply += 1) if (!views[ply]) return false;
  return true;
}

/**
 * The move list as it is shown: lines in order, each rejected move before the line that was played instead.
 *
 * @param {PlyView[]} lines
 * @param {RejectedMoveView[]} refusals
 * @returns {Row[]}
 */
export function rows(lines, refusals) {
  const waiting = [...refusals];
  /** @type {Row[]} */
  const shown = [];
  const rejectedBefore = (/** @type {number} */ ply) => {
    const next = waiting.findIndex((rejection) => rejection.ply >= ply);
    const before = waiting.splice(0, next < 0 ? waiting.length : next);
    shown.push(...before.map((rejection) => ({ kind: /** @type {const} */ ("rejection"), rejection })));
  };
  for (const line of lines) {
    rejectedBefore(line.ply);
    shown.push({ kind: "line", line });
  }
  rejectedBefore(Infinity);
  return shown;
}

/**
 * At most `most` rows around `ply`, so that a long list stays quick.
 *
 * @param {Row[]} shown
 * @param {number} ply
 * @param {number} most
 * @returns {{part: Row[], before: number, after: number}}  and how many are left out on either side
 */
export function around(shown, ply, most) {
  if (shown.length <= most) return { part: shown, before: 0, after: 0 };
  const at = shown.findIndex((row) => row.kind === "line" && row.line.ply >= ply);
  const middle = at < 0 ? shown.length : at;
  const first = Math.max(0, Math.min(shown.length - most, middle - Math.floor(most / 2)));
  return { part: shown.slice(first, first + most), before: first, after: shown.length - first - most };
}

/**
 * The ply that an address asks for (`?ply=45`); LIVE where it asks for none, or for what is no ply.
 *
 * @param {URLSearchParams} [query]
 * @returns {Cursor}
 */
export function plyAsked(query) {
  const text = query?.get("ply") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : LIVE;
}
