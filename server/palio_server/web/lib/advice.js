/** Hints while one plays: asked for, shown, played one after the other; tours at random. */

/** @import { Hint } from "../types/wire.js" */

import { ApiError, post } from "./api.js";
import { useEffect, useRef, useState } from "./html.js";

const STEP_MS = 700; // between two steps of a solution, so that they can be followed

/**
 * Hints for the turn that we have: asked for, shown, and forgotten with it.
 *
 * @param {string} game
 * @param {{id: number, match: string, state: string}|null} turn
 * @param {string} token  of the person who asks: it shows that no other person plays at that table
 */
export function useAdvice(game, turn, token) {
  const [found, setFound] = useState(/** @type {{id: number, hint: Hint|null, order: number[]|null, fault: string, busy: boolean}|null} */ (null));
  const now = useRef(turn);
  now.current = turn;
  const own = found && turn && found.id === turn.id ? found : null;
  const ask = async (/** @type {number} */ depth) => {
    if (!turn) return null;
    const { id, state } = turn;
    setFound({ id, hint: null, order: null, fault: "", busy: true });
    try {
      const hint = await post(`games/${encodeURIComponent(game)}/hint`, { state, depth }, token);
      setFound({ id, hint, order: null, fault: "", busy: false });
      return now.current?.id === id ? hint : null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFound({ id, hint: null, order: null, fault: error.message, busy: false });
      return null;
    }
  };
  const set = (/** @type {number[]} */ order) => turn && setFound({ id: turn.id, hint: null, order, fault: "", busy: false });
  return { hint: own?.hint ?? null, order: own?.order ?? null, fault: own?.fault ?? "", busy: own?.busy ?? false, ask, set };
}

/**
 * A solution, played step by step: hint after hint, until it is stopped, or there is no sure one.
 *
 * @param {object} now
 * @param {number|undefined} now.turn
 * @param {boolean} now.mine
 * @param {ReturnType<typeof useAdvice>} now.advice
 * @param {number} now.depth
 * @param {(move: unknown) => void} now.move
 */
export function useSolution({ turn, mine, advice, depth, move }) {
  const [solves, setSolves] = useState(false);
  const [fault, setFault] = useState("");
  useEffect(() => {
    if (!solves || !mine) return undefined;
    let wanted = true;
    /** @type {number|undefined} */
    let timer;
    const step = async () => {
      const hint = await advice.ask(depth);
      if (!wanted) return;
      if (!hint?.complete) {
        setSolves(false);
        if (hint) setFault("No whole solution was found in time; what is advised is a guess.");
        return;
      }
      timer = setTimeout(() => move(hint.move), STEP_MS);
    };
    step();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [solves, mine, turn]);
  const set = (/** @type {boolean} */ on) => {
    setFault("");
    setSolves(on);
  };
  return { solves, fault, start: () => set(true), stop: () => set(false) };
}

/**
 * What our own search would do, and its sentence.
 *
 * @param {Hint|null} hint
 */
export function advised(hint) {
  if (!hint) return "";
  return hint.order ? hint.text : `Palio would play ${hint.notation}${hint.text ? `: ${hint.text}` : ""}.`;
}

/**
 * A tour in any order.
 *
 * @param {number} size
 */
export function shuffled(size) {
  const order = Array.from({ length: size }, (_, city) => city);
  for (let at = size - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}
