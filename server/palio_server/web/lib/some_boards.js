/** The lobby of a page that shows some boards only, and gets no more matches from the server. */

/** @import { LobbyMessage } from "../types/wire.js" */
/** @import { Card, LobbyState } from "./lobby_fold.js" */

import { foldLobby, placeOfResult } from "./lobby_fold.js";

/**
 * The fold of a viewer who has asked for `most` boards.
 *
 * @param {number} most
 * @returns {(state: LobbyState|null, message: LobbyMessage, now: number) => LobbyState}
 */
export function someBoards(most) {
  return (state, message, now) => {
    const folded = foldLobby(state, message, now);
    return { ...folded, cards: inSight(folded.cards, most, now) };
  };
}

/**
 * The cards, with those behind the last board in the places of results that have been seen for long enough. They were not
 * shown yet, so nothing jumps. Results behind the last board are gone.
 *
 * @param {Card[]} cards
 * @param {number} most  boards
 * @param {number} now
 */
function inSight(cards, most, now) {
  const shown = cards.slice(0, most);
  const hidden = cards.slice(most).filter(({ summary }) => !summary.result);
  while (hidden.length > 0) {
    const place = placeOfResult(shown, now);
    if (place === undefined) break;
    [shown[place]] = hidden.splice(0, 1);
  }
  return [...shown, ...hidden];
}
