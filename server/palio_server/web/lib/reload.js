/** Loading again what has changed: at once, but not too often, and never two at a time. */

const REAL = {
  now: () => performance.now(),
  after: (action, ms) => setTimeout(action, ms),
  cancel: (timer) => clearTimeout(timer),
};

export class Reload {
  /**
   * @param {() => Promise<void>} load  resolves when the answer is there; must not throw
   * @param {number} spacing  milliseconds between the beginnings of two loads
   */
  constructor(load, spacing, timers = REAL) {
    Object.assign(this, { load, spacing, ...timers });
    this.begun = -Infinity;
    this.timer = null;
    this.loading = false;
    this.again = false;
    this.stopped = false;
  }

  /** What was loaded may be out of date, even what is being loaded now. */
  ask() {
    if (this.loading) this.again = true;
    else if (!this.stopped && this.timer === null) {
      this.timer = this.after(() => this.run(), Math.max(0, this.begun + this.spacing - this.now()));
    }
  }

  async run() {
    this.timer = null;
    this.begun = this.now();
    this.loading = true;
    this.again = false;
    await this.load();
    this.loading = false;
    if (this.again) this.ask();
  }

  stop() {
    this.stopped = true;
    this.cancel(this.timer);
  }
}
