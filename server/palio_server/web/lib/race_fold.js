/** One ply of a race, folded into what `fold.js` keeps of it. */

/** @import { PlyView, View } from "../types/wire.js" */

import { happened } from "./race.js";

/**
 * What a ply changes in a race's state besides its lines and clocks.
 *
 * @param {import("./fold.js").MatchState} state
 * @param {PlyView} line
 * @param {View} view  the board of `line.seat`
 * @param {number} now
 * @returns {Partial<import("./fold.js").MatchState>}
 */
export function raced({ summary, views, boards, since }, line, view, now) {
  const race = view.race ?? [];
  const same = sharing(boards[line.seat], view);
  return {
    views: { ...views, [view.ply]: same },
    boards: boards.with(line.seat, same),
    since: since.with(line.seat, now),
    running: race.some(({ end }) => end === null),
    news: happened(summary.view.race, race, line.seat),
  };
}

/**
 * `view` with the scene of the view before where nothing moved: hundreds of cities are not kept for each ply anew.
 *
 * @param {View|undefined} before
 * @param {View} view
 * @returns {View}
 */
function sharing(before, view) {
  const [old, scene] = [before?.scene, view.scene];
  if (!old || !scene) return view;
  const alike = (/** @type {unknown[]} */ a, /** @type {unknown[]} */ b) => a.length === b.length && String(a) === String(b);
  if (!alike(old.marks, scene.marks)) return view;
  const path = alike(old.path ?? [], scene.path ?? []) ? old.path : scene.path;
  return { ...view, scene: path === old.path && alike(old.last ?? [], scene.last ?? []) ? old : { ...scene, marks: old.marks, path } };
}
