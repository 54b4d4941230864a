/**
 * Follow a websocket that sends a snapshot and then numbered deltas.
 *
 * One owner for one socket: it connects, folds, asks for a fresh snapshot (by connecting again) after a gap, a loss or a
 * long time in the background, and waits longer, with jitter, each time that the server does not answer.
 *
 * @typedef {"connecting"|"live"|"lost"|"stopping"|"gone"} Status  stopping: the server has said that it ends
 *
 * @typedef {Pick<WebSocket, "onmessage"|"onclose"|"close">} Socket
 *
 * @typedef {object} World  sockets, timers, clock and chance
 * @property {new (url: string) => Socket} WebSocket
 * @property {(action: () => void, ms: number) => number} setTimeout
 * @property {(timer: number|undefined) => void} clearTimeout
 * @property {() => number} now
 * @property {() => number} random
 */

import { Gap } from "./fold.js";

const FIRST_WAIT_MS = 400; // the first retry is soon: most losses are a server's restart
const LONGEST_WAIT_MS = 15_000;
const SPREAD_MS = 2_000; // over which the pages come back to a server that has said when: not all at once
const HIDDEN_MS = 20_000; // a page hidden for longer gives its socket back and asks for a snapshot on return

const OPEN_MS = 10_000; // a server that has sent nothing by then is not there: a cut cable says nothing

/** The server has no such match (any more): not worth asking again. */
export const GONE = 4404;
const NO_ANSWER = 1006; // what a browser says of a connection that was lost

/**
 * @template State, Message
 * @typedef {object} Plan
 * @property {string} url
 * @property {(state: State|null, message: Message, now: number) => State} fold  throws Gap if a message is missing
 * @property {(state: State) => void} onState
 * @property {(status: Status) => void} onStatus
 * @property {(code: number, reason: string) => void} [onClosed]  how the server has closed a socket
 * @property {World} [world]  for tests
 */

/**
 * @template State
 * @template {{type: string}} Message
 */
export class Follower {
  /** @param {Plan<State, Message>} plan */
  constructor({ url, fold, onState, onStatus, onClosed = () => {}, world = browser }) {
    this.url = url;
    this.fold = fold;
    this.onState = onState;
    this.onStatus = onStatus;
    this.onClosed = onClosed;
    this.world = world;
    /** @type {State|null} */
    this.state = null;
    this.failures = 0;
    /** @type {Socket|null} */
    this.socket = null;
    /** @type {number|undefined} */
    this.timer = undefined;
    /** @type {number|null} */
    this.hiddenAt = null;
    /** @type {number|null} when the server, which stops, will be back */
    this.backAt = null;
    this.closed = false;
  }

  start() {
    this.onStatus("connecting");
    this.connect();
  }

  stop() {
    this.closed = true;
    this.world.clearTimeout(this.timer);
    this.drop();
  }

  /**
   * Tell the follower that the page was hidden or shown.
   *
   * @param {boolean} shown
   */
  visible(shown) {
    if (!shown) {
      this.hiddenAt = this.world.now();
      return;
    }
    const away = this.hiddenAt === null ? 0 : this.world.now() - this.hiddenAt;
    this.hiddenAt = null;
    if (!this.closed && (away > HIDDEN_MS || !this.socket)) this.reconnect(0);
  }

  connect() {
    const socket = new this.world.WebSocket(this.url);
    this.socket = socket;
    let fresh = true; // until the snapshot is here, deltas of an older state must not be folded
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      this.world.clearTimeout(this.timer);
      this.receive(JSON.parse(data), fresh);
      fresh = false;
    };
    socket.onclose = ({ code, reason }) => {
      if (socket !== this.socket) return;
      this.world.clearTimeout(this.timer);
      this.onClosed(code, reason);
      this.lost(code);
    };
    this.timer = this.world.setTimeout(() => {
      if (socket !== this.socket) return;
      this.drop(); // its close may be waited for as long as its opening
      this.lost(NO_ANSWER);
    }, OPEN_MS);
  }

  /**
   * @param {Message} message
   * @param {boolean} fresh
   */
  receive(message, fresh) {
    if (message.type === "server_stopping") {
      this.backAt = this.world.now() + (("back_in_ms" in message && Number(message.back_in_ms)) || 0);
      this.onStatus("stopping");
      return;
    }
    try {
      if (fresh && "seq" in message && !SNAPSHOTS.has(message.type)) throw new Gap("the first message is no snapshot");
      this.state = this.fold(this.state, message, this.world.now());
    } catch (error) {
      if (!(error instanceof Gap)) throw error;
      this.onStatus("lost");
      this.reconnect(this.wait());
      return;
    }
    this.failures = 0;
    this.onStatus(this.backAt === null ? "live" : "stopping");
    this.onState(this.state);
  }

  /** @param {number} code */
  lost(code) {
    this.socket = null;
    if (this.closed) return;
    if (code === GONE) {
      this.closed = true;
      this.onStatus("gone");
      return;
    }
    const back = this.backAt === null ? 0 : this.backAt - this.world.now();
    this.backAt = null;
    this.onStatus(back > 0 ? "stopping" : "lost");
    this.reconnect(back > 0 ? back + SPREAD_MS * this.world.random() : this.wait());
  }

  /** Milliseconds until the next attempt: doubling, up to a limit, and never the same for all viewers. */
  wait() {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures);
    this.failures += 1;
    return longest * (0.5 + this.world.random() / 2);
  }

  /** @param {number} wait */
  reconnect(wait) {
    this.drop();
    this.world.clearTimeout(this.timer);
    this.timer = this.world.setTimeout(() => this.connect(), wait);
  }

  drop() {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }
}

const SNAPSHOTS = new Set(["match", "lobby"]);

/** @type {World} */
const browser = {
  get WebSocket() {
    return globalThis.WebSocket;
  },
  setTimeout: (action, ms) => globalThis.setTimeout(action, ms),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  now: () => globalThis.performance.now(),
  random: Math.random,
};
