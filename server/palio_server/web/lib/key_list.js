/**
 * What the keys do, in words, for the list that `?` opens.
 *
 * @typedef {[keys: string, does: string][]} Keys
 * @typedef {{title: string, keys: Keys}} KeyGroup
 */

import { LETTERS } from "./shortcuts.js";

/** @type {Keys} */
const EVERYWHERE = [
  ["/", "search bots, games, events and results"],
  ...Object.entries(LETTERS).map(([letter, view]) => /** @type {[string, string]} */ ([`g ${letter}`, `go to ${view === "lobby" ? "the live matches" : view}`])),
  ["?", "show and hide this list"],
];

/** @type {Keys} */
const BOARD = [
  ["arrows", "move over the board"],
  ["Enter", "pick a piece up, put it down"],
  ["Esc", "let go of it"],
  ["p", "pass, in games with that choice"],
];

/** @type {Keys} */
const STEPS = [
  ["← →", "one ply back, one ply on"],
  ["Home End", "the first position, the last one"],
  ["space", "play the match, pause it"],
  ["+ -", "faster, slower"],
  ["f", "turn the board"],
  ["c", "copy the link at this ply"],
  ["t", "try moves from this position"],
];

/** @type {Record<string, KeyGroup>} */
const OF_VIEW = {
  match: { title: "A match", keys: STEPS },
  play: {
    title: "Play",
    keys: [...BOARD, ["h", "a hint; twice: the solution of a puzzle"], ["1…9", "the best move at that depth"], ["z", "take back"], ["r", "a random move"], ["f", "turn the board"], ["d", "offer a friend a draw, accept one (it asks once)"], ["q", "give up (it asks once)"]],
  },
  try: { title: "Try moves", keys: [...BOARD, ["← →", "one move back, one on again"], ["f", "turn the board"]] },
  tv: { title: "The hall", keys: [["n", "another match, large"], ["p", "pin the large match, let it go"], ["+ -", "more boards, fewer"], ["f", "full screen"]] },
};

/**
 * The keys of a view, its own first.
 *
 * @param {string} view
 * @param {boolean} bare  whether it has the whole page, without search and menu
 * @returns {KeyGroup[]}
 */
export function keysOf(view, bare) {
  const own = OF_VIEW[view] ? [OF_VIEW[view]] : [];
  const everywhere = bare ? EVERYWHERE.slice(-1) : EVERYWHERE;
  return [...own, { title: "Everywhere", keys: everywhere }];
}
