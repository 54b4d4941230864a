/**
 * The hall's screen: which match is large, which are small, and for how long.
 *
 * Pure: `arrange` takes the wall as it is, what there is to show, what is wished and the time, and gives the next wall.
 * It promises: a card stays `SHOWN_MS` at least and never changes its place; a result stays until it has been seen; the
 * large match changes at its end, or for a pin; whoever waits comes by turns.
 *
 * @typedef {object} Shown  a match on the screen
 * @property {Entry} entry
 * @property {number} shown  since when it has been in its place
 * @property {number} over  since when its result has been there to see; Infinity before
 * @property {number} gone  since when the server knows no more of it, though it had no result; Infinity if it does
 * @property {string} why  why it is the large one
 *
 * @typedef {object} Wall
 * @property {Shown|null} hero  the large one
 * @property {(Shown|null)[]} slots  the small ones, each in its place
 * @property {Map<string, number>} left  when those that were here, and may come again, left
 * @property {Set<string>} done  matches whose result has been here long enough
 * @property {Set<string>} passed  matches that somebody has turned away from, as the large one
 * @property {number} waiting  how many in progress have no place
 * @property {number} turn  when the next of them has; Infinity if nobody waits
 *
 * @typedef {object} Wish
 * @property {number} boards  small ones at most
 * @property {string[]} pins  matches that stay, the first one large
 * @property {number|null} event
 * @property {string} game  "" for all
 * @property {string} bot
 * @property {boolean} [next]  whether the large match shall be another one now
 */

/** @import { Summary } from "../types/wire.js" */
/** @import { Known } from "./interest.js" */
/** @import { Entry, FeedState } from "./wall_feed.js" */

import { interest, NOTHING, why } from "./interest.js";
import { inReadingOrder } from "./wall_grid.js";

/** A small card stays so long at least. */
export const SHOWN_MS = 6000;

/** A result stays so long before the place is used again. */
export const RESULT_MS = 8000;

/** A large result, likewise. */
export const HERO_MS = 12_000;

/** So long a match that is gone may still say how it ended. */
export const ASKED_MS = 3000;

/** After so long a card makes room for a match that waits. */
export const TURN_MS = 20_000;

/** A result that nobody wants the place of goes all the same. */
export const LINGER_MS = 60_000;

/** @type {Wall} */
export const EMPTY = { hero: null, slots: [], left: new Map(), done: new Set(), passed: new Set(), waiting: 0, turn: Infinity };

/**
 * @param {Wall} wall
 * @param {FeedState} feed
 * @param {Wish} wish
 * @param {number} now
 * @param {Known} [known]
 * @returns {Wall}
 */
export function arrange(wall, feed, wish, now, known = NOTHING) {
  const left = new Map([...wall.left].filter(([match]) => feed.matches.has(match)));
  const done = new Set([...wall.done].filter((match) => feed.matches.has(match)));
  /** @type {(Shown|null)[]} */
  const slots = Array.from({ length: wish.boards }, (_, place) => renewed(wall.slots[place] ?? null, feed, now));
  const old = renewed(wall.hero, feed, now);
  const passed = turnedFrom(wall, feed, wish);
  const hero = chooseHero(old, slots, feed, wish, { now, known, done, passed });
  if (hero?.entry.summary.match !== old?.entry.summary.match) move(hero, old, slots, wish, { now, left, done });

  const leave = (/** @type {number} */ place) => {
    const shown = slots[place];
    slots[place] = null;
    if (!shown) return;
    left.set(shown.entry.summary.match, now);
    if (shown.over < Infinity) done.add(shown.entry.summary.match);
  };
  for (const place of slots.keys()) if (mustLeave(slots[place], wish, now)) leave(place);

  const waiting = queue(slots, hero, feed, wish, { left, done });
  const free = slots.flatMap((shown, place) => (shown ? [] : [place]));
  const short = waiting.length - free.length;
  if (short > 0) for (const place of mayLeave(slots, wish, now).slice(0, short)) leave(place);
  const places = slots.flatMap((shown, place) => (shown ? [] : [place])).slice(0, waiting.length); // the grid stays small
  for (const place of places.sort(inReadingOrder)) slots[place] = card(/** @type {Entry} */ (waiting.shift()), now);
  return { hero, slots, left, done, passed, waiting: waiting.filter(runs).length, turn: turn(slots, waiting) };
}

/**
 * The same card with what is new of its match; the same object if nothing is.
 *
 * @param {Shown|null} shown
 * @param {FeedState} feed
 * @param {number} now
 * @returns {Shown|null}
 */
function renewed(shown, feed, now) {
  if (!shown || shown.over < Infinity) return shown;
  const entry = feed.matches.get(shown.entry.summary.match);
  if (!entry) return shown.gone < Infinity ? shown : { ...shown, gone: now };
  if (entry === shown.entry && shown.gone === Infinity) return shown;
  return { ...shown, entry, gone: Infinity, over: entry.summary.result ? now : Infinity };
}

/**
 * The matches in progress that somebody has turned away from; when it is all of them, it starts again.
 *
 * @param {Wall} wall
 * @param {FeedState} feed
 * @param {Wish} wish
 */
function turnedFrom(wall, feed, wish) {
  const running = [...feed.matches.values()].filter((entry) => runs(entry) && fits(entry.summary, wish)).map(({ summary }) => summary.match);
  const passed = new Set([...wall.passed].filter((match) => running.includes(match)));
  const hero = wall.hero?.entry.summary.match;
  if (!wish.next || hero === undefined) return passed;
  return running.every((match) => match === hero || passed.has(match)) ? new Set([hero]) : passed.add(hero);
}

/**
 * @param {Shown|null} old
 * @param {(Shown|null)[]} slots
 * @param {FeedState} feed
 * @param {Wish} wish
 * @param {{now: number, known: Known, done: Set<string>, passed: Set<string>}} facts
 * @returns {Shown|null}
 */
function chooseHero(old, slots, feed, wish, { now, known, done, passed }) {
  const all = [...feed.matches.values()];
  const shown = (/** @type {Entry} */ entry) => entry.summary.match === old?.entry.summary.match;
  const pinned = wish.pins.map((match) => feed.matches.get(match)).find((entry) => entry && (runs(entry) || (shown(entry) && !seen(old, HERO_MS, now))));
  if (pinned) return shown(pinned) ? old : card(pinned, now, "Pinned by hand.");
  if (old && !wish.next && stays(old, wish, now)) return old;
  const fit = all.filter((entry) => fits(entry.summary, wish) && !shown(entry));
  const running = fit.filter(runs);
  const fresh = running.filter(({ summary }) => !passed.has(summary.match));
  const best = running.length ? mostInteresting(fresh.length ? fresh : running, known) : null;
  if (best) return card(best, now, why(best, known, running.length - 1));
  if (old && old.gone === Infinity && fits(old.entry.summary, wish)) return old; // nothing better to look at than how it ended
  const last = fit.filter(({ summary, ended }) => ended < Infinity && !done.has(summary.match) && !slots.some((each) => each?.entry.summary.match === summary.match));
  return last.length ? card(last.reduce((a, b) => (b.ended > a.ended ? b : a)), now, "Just finished.") : null;
}

/**
 * Whether the large match keeps its place.
 *
 * @param {Shown} old
 * @param {Wish} wish
 * @param {number} now
 */
function stays(old, wish, now) {
  if (!fits(old.entry.summary, wish) && !wish.pins.includes(old.entry.summary.match)) return false;
  return now - old.gone < ASKED_MS && !seen(old, HERO_MS, now);
}

/**
 * @param {Entry[]} entries
 * @param {Known} known
 */
function mostInteresting(entries, known) {
  const rated = entries.map((entry) => ({ entry, value: interest(entry, known) }));
  return rated.reduce((a, b) => (b.value > a.value || (b.value === a.value && b.entry.order < a.entry.order) ? b : a)).entry;
}

/**
 * The new large match leaves its small place, and the old one takes that, so that nothing vanishes and nothing is blank.
 *
 * @param {Shown|null} hero
 * @param {Shown|null} old
 * @param {(Shown|null)[]} slots  changed
 * @param {Wish} wish
 * @param {{now: number, left: Map<string, number>, done: Set<string>}} facts  changed
 */
function move(hero, old, slots, wish, { now, left, done }) {
  const place = slots.findIndex((each) => each && each.entry.summary.match === hero?.entry.summary.match);
  const keep = old && old.gone === Infinity && (fits(old.entry.summary, wish) || wish.pins.includes(old.entry.summary.match));
  if (place >= 0) slots[place] = keep ? { ...old, shown: now, why: "" } : null;
  if (!old) return;
  left.set(old.entry.summary.match, now);
  if (old.over < Infinity) done.add(old.entry.summary.match);
}

/**
 * @param {Shown|null} shown
 * @param {Wish} wish
 * @param {number} now
 */
function mustLeave(shown, wish, now) {
  if (!shown) return false;
  const { summary } = shown.entry;
  if (!fits(summary, wish) && !wish.pins.includes(summary.match)) return true;
  return (now - shown.gone >= ASKED_MS && now - shown.shown >= SHOWN_MS) || seen(shown, LINGER_MS, now);
}

/**
 * The places that may be used again, those first that have been seen longest: results, then matches that go on.
 *
 * @param {(Shown|null)[]} slots
 * @param {Wish} wish
 * @param {number} now
 */
function mayLeave(slots, wish, now) {
  const places = [...slots.keys()];
  const age = (/** @type {number} */ place) => now - (slots[place]?.shown ?? now);
  const over = places.filter((place) => seen(slots[place], RESULT_MS, now) && age(place) >= SHOWN_MS);
  const long = places.filter((place) => {
    const shown = slots[place];
    return shown && shown.over === Infinity && age(place) >= TURN_MS && !wish.pins.includes(shown.entry.summary.match);
  });
  const oldest = (/** @type {number} */ a, /** @type {number} */ b) => age(b) - age(a);
  return [...over.sort(oldest), ...long.sort(oldest)];
}

/**
 * The matches that have no place, in the order in which they get one: pins, then who waits longest.
 *
 * @param {(Shown|null)[]} slots
 * @param {Shown|null} hero
 * @param {FeedState} feed
 * @param {Wish} wish
 * @param {{left: Map<string, number>, done: Set<string>}} facts
 */
function queue(slots, hero, feed, wish, { left, done }) {
  const here = new Set([hero, ...slots].map((shown) => shown?.entry.summary.match));
  const pinned = (/** @type {Entry} */ { summary }) => wish.pins.includes(summary.match);
  const wanted = [...feed.matches.values()].filter(
    (entry) => !here.has(entry.summary.match) && !done.has(entry.summary.match) && (pinned(entry) || fits(entry.summary, wish)),
  );
  const since = (/** @type {Entry} */ { summary, since: began }) => left.get(summary.match) ?? began;
  return wanted.sort((a, b) => Number(pinned(b)) - Number(pinned(a)) || since(a) - since(b) || a.order - b.order);
}

/**
 * When the next place gets free, as far as that is known.
 *
 * @param {(Shown|null)[]} slots
 * @param {Entry[]} waiting
 */
function turn(slots, waiting) {
  if (!waiting.length) return Infinity;
  return Math.min(...slots.map((shown) => (shown ? Math.min(shown.shown + TURN_MS, shown.over + RESULT_MS) : Infinity)));
}

/**
 * Whether a match is one of those that are wished for.
 *
 * @param {Summary} summary
 * @param {Wish} wish
 */
export function fits({ tournament, game, seats }, wish) {
  if (wish.event !== null && tournament !== wish.event) return false;
  if (wish.game && game !== wish.game) return false;
  return !wish.bot || seats.some(({ bot }) => bot === wish.bot);
}

/** @param {Entry} entry */
function runs({ ended }) {
  return ended === Infinity;
}

/**
 * @param {Shown|null} shown
 * @param {number} ms
 * @param {number} now
 */
function seen(shown, ms, now) {
  return shown !== null && now - shown.over >= ms;
}

/**
 * @param {Entry} entry
 * @param {number} now
 * @param {string} [because]
 * @returns {Shown}
 */
function card(entry, now, because = "") {
  return { entry, shown: now, over: entry.summary.result ? now : Infinity, gone: Infinity, why: because };
}
