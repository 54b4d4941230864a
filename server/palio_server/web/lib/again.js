/** Another game at the same table: a rematch, or the same game with a move taken back. */

/** @import { PlayRequest, Table } from "../types/wire.js" */
/** @import { Own } from "./bot_session.js" */
/** @import { Kept } from "./play_keep.js" */

import { ApiError, post } from "./api.js";
import { useEffect, useState } from "./html.js";

const GONE = 404; // the table was forgotten, as by a restart of the server

/**
 * @param {Kept} kept
 * @param {(kept: Kept) => void} sit
 */
export function useAgain(kept, sit) {
  const [fault, setFault] = useState("");
  const again = async (/** @type {{state?: string, swap?: boolean, same?: boolean}} */ body, /** @type {Own[]} */ made = []) => {
    setFault("");
    try {
      await post(`play/${encodeURIComponent(kept.table.table)}/again`, body, kept.table.token);
      return true;
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      const request = failure.status === GONE && !body.same ? anew(kept, body) : null;
      if (!request) {
        setFault(failure.message);
        return false;
      }
      return laid(request, made);
    }
  };
  const laid = async (/** @type {PlayRequest} */ request, /** @type {Own[]} */ made) => {
    try {
      const { state, ...rest } = request;
      const table = await post("play", request);
      sit({ table, request: { ...rest, seat: table.seat }, made, match: "", ready: Boolean(state) });
      return true;
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setFault(failure.message);
      return false;
    }
  };
  return { again, fault };
}

/**
 * What is asked for where the table is gone; null for those who came by a link.
 *
 * @param {{table: Pick<Table, "seat">, request: PlayRequest|null}} kept
 * @param {{state?: string, swap?: boolean}} body
 * @returns {PlayRequest|null}
 */
export function anew({ table, request }, { state, swap = false }) {
  if (!request) return null;
  const seats = (request.opponents ?? []).length + 1;
  const seat = swap ? (table.seat + seats - 1) % seats : table.seat;
  return { ...request, seat, ...(state ? { state } : {}) };
}

/** @type {unknown[]} */
let pending = []; // of a race begun anew: the moves that shall stay after one was taken back

/** @param {unknown[]} moves */
export function replayFirst(moves) {
  pending = moves;
}

/**
 * Play the moves that stay after one of a race was taken back.
 *
 * @param {number|undefined} turn
 * @param {boolean} mine
 * @param {(move: unknown) => void} move
 */
export function useReplay(turn, mine, move) {
  useEffect(() => {
    if (!mine || !pending.length) return;
    const [next, ...rest] = pending;
    pending = rest;
    move(next);
  }, [turn, mine]);
}
