/** One ply of a race, folded into what `fold.js` keeps of it. */

import { happened } from "./race.js";

/**
 * What a ply changes in a race's state besides its lines and clocks.
 *
 * @param {import("./fold.js").MatchState} state
 * @param {object} line  live.PlyView
 * @param {object} view  live.View, the board of `line.seat`
 * @param {number} now
 */
export function raced({ summary, views, boards, since }, line, view, now) {
  const same = sharing(boards[line.seat], view);
  return {
    views: { ...views, [view.ply]: same },
    boards: boards.with(line.seat, same),
    since: since.with(line.seat, now),
    running: view.race.some(({ end }) => end === null),
    news: happened(summary.view.race, view.race, line.seat),
  };
}

/** `view` with the scene of the view before where nothing moved: hundreds of cities are not kept for each ply anew. */
function sharing(before, view) {
  const [old, scene] = [before?.scene, view.scene];
  if (!old || !scene) return view;
  const alike = (a, b) => a.length === b.length && String(a) === String(b);
  if (!alike(old.marks, scene.marks)) return view;
  const path = alike(old.path ?? [], scene.path ?? []) ? old.path : scene.path;
  return { ...view, scene: path === old.path && alike(old.last ?? [], scene.last ?? []) ? old : { ...scene, marks: old.marks, path } };
}
