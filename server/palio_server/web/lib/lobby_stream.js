/** The one place from which a view follows the lobby: it says what it shows, and gets no more than that. */

/** @import { Status } from "./follow.js" */
/** @import { LobbyState } from "./lobby_fold.js" */

import { useFollow } from "./hooks.js";
import { useMemo } from "./html.js";
import { foldLobby } from "./lobby_fold.js";
import { asking } from "./router.js";
import { someBoards } from "./some_boards.js";

/**
 * @typedef {object} LobbyWish
 * @property {number} [boards]  so many at most; without: all that fit
 * @property {string|number|null} [event]  the number of a tournament
 * @property {string} [bot]
 * @property {string} [game]
 */

/**
 * The address of the part of the lobby that is wished.
 *
 * @param {LobbyWish} wish
 */
export const lobbyPath = ({ boards = undefined, event = null, bot = "", game = "" }) => asking("ws/live", { boards: boards === undefined ? null : String(boards), event, bot, game });

/**
 * Follow a part of the lobby. While the connection is lost the clocks of its cards stand still.
 *
 * @param {LobbyWish} wish
 * @returns {{state: LobbyState|null, status: Status, why: string}}
 */
export function useLobby(wish) {
  const { boards } = wish;
  const fold = useMemo(() => (boards === undefined ? foldLobby : someBoards(boards)), [boards]);
  const { state, status, why } = useFollow(lobbyPath(wish), fold);
  const lost = status === "lost" || status === "refused";
  const shown = useMemo(() => (state && lost ? { ...state, cards: state.cards.map((card) => ({ ...card, stands: true })) } : state), [state, lost]);
  return { state: shown, status, why };
}
