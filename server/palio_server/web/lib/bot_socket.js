/**
 * The connection over which a person plays: it says hello, passes messages on, and comes back when it is lost.
 *
 * @typedef {"connecting"|"live"|"lost"|"elsewhere"} SocketStatus  elsewhere: another tab has taken the seat
 * @typedef {Pick<WebSocket, "onopen"|"onmessage"|"onclose"|"close"|"send">} Socket
 *
 * @typedef {object} World  sockets, timers and chance
 * @property {new (url: string) => Socket} WebSocket
 * @property {(action: () => void, ms: number) => number} setTimeout
 * @property {(timer: number|undefined) => void} clearTimeout
 * @property {() => number} random
 *
 * @typedef {object} Plan
 * @property {string} url
 * @property {() => Message} hello  what is said first on each connection
 * @property {(message: Message) => Message[]} onMessage  gives what is to be said to it
 * @property {(status: SocketStatus, waitMs?: number, why?: string) => void} onStatus  of a lost one: `waitMs` until it is tried again, `why` it was not opened
 * @property {() => Promise<Refusal|null>} [askWhy]  why a socket was not opened, which a browser does not tell
 * @property {World} [world]  for tests
 */

/** @import { Message } from "./bot_session.js" */
/** @import { Refusal } from "./follow.js" */

import { BROWSER, Waits } from "./waits.js";

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 8_000; // a person waits in front of it, with half a minute or more to return
const SPREAD_MS = 2_000; // over which pages come that were told the same time
const NO_ANSWER = 1006; // what a browser says of a connection that was lost, or never opened
const REPLACED = 4000; // another connection has taken the session over
const REFUSED = 1008; // our hello was not accepted: it would not be the next time

export class BotSocket {
  /** @param {Plan} plan */
  constructor({ url, hello, onMessage, onStatus, askWhy = async () => null, world = BROWSER }) {
    this.url = url;
    this.hello = hello;
    this.onMessage = onMessage;
    this.onStatus = onStatus;
    this.askWhy = askWhy;
    this.why = ""; // it was not opened at the last attempt
    this.nextMs = 0; // until the next attempt, when the last one failed
    this.world = world;
    this.waits = new Waits(FIRST_WAIT_MS, LONGEST_WAIT_MS, () => world.random());
    this.waitMs = 0; // a server that stops, or whose limit we have reached, says for how long
    /** @type {Socket|null} */
    this.socket = null;
    this.isOpen = false;
    /** @type {number|undefined} */
    this.timer = undefined;
    this.closed = false;
  }

  start() {
    this.onStatus("connecting");
    this.connect();
  }

  stop() {
    this.closed = true;
    this.world.clearTimeout(this.timer);
    const { socket } = this;
    this.socket = null;
    this.isOpen = false;
    socket?.close();
  }

  /**
   * Say it if there is a connection; what is lost with one is asked for again.
   *
   * @param {Message[]} messages
   */
  say(messages) {
    if (!this.isOpen) return;
    for (const message of messages) this.socket?.send(JSON.stringify(message));
  }

  /** Take the seat back from another tab. */
  retake() {
    if (!this.closed || this.socket) return;
    this.closed = false;
    this.start();
  }

  /** Try at once, instead of when the wait is over: the browser is online again. */
  hurry() {
    if (this.closed || this.socket) return;
    this.world.clearTimeout(this.timer);
    this.connect();
  }

  /** Ask over HTTP why it was not opened; the next attempt is when the server says, not before. */
  async ask() {
    const { timer, why } = this;
    const found = await this.askWhy();
    if (this.closed || this.socket || this.timer !== timer) return; // it was tried again meanwhile
    this.why = found?.reason ?? "";
    if (found && found.retryMs > 0) this.again(found.retryMs + SPREAD_MS * this.world.random());
    else if (this.why !== why) this.onStatus("lost", this.nextMs, this.why);
  }

  connect() {
    const socket = new this.world.WebSocket(this.url);
    this.socket = socket;
    socket.onopen = () => {
      if (socket !== this.socket) return;
      this.isOpen = true;
      this.why = "";
      this.say([this.hello()]);
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      const message = JSON.parse(data);
      if (message.type === "server_stopping") {
        this.waitMs = message.back_in_ms ?? 0;
        return;
      }
      if (message.type === "welcome") {
        this.waits.reset();
        this.onStatus("live");
      }
      if (message.type === "refused") this.waitMs = message.retry_ms ?? this.waitMs;
      this.say(this.onMessage(message));
    };
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.lost(code);
    };
  }

  /** @param {number} code */
  lost(code) {
    const opened = this.isOpen;
    this.socket = null;
    this.isOpen = false;
    if (this.closed) return;
    if (code === REPLACED || code === REFUSED) {
      this.closed = true;
      this.onStatus(code === REPLACED ? "elsewhere" : "lost");
      return;
    }
    const told = this.waitMs > 0;
    this.again(this.waitMs + this.waits.next());
    this.waitMs = 0;
    if (!opened && !told && code === NO_ANSWER) this.ask();
  }

  /** @param {number} waitMs */
  again(waitMs) {
    this.world.clearTimeout(this.timer);
    this.nextMs = waitMs;
    this.onStatus("lost", waitMs, this.why);
    this.timer = this.world.setTimeout(() => this.connect(), waitMs);
  }
}
