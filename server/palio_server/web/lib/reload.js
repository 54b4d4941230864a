/**
 * Loading again what has changed: at once, but not too often, and never two at a time.
 *
 * @typedef {object} Timers
 * @property {() => number} now
 * @property {(action: () => void, ms: number) => number} after
 * @property {(timer: number|undefined) => void} cancel
 */

/** @type {Timers} */
const REAL = {
  now: () => performance.now(),
  after: (action, ms) => setTimeout(action, ms),
  cancel: (timer) => clearTimeout(timer),
};

export class Reload {
  /**
   * @param {() => Promise<void>} load  resolves when the answer is there; must not throw
   * @param {number} spacing  milliseconds between the beginnings of two loads
   * @param {Timers} [timers]  for tests
   */
  constructor(load, spacing, timers = REAL) {
    this.load = load;
    this.spacing = spacing;
    this.timers = timers;
    this.begun = -Infinity;
    /** @type {number|undefined} */
    this.timer = undefined;
    this.loading = false;
    this.again = false;
    this.stopped = false;
  }

  /** What was loaded may be out of date, even what is being loaded now. */
  ask() {
    if (this.loading) this.again = true;
    else if (!this.stopped && this.timer === undefined) {
      this.timer = this.timers.after(() => this.run(), Math.max(0, this.begun + this.spacing - this.timers.now()));
    }
  }

  async run() {
    this.timer = undefined;
    this.begun = this.timers.now();
    this.loading = true;
    this.again = false;
    await this.load();
    this.loading = false;
    if (this.again) this.ask();
  }

  stop() {
    this.stopped = true;
    this.timers.cancel(this.timer);
  }
}
