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
 * @property {(status: SocketStatus) => void} onStatus
 * @property {World} [world]  for tests
 */

/** @import { Message } from "./bot_session.js" */

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 8_000; // a person waits in front of it, with half a minute or more to return
const REPLACED = 4000; // another connection has taken the session over
const REFUSED = 1008; // our hello was not accepted: it would not be the next time

export class BotSocket {
  /** @param {Plan} plan */
  constructor({ url, hello, onMessage, onStatus, world = browser }) {
    this.url = url;
    this.hello = hello;
    this.onMessage = onMessage;
    this.onStatus = onStatus;
    this.world = world;
    this.failures = 0;
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

  connect() {
    const socket = new this.world.WebSocket(this.url);
    this.socket = socket;
    socket.onopen = () => {
      if (socket !== this.socket) return;
      this.isOpen = true;
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
        this.failures = 0;
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
    this.socket = null;
    this.isOpen = false;
    if (this.closed) return;
    if (code === REPLACED || code === REFUSED) {
      this.closed = true;
      this.onStatus(code === REPLACED ? "elsewhere" : "lost");
      return;
    }
    this.onStatus("lost");
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures);
    this.failures += 1;
    this.timer = this.world.setTimeout(() => this.connect(), this.waitMs + longest * (0.5 + this.world.random() / 2));
    this.waitMs = 0;
  }
}

/** @type {World} */
const browser = {
  get WebSocket() {
    return globalThis.WebSocket;
  },
  setTimeout: (action, ms) => globalThis.setTimeout(action, ms),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  random: Math.random,
};
