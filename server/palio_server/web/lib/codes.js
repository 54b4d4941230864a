/** Codes of the rules and of the referee, as people read them. */

export const AGREEMENT = "agreement"; // of the players, on the result

/** @type {Record<string, string>} */
const REASONS = {
  "ply-cap": "the limit of plies was reached",
  "max-moves": "the limit of moves was reached",
  "max-actions": "the limit of actions was reached",
  "flag-fell": "the flag fell",
  "move-limit": "a move took too long",
  "grace-over": "it stayed away for too long",
  "never-ready": "it never got ready",
  "nobody-ready": "no bot ever got ready",
  "no-answer": "it never answered",
  agreement: "by agreement",
  "illegal-move": "an illegal move",
  "too-many-illegal-moves": "too many illegal moves",
};

/**
 * "reached-far-row" as "reached far row".
 *
 * @param {string} code
 */
export function plain(code) {
  return code.replaceAll(/[-_]/g, " ");
}

/**
 * How a match ended, in a few words: "reached far row", "time: the flag fell"; what says the same twice is said once.
 * Where the rules say more of a duel than its scores, that: "Black wins by 3.5 points".
 *
 * @param {string|null|undefined} termination
 * @param {string|null|undefined} code
 * @param {string|null} [detail]
 */
export function ended(termination, code, detail) {
  if (detail) return detail;
  const [kind, why] = [plain(termination ?? ""), reason(code ?? "")];
  if (termination === "rule" || kind === why || code === AGREEMENT) return why;
  return `${kind}: ${why}`;
}

/** @param {string} text */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/**
 * Why something happened, in words.
 *
 * @param {string} code
 */
export function reason(code) {
  return REASONS[code] ?? plain(code);
}
