/**
 * Stepping through a match. A cursor is a ply to look at, or LIVE, which follows the newest position.
 *
 * @typedef {number|null} Cursor
 */

export const LIVE = null;

/** The keys that step, as `KeyboardEvent.key` names them. */
export const STEPS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "live" };

/**
 * The cursor after one step. Stepping on from the last but one ply arrives at the newest and follows it again.
 *
 * @param {Cursor} cursor
 * @param {"back"|"on"|"first"|"live"|number} step  a number jumps to that ply
 * @param {{first: number, last: number}} range  the plies there are
 * @returns {Cursor}
 */
export function move(cursor, step, { first, last }) {
  const at = cursor ?? last;
  const target = { back: at - 1, on: at + 1, first, live: last }[step] ?? step;
  const within = Math.max(first, target);
  return within >= last ? LIVE : within;
}

/** The views of a replay, by ply. In a race one without a scene looks like that entrant's last one. */
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

/** The view to draw for `cursor`: the exact one, else the nearest earlier one that is known, else the newest. */
export function viewAt(views, cursor, newest) {
  if (cursor === LIVE) return newest;
  for (let ply = cursor; ply >= 0; ply -= 1) if (views[ply]) return views[ply];
  return newest;
}

/** Whether every position from `first` to `last` is known. */
export function complete(views, first, last) {
  for (let ply = first; ply <= last; ply += 1) if (!views[ply]) return false;
  return true;
}

/**
 * The move list as it is shown: lines in order, each refused move before the line that was played instead.
 *
 * @returns {({kind: "line", line: object}|{kind: "refusal", refusal: object})[]}
 */
export function rows(lines, refusals) {
  const waiting = [...refusals];
  const shown = [];
  const refusedBefore = (ply) => {
    while (waiting.length && waiting[0].ply < ply) shown.push({ kind: "refusal", refusal: waiting.shift() });
  };
  for (const line of lines) {
    refusedBefore(line.ply);
    shown.push({ kind: "line", line });
  }
  refusedBefore(Infinity);
  return shown;
}

/**
 * At most `most` rows around `ply`, so that a long list stays quick.
 *
 * @returns {{part: object[], before: number, after: number}}  and how many are left out on either side
 */
export function around(shown, ply, most) {
  if (shown.length <= most) return { part: shown, before: 0, after: 0 };
  const at = shown.findIndex((row) => row.line && row.line.ply >= ply);
  const middle = at < 0 ? shown.length : at;
  const first = Math.max(0, Math.min(shown.length - most, middle - Math.floor(most / 2)));
  return { part: shown.slice(first, first + most), before: first, after: shown.length - first - most };
}
