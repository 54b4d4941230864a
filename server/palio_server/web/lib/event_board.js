/** Which of an event's matches is shown large on its page: the most interesting one, until it has been seen to end. Pure. */

/** @import { Card } from "./lobby_fold.js" */
/** @import { Known } from "./interest.js" */

import { interest, NOTHING, why } from "./interest.js";

/**
 * The match to show, and why; null if none is played. One that is shown stays until it is over, unless it is gone.
 *
 * @param {Card[]} cards  of the event
 * @param {string} shown  the match that is shown now; "" for none
 * @param {Known} [known]
 * @returns {{card: Card, why: string}|null}
 */
export function boardOf(cards, shown, known = NOTHING) {
  const old = cards.find(({ summary }) => summary.match === shown);
  const played = cards.filter(({ summary }) => !summary.result);
  const kept = old && (!old.summary.result || !played.length) ? old : null;
  const card = kept ?? best(played, known) ?? old ?? cards[0];
  if (!card) return null;
  return { card, why: card.summary.result ? "" : why(entry(card), known, played.length - 1) };
}

/**
 * @param {Card[]} cards
 * @param {Known} known
 */
function best(cards, known) {
  const ranked = cards.map((card) => ({ card, weight: interest(entry(card), known) }));
  return ranked.reduce((/** @type {{card: Card, weight: number}|null} */ a, b) => (a && a.weight >= b.weight ? a : b), null)?.card ?? null;
}

/**
 * A card as what speaks for a match is read from: only the newest scores are known of it.
 *
 * @param {Card} card
 */
function entry({ summary, at }) {
  const told = (summary.told ?? []).map((score) => (score === null ? [] : [score]));
  return { summary, at, order: 0, since: at, ended: Infinity, told };
}
