/**
 * A person's side of the bot protocol, without a socket: what was heard becomes a state, and what is to be said. Pure;
 * `docs/reference/protocol.md` says how the messages follow each other.
 *
 * @typedef {"waiting"|"playing"|"over"|"refused"} Stage  waiting: for opponents, or to be let in
 *
 * @typedef {object} TurnMessage
 * @property {string} match
 * @property {number} id
 * @property {number} ply
 * @property {string} state
 * @property {(number|null)[]} clocks_ms
 * @property {number|null} limit_ms
 *
 * @typedef {object} GameStart
 * @property {string} match
 * @property {string} game
 * @property {Record<string, unknown>} options
 * @property {string} setup
 * @property {number} seat
 * @property {{name: string, bot: string}[]} seats
 * @property {import("../types/wire.js").TimeControl} time
 * @property {number} strikes
 * @property {boolean} [draw_offers]  whether a draw may be offered: between people
 *
 * @typedef {object} Own  one of our moves, and the position in which it was made
 * @property {string} state
 * @property {unknown} move
 *
 * @typedef {object} Session
 * @property {{name: string, token: string, game: string}} who
 * @property {string|null} session  to be resumed
 * @property {Stage} stage
 * @property {GameStart|null} start
 * @property {boolean} ready  whether we have said so for this match: with a clock a person says it
 * @property {TurnMessage|null} turn  our turn, until it is played
 * @property {{id: number, move: unknown}|null} answer  what we have said to it
 * @property {{reason: string, left: number}|null} rejected  the referee's own words for the last answer
 * @property {Own[]} made  our moves of this match, the newest last
 * @property {number|null} offer  the seat whose offer of a draw stands
 * @property {boolean} offered  whether we have offered a draw since our last move
 * @property {import("../types/wire.js").Result|null} outcome
 * @property {string} refusal  why we were not let in
 * @property {string} fault  what the server makes of something that we said
 *
 * @typedef {{type: string, [field: string]: any}} Message
 * @typedef {{session: Session, say: Message[]}} Heard
 */

/**
 * @param {{name: string, token: string, game: string}} who
 * @returns {Session}
 */
export function begin({ name, token, game }) {
  return { who: { name, token, game }, session: null, stage: "waiting", start: null, ready: false, turn: null, answer: null, rejected: null, made: [], offer: null, offered: false, outcome: null, refusal: "", fault: "" };
}

/**
 * What is said first on every connection.
 *
 * @param {Session} session
 * @returns {Message}
 */
export function hello({ who, session }) {
  const resume = session ? { resume: session } : {};
  return { type: "hello", name: who.name, token: who.token, games: [who.game], without: ["moves"], ...resume };
}

/**
 * @param {Session} session
 * @param {Message} message
 * @returns {Heard}
 */
export function hear(session, message) {
  switch (message.type) {
    case "welcome":
      return silent({ ...session, session: message.session, refusal: "" });
    case "refused":
      if (message.retry_ms) return silent({ ...session, refusal: message.reason }); // only a limit: the socket comes again
      return silent({ ...session, stage: "refused", refusal: message.reason });
    case "game":
      return began(session, /** @type {any} */ (message));
    case "turn":
      return asked(session, /** @type {any} */ (message));
    case "rejected":
      if (message.match !== session.start?.match || message.id !== session.turn?.id) return silent(session);
      return silent({ ...session, answer: null, made: session.made.slice(0, -1), rejected: { reason: message.reason, left: message.strikes_left } });
    case "played":
      if (message.match !== session.start?.match) return silent(session);
      return silent(moved(session, message.seat));
    case "draw_offered":
      if (message.match !== session.start?.match) return silent(session);
      return silent({ ...session, offer: message.seat, offered: session.offered || message.seat === session.start?.seat });
    case "over":
      if (message.match !== session.start?.match) return silent(session);
      return silent({ ...session, stage: "over", turn: null, answer: null, outcome: message.outcome });
    case "error":
      return silent({ ...session, fault: message.reason ?? "", offered: session.offered || message.code === "draw-offered" });
    default:
      return silent(session); // absences are told to viewers, too; a newer server may say more
  }
}

/**
 * Play `move` in the turn that we have. Null where it is not our turn, or already answered.
 *
 * @param {Session} session
 * @param {unknown} move
 * @returns {Heard|null}
 */
export function play(session, move) {
  const { turn, answer } = session;
  if (!turn || answer || session.stage !== "playing") return null;
  const made = [...session.made, { state: turn.state, move }];
  return { session: { ...session, answer: { id: turn.id, move }, made, rejected: null, fault: "" }, say: [spoken(turn, move)] };
}

/**
 * @param {Session} session
 * @returns {Message[]}
 */
export function resign({ start, stage }) {
  return start && stage === "playing" ? [{ type: "resign", match: start.match }] : [];
}

/**
 * Offer a draw, or accept the one that the other has offered. Nothing where that is not agreed, or was offered already.
 *
 * @param {Session} session
 * @returns {Message[]}
 */
export function draw({ start, stage, ready: begun, offer, offered }) {
  const may = start?.draw_offers && stage === "playing" && begun && (offer === null ? !offered : offer !== start.seat);
  return may ? [{ type: "draw", match: start.match }] : [];
}

/**
 * Whether our move is wanted now.
 *
 * @param {Session} session
 */
export function wanted({ stage, turn, answer }) {
  return stage === "playing" && turn !== null && answer === null;
}

/**
 * Say that we are ready: the clocks may run. Null where there is nothing to be ready for, or it was said.
 *
 * @param {Session} session
 * @returns {Heard|null}
 */
export function ready(session) {
  const { start, stage } = session;
  if (!start || stage !== "playing" || session.ready) return null;
  return { session: { ...session, ready: true }, say: [{ type: "ready", match: start.match }] };
}

/**
 * A match begins, or is taken up again after a lost connection. Without a clock we are ready at once.
 *
 * @param {Session} session
 * @param {GameStart} start
 * @returns {Heard}
 */
function began(session, start) {
  const same = session.start?.match === start.match;
  const stage = /** @type {Stage} */ ("playing");
  const next = same ? { ...session, start, stage, offer: null } : { ...begin(session.who), session: session.session, stage, start };
  if (!next.ready && isTimed(start.time)) return silent(next);
  return { session: { ...next, ready: true }, say: [{ type: "ready", match: start.match }] };
}

/**
 * Whether a clock runs.
 *
 * @param {import("../types/wire.js").TimeControl} time
 */
export function isTimed({ base_ms: base = null, move_ms: move = null }) {
  return base !== null || move !== null;
}

/**
 * @param {Session} session
 * @param {TurnMessage} turn
 * @returns {Heard}
 */
function asked(session, turn) {
  if (turn.match !== session.start?.match || session.stage !== "playing") return silent(session);
  if (session.answer && session.answer.id === turn.id) return { session, say: [spoken(turn, session.answer.move)] }; // it was lost
  if (session.turn?.id === turn.id) return silent(session);
  return silent({ ...session, ready: true, turn, answer: null, rejected: null });
}

/**
 * The one in `seat` has moved: that declines the other's offer of a draw, and allows another own one.
 *
 * @param {Session} session
 * @param {number} seat
 * @returns {Session}
 */
function moved(session, seat) {
  const offer = session.offer === seat ? seat : null;
  if (seat !== session.start?.seat) return offer === session.offer ? session : { ...session, offer };
  return { ...session, turn: null, answer: null, rejected: null, offer, offered: false };
}

/**
 * @param {TurnMessage} turn
 * @param {unknown} move
 */
function spoken({ match, id }, move) {
  return { type: "move", match, id, move };
}

/**
 * @param {Session} session
 * @returns {Heard}
 */
function silent(session) {
  return { session, say: [] };
}
