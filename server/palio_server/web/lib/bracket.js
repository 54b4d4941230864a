/**
 * Where the boxes of a bracket stand, and the lines between them.
 *
 * @typedef {{match: BracketMatch, round: number, x: number, y: number}} Box  the upper left corner; rounds from 0
 * @typedef {{d: string, bot: string|null}} Line  a path, and who has gone along it
 * @typedef {{boxes: Box[], lines: Line[], width: number, height: number, third: Box|null, titles: {title: string, x: number}[]}} Drawing
 */

/** @import { Bracket, BracketMatch } from "../types/wire.js" */

export const SIZE = { width: 208, height: 60, gap: 36, across: 244, widest: 340, down: 84, top: 36, label: 30 };

/** @param {number} across */
export function boxWidth(across) {
  return across - SIZE.gap;
}

/**
 * How far apart rounds stand that fill `room` pixels, within what can be read.
 *
 * @param {number} rounds
 * @param {number} room
 */
export function spread(rounds, room) {
  return Math.floor(Math.min(SIZE.widest, Math.max(SIZE.across, (room + SIZE.gap) / rounds)));
}

/**
 * Each match stands half-way between those whose winners meet in it, so that no lines cross.
 *
 * @param {Bracket} bracket
 * @param {number} [across]  from one round to the next, in pixels
 * @returns {Drawing}
 */
export function layout(bracket, across = SIZE.across) {
  const rounds = bracket.rounds.map(({ matches }) => matches);
  const round = new Map(rounds.flatMap((matches, index) => matches.map((match) => [match.id, { match, index }])));
  /** @type {Map<string, Box>} */
  const placed = new Map();
  let slots = 0;
  /** @type {(match: BracketMatch, index: number) => number} */
  const put = (match, index) => {
    const feeders = match.sources.flatMap((id) => round.get(id) ?? []).filter((from) => from.index < index);
    const heights = feeders.map((from) => placed.get(from.match.id)?.y ?? put(from.match, from.index));
    const y = heights.length ? (Math.min(...heights) + Math.max(...heights)) / 2 : SIZE.top + SIZE.down * slots++;
    placed.set(match.id, { match, round: index, x: across * index, y });
    return y;
  };
  rounds.toReversed().forEach((matches, back) => matches.forEach((match) => placed.has(match.id) || put(match, rounds.length - 1 - back)));
  const boxes = [...placed.values()].sort((a, b) => a.round - b.round || a.y - b.y);
  const last = rounds.length - 1;
  const low = Math.max(0, ...boxes.filter((box) => box.round === last).map(({ y }) => y));
  const third = bracket.third_place ? { match: bracket.third_place, round: last, x: across * last, y: low + SIZE.down + SIZE.label } : null;
  return {
    boxes,
    third,
    lines: boxes.flatMap((box) => box.match.sources.flatMap((id) => line(placed.get(id), box, across))),
    titles: bracket.rounds.map(({ title }, index) => ({ title, x: across * index })),
    width: across * last + boxWidth(across),
    height: Math.max(...[...boxes, ...(third ? [third] : [])].map(({ y }) => y + SIZE.height), SIZE.top) + 24,
  };
}

/**
 * @param {Box|undefined} from
 * @param {Box} to
 * @param {number} across
 * @returns {Line[]}
 */
function line(from, to, across) {
  if (!from || to.match.losers) return [];
  const middle = to.x - SIZE.gap / 2;
  const half = SIZE.height / 2;
  return [{ d: `M${from.x + boxWidth(across)} ${from.y + half}H${middle}V${to.y + half}H${to.x}`, bot: from.match.winner }];
}

/**
 * Who is to come where nobody is known yet: "winner of semi-final 2"; "" where nobody will.
 *
 * @param {BracketMatch} match
 * @param {number} place
 */
export function comer({ sources, losers, decided }, place) {
  const source = sources[place];
  if (source) return `${losers ? "loser" : "winner"} of ${source}`;
  return decided === "bye" ? "bye" : "not known yet";
}

/**
 * The matches of a bot, first to last.
 *
 * @param {Bracket} bracket
 * @param {string} bot
 * @returns {BracketMatch[]}
 */
export function wayOf(bracket, bot) {
  const all = [...bracket.rounds.flatMap(({ matches }) => matches), ...(bracket.third_place ? [bracket.third_place] : [])];
  return all.filter(({ bots }) => bots.includes(bot));
}

/**
 * Whose way is shown when nobody has been picked: the winner's, or that of the first who has come to the last round.
 *
 * @param {Bracket} bracket
 * @returns {string|null}
 */
export function foremost(bracket) {
  const last = bracket.rounds.at(-1)?.matches ?? [];
  return last.find(({ winner }) => winner)?.winner ?? last.flatMap(({ bots }) => bots).find((bot) => bot !== null) ?? null;
}

/**
 * Where in the bracket these bots meet now.
 *
 * @param {Bracket} bracket
 * @param {string[]} bots
 * @returns {BracketMatch|undefined}
 */
export function pairingOf(bracket, bots) {
  const all = [...bracket.rounds.flatMap(({ matches }) => matches), ...(bracket.third_place ? [bracket.third_place] : [])];
  return all.findLast((match) => bots.length === match.bots.length && match.bots.every((bot) => bot !== null && bots.includes(bot)));
}

/**
 * Whether both are known and neither has won.
 *
 * @param {BracketMatch} match
 */
export function isOpen({ bots, winner }) {
  return winner === null && bots.length > 1 && bots.every((bot) => bot !== null);
}

/**
 * The index of the round in which something is to be played; the first one if all is decided, and the bracket is read from its beginning.
 *
 * @param {Bracket} bracket
 */
export function liveRound({ rounds }) {
  return Math.max(0, rounds.findIndex(({ matches }) => matches.some(isOpen)));
}
