/**
 * Follow a websocket that sends a snapshot and then numbered deltas.
 *
 * One owner for one socket: it connects, folds, asks for a fresh snapshot (by connecting again) after a gap, a loss or a
 * long time in the background, and waits longer, with jitter, each time that the server does not answer.
 *
 * @typedef {"connecting"|"live"|"lost"|"refused"|"stopping"|"gone"} Status  stopping: the server has said that it ends;
 *   refused: it runs, and has said why it takes no viewer now
 * @typedef {{reason: string, retryMs: number}} Refusal  a sentence, and when the server may be asked again
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
import { BROWSER, Waits } from "./waits.js";

const FIRST_WAIT_MS = 400; // the first retry is soon: most losses are a server's restart
const LONGEST_WAIT_MS = 15_000;
const SPREAD_MS = 2_000; // over which the pages come back to a server that has said when: not all at once
const HIDDEN_MS = 20_000; // a page hidden for longer gives its socket back and asks for a snapshot on return

export const SILENCE_MS = 10_000; // without a word, not even a heartbeat: a cable was cut, which says nothing
const OPEN_MS = 10_000; // a server that has sent nothing by then is not there: a cut cable says nothing

/** Too many connections, or the database is away; the reason is a sentence. */
const LATER = 1013;

/** The server has no such match (any more): not worth asking again. */
export const GONE = 4404;
const NO_ANSWER = 1006; // what a browser says of a connection that was lost

/**
 * @template State, Message
 * @typedef {object} Plan
 * @property {string} url
 * @property {(state: State|null, message: Message, now: number) => State} fold  throws Gap if a message is missing
 * @property {(state: State) => void} onState
 * @property {(status: Status, why: string) => void} onStatus  `why` the server has refused; else ""
 * @property {(code: number, reason: string) => void} [onClosed]  how the server has closed a socket
 * @property {State|null} [state]  to go on from, until the first snapshot
 * @property {() => Promise<Refusal|null>} [askWhy]  why a socket was not opened, which a browser does not tell
 * @property {World} [world]  for tests
 */

/**
 * @template State
 * @template {{type: string}} Message
 */
export class Follower {
  /** @param {Plan<State, Message>} plan */
  constructor({ url, fold, onState, onStatus, onClosed = () => {}, state = null, askWhy = async () => null, world = BROWSER }) {
    this.url = url;
    this.fold = fold;
    this.onState = onState;
    this.onStatus = onStatus;
    this.onClosed = onClosed;
    this.askWhy = askWhy;
    this.world = world;
    /** @type {State|null} */
    this.state = state;
    this.waits = new Waits(FIRST_WAIT_MS, LONGEST_WAIT_MS, () => world.random());
    /** @type {Socket|null} */
    this.socket = null;
    /** @type {number|undefined} */
    this.timer = undefined;
    /** @type {number|null} */
    this.hiddenAt = null;
    /** @type {number|null} when the server, which stops, will be back */
    this.backAt = null;
    this.closed = false;
    this.beats = false; // the server sends heartbeats on this socket, so that silence means something
    this.refused = false; // at the last attempt: its words stay until the next one has an answer
    this.attempts = 0;
  }

  start() {
    this.onStatus("connecting", "");
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
    this.attempts += 1;
    const socket = new this.world.WebSocket(`${this.url}${this.url.includes("?") ? "&" : "?"}heartbeat=1`);
    this.beats = false;
    this.socket = socket;
    let fresh = true; // until the snapshot is here, deltas of an older state must not be folded
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      this.world.clearTimeout(this.timer);
      const message = JSON.parse(data);
      if (message.type === "heartbeat") this.beats = true;
      else {
        this.receive(message, fresh);
        fresh = false;
      }
      if (this.beats && socket === this.socket) this.giveUpAfter(SILENCE_MS, socket);
    };
    socket.onclose = ({ code, reason }) => {
      if (socket !== this.socket) return;
      this.world.clearTimeout(this.timer);
      this.onClosed(code, reason);
      this.lost(code, reason, fresh);
    };
    this.giveUpAfter(OPEN_MS, socket);
  }

  /**
   * Connect again unless the socket says something before.
   *
   * @param {number} ms
   * @param {Socket} socket
   */
  giveUpAfter(ms, socket) {
    this.timer = this.world.setTimeout(() => {
      if (socket !== this.socket) return;
      this.drop(); // its close may be waited for as long as its opening
      this.lost(NO_ANSWER);
    }, ms);
  }

  /**
   * Follow another address: a part of the same.
   *
   * @param {string} url
   */
  moveTo(url) {
    if (url === this.url) return;
    this.url = url;
    if (!this.closed && this.hiddenAt === null) this.reconnect(0);
  }

  /**
   * @param {Message} message
   * @param {boolean} fresh
   */
  receive(message, fresh) {
    if (message.type === "server_stopping") {
      this.backAt = this.world.now() + (("back_in_ms" in message && Number(message.back_in_ms)) || 0);
      this.onStatus("stopping", "");
      return;
    }
    try {
      if (fresh && "seq" in message && !SNAPSHOTS.has(message.type)) throw new Gap("the first message is no snapshot");
      this.state = this.fold(this.state, message, this.world.now());
    } catch (error) {
      if (!(error instanceof Gap)) throw error;
      this.onStatus("lost", "");
      this.reconnect(this.waits.next());
      return;
    }
    this.waits.reset();
    this.refused = false;
    this.onStatus(this.backAt === null ? "live" : "stopping", "");
    this.onState(this.state);
  }

  /**
   * @param {number} code
   * @param {string} [reason]
   * @param {boolean} [fresh]  whether the socket has sent nothing: it may never have been open
   */
  lost(code, reason = "", fresh = false) {
    this.socket = null;
    if (this.closed) return;
    if (code === GONE) {
      this.closed = true;
      this.onStatus("gone", "");
      return;
    }
    const back = this.backAt === null ? 0 : this.backAt - this.world.now();
    this.backAt = null;
    const asks = back <= 0 && fresh && code === NO_ANSWER;
    if (code === LATER && reason) this.refuse(reason);
    else if (!asks || !this.refused) this.onStatus(back > 0 ? "stopping" : "lost", "");
    this.reconnect(back > 0 ? back + SPREAD_MS * this.world.random() : this.waits.next());
    if (asks) this.ask();
  }

  /** Ask over HTTP why the socket was not opened; the next attempt is when the server says, not before. */
  async ask() {
    const attempt = this.attempts;
    const found = await this.askWhy();
    if (this.closed || this.socket || this.attempts !== attempt) return;
    if (!found) {
      this.refused = false;
      this.onStatus("lost", "");
      return;
    }
    this.refuse(found.reason);
    if (found.retryMs > 0) this.reconnect(found.retryMs + SPREAD_MS * this.world.random());
  }

  /** @param {string} reason */
  refuse(reason) {
    this.refused = true;
    this.onStatus("refused", reason);
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
