/** Sitting at a table: the connection over which one plays, and the position in which one is asked. */

/** @import { PositionItem } from "../types/wire.js" */
/** @import { Own, Session } from "./bot_session.js" */
/** @import { SocketStatus } from "./bot_socket.js" */
/** @import { Kept } from "./play_keep.js" */

import { ApiError, post } from "./api.js";
import { begin, draw, hear, hello, play, ready, resign, wanted } from "./bot_session.js";
import { BotSocket } from "./bot_socket.js";
import { useEffect, useRef, useState } from "./html.js";
import { keep } from "./play_keep.js";
import { askWhyPlayer } from "./reading.js";

const FIRST = -1; // the number of the turn before the first

/**
 * Play at a table that was taken.
 *
 * @param {Kept} kept
 */
export function useSeat(kept) {
  const { name, token, game } = kept.table;
  const [session, setSession] = useState(() => begin({ name, token, game }));
  const [{ status, againAt, why }, setStatus] = useState({ status: /** @type {SocketStatus} */ ("connecting"), againAt: 0, why: "" });
  const now = useRef(session);
  const socket = useRef(/** @type {BotSocket|null} */ (null));
  const carried = useRef(/** @type {Own[]|null} */ (null)); // moves before the position that the next match begins with
  const eager = useRef(false); // whether the next match is the same game, that need not be started again
  const change = (/** @type {Session} */ next) => {
    if (next === now.current) return;
    const begun = next.start?.match !== now.current.start?.match && next.start;
    if (begun && carried.current) next = { ...next, made: carried.current };
    else if (begun && kept.match === begun.match) next = { ...next, made: kept.made }; // after a reload
    if (begun) carried.current = null;
    now.current = next;
    if (next.start) keep({ ...kept, made: next.made, match: next.start.match, ready: next.ready });
    setSession(next);
  };
  useEffect(() => {
    change(begin({ name, token, game }));
    const url = new URL("ws/bot", document.baseURI);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const own = new BotSocket({
      url: url.href,
      hello: () => hello(now.current),
      onMessage: (message) => {
        const before = now.current.start?.match;
        const heard = hear(now.current, message);
        change(heard.session);
        const begun = heard.session.start?.match !== before ? heard.session.start?.match : null;
        const goesOn = begun && (eager.current || (kept.ready && kept.match === begun));
        if (begun) eager.current = false;
        const also = goesOn ? ready(now.current) : null;
        if (also) change(also.session);
        return also ? [...heard.say, ...also.say] : heard.say;
      },
      onStatus: (next, waitMs = 0, words = "") => setStatus({ status: next, againAt: performance.now() + waitMs, why: words }),
      askWhy: askWhyPlayer,
    });
    socket.current = own;
    own.start();
    const hurry = () => own.hurry();
    addEventListener("online", hurry);
    return () => {
      removeEventListener("online", hurry);
      own.stop();
    };
  }, [name, token]);
  const move = (/** @type {unknown} */ wire) => {
    const played = play(now.current, wire);
    if (!played) return;
    change(played.session);
    socket.current?.say(played.say);
  };
  const giveUp = () => socket.current?.say(resign(now.current));
  const offerDraw = () => socket.current?.say(draw(now.current));
  const carry = Object.assign(
    (/** @type {Own[]|null} */ made) => {
      carried.current = made;
      eager.current = true;
    },
    {
      off: () => {
        carried.current = null;
        eager.current = false;
      },
    },
  );
  const start = () => {
    const said = ready(now.current);
    if (!said) return;
    change(said.session);
    socket.current?.say(said.say);
  };
  const retake = () => socket.current?.retake();
  return { session, status, againAt, why, move, giveUp, offerDraw, carry, start, retake };
}

/**
 * The position of our turn, as hands need it; null while it is not our turn, or not here yet. A move that is forced is
 * made at once.
 *
 * @param {Session} session
 * @param {(move: unknown) => void} move
 */
export function useTurn(session, move) {
  const [found, setFound] = useState(/** @type {{id: number, match: string, position: PositionItem}|null} */ (null));
  const [error, setError] = useState("");
  const [passed, setPassed] = useState("");
  const [asked, setAsked] = useState(0);
  const { turn, start } = session;
  const first = start && !turn && found?.match !== start.match; // the board stands while a clock, or the other, is waited for
  const asks = first ? { id: FIRST, match: start.match, state: start.setup } : turn;
  useEffect(() => {
    if (!asks || !start) return undefined;
    let current = true;
    const ask = async () => {
      try {
        const position = await post(`games/${encodeURIComponent(start.game)}/position`, { state: asks.state });
        if (!current) return;
        setError("");
        setFound({ id: asks.id, match: asks.match, position });
        if (first) return;
        const forced = position.forced !== null && position.forced !== undefined;
        setPassed(forced ? "You could not move, and passed." : "");
        if (forced) move(position.forced);
      } catch (failure) {
        if (!(failure instanceof ApiError)) throw failure;
        if (current) setError(failure.message);
      }
    };
    ask();
    return () => {
      current = false;
    };
  }, [asks?.id, asks?.match, asked]);
  const fits = found !== null && turn !== null && found.id === turn.id && found.match === turn.match;
  return {
    position: found?.position ?? null, // the last one stays to be looked at
    mine: fits && wanted(session),
    passed,
    error,
    retry: () => setAsked((count) => count + 1),
  };
}
