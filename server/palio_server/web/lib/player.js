/**
 * A match played like a film: when the next ply comes, what happens at the end. Time is an argument, so that tests have
 * one of their own.
 *
 * @typedef {1|2|4|"played"} Speed  plies a second, or as long as each took
 * @typedef {{playing: boolean, speed: Speed, loop: boolean}} Playing
 * @typedef {{ply: number, last: number, over: boolean, lines: {ms: number|null}[]}} Look  what is shown, and of which match
 * @typedef {{setTimeout: (action: () => void, ms: number) => any, clearTimeout: (timer: any) => void}} Timers
 */

/** @import { Step } from "./replay.js" */

/** @type {Speed[]} */
export const SPEEDS = [1, 2, 4, "played"];

const SECOND = 1000;
const OPENING_MS = 400; // a ply of the opening took no time
const [SHORTEST_MS, LONGEST_MS] = [80, 10_000]; // "as played" neither flickers nor stands still
const PAUSE_MS = 2000; // at the end, before it begins again

/**
 * How long the position before `line` is shown.
 *
 * @param {Speed} speed
 * @param {{ms: number|null}|undefined} line
 */
export function delay(speed, line) {
  if (speed !== "played") return SECOND / speed;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, line?.ms ?? OPENING_MS));
}

/**
 * The speed `by` steps further on; "as played" stands last.
 *
 * @param {Speed} speed
 * @param {number} by
 */
export function faster(speed, by) {
  const at = SPEEDS.indexOf(speed) + by;
  return SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))];
}

/** Plays, pauses, goes on. Of a running match it stops at the newest ply, which is followed from there. */
export class Player {
  /** @type {Playing} */
  #state = { playing: false, speed: 1, loop: false };
  /** @type {unknown} */
  #timer = null;
  #hidden = false;
  #at = 0; // the ply that is shown while it plays

  /**
   * @param {object} way
   * @param {() => Look} way.look
   * @param {(step: Step) => void} way.step
   * @param {(state: Playing) => void} way.onChange
   * @param {Timers} [way.timers]
   */
  constructor({ look, step, onChange, timers = globalThis }) {
    this.look = look;
    this.step = step;
    this.onChange = onChange;
    this.timers = timers;
  }

  get state() {
    return this.#state;
  }

  toggle() {
    if (this.#state.playing) this.pause();
    else this.play();
  }

  /** From the shown ply on; from the beginning where that is the last one of a finished match. */
  play() {
    const { ply, last, over } = this.look();
    if (last === 0) return;
    if (ply >= last && !over) return; // it is followed already
    this.#at = ply;
    if (ply >= last) this.#show("first", 0);
    this.#change({ playing: true });
  }

  pause() {
    this.#change({ playing: false });
  }

  /** @param {Speed} speed */
  at(speed) {
    this.#change({ speed });
  }

  /** @param {number} by */
  faster(by) {
    this.at(faster(this.#state.speed, by));
  }

  loop() {
    this.#change({ loop: !this.#state.loop });
  }

  /**
   * Nobody looks at a hidden page: there it waits.
   *
   * @param {boolean} hidden
   */
  hide(hidden) {
    this.#hidden = hidden;
    this.#wait();
  }

  /** @param {Partial<Playing>} change */
  #change(change) {
    this.#state = { ...this.#state, ...change };
    this.#wait();
    this.onChange(this.#state);
  }

  /**
   * @param {Step} step
   * @param {number} ply
   */
  #show(step, ply) {
    this.#at = ply;
    this.step(step);
  }

  #wait() {
    this.timers.clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.#state.playing || this.#hidden) return;
    const { last, lines } = this.look();
    const ms = this.#at >= last ? PAUSE_MS : delay(this.#state.speed, lines[this.#at]);
    this.#timer = this.timers.setTimeout(() => this.#next(), ms);
  }

  #next() {
    const { last, over } = this.look();
    if (this.#at < last) this.#show(this.#at + 1, this.#at + 1);
    else this.#show("first", 0); // it was the end, and it loops
    if (this.#at >= last && !(over && this.#state.loop)) this.pause();
    else this.#wait();
  }
}
