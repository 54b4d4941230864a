/** A sequential test in words: whose faults decided games, and how to run it again. */

/** @import { FaultItem, TournamentDetail } from "../types/wire.js" */

/** @type {Record<string, string>} */
const KINDS = {
  illegal: "by illegal moves",
  time: "on time",
  crashed: "by a crash",
  disconnected: "by a lost connection",
  stalled: "by standing still",
  resigned: "by resigning",
};

/**
 * "civetta-2.0: 3 games on time", a line for each bot and kind.
 *
 * @param {FaultItem[]} faults
 */
export function faultLines(faults) {
  return faults.map(({ bot, termination, games }) => ({
    bot,
    text: `${games} ${games === 1 ? "game" : "games"} ${KINDS[termination] ?? `by ${termination}`}`,
  }));
}

/**
 * The command that plays the same test; its bots' programs are for whoever types it to fill in.
 *
 * @param {Pick<TournamentDetail, "game"|"settings"|"sprt">} event
 */
export function commandOf({ game, settings, sprt }) {
  if (!sprt) return "";
  const { first, second, elo0, elo1, alpha, beta, model } = sprt;
  const options = Object.entries(/** @type {Record<string, unknown>} */ (settings.options ?? {})).map(([name, value]) => `${name}=${value}`);
  const time = typeof settings.time === "string" && /^[\d.]+\+[\d.]+$/.test(settings.time) ? [`--tc ${settings.time}`] : [];
  const seed = typeof settings.seed === "number" && settings.seed !== 1 ? [`--seed ${settings.seed}`] : [];
  return [
    `palio run ${quoted([game, options.join(",")].filter(Boolean).join(":"))}`,
    `${quoted(`${first}=PROGRAM`)} ${quoted(`${second}=PROGRAM`)}`,
    `--sprt "elo0=${elo0} elo1=${elo1} alpha=${alpha} beta=${beta} model=${model}"`,
    ...time,
    ...seed,
  ].join(" \\\n  ");
}

/**
 * As a shell takes it for one word.
 *
 * @param {string} word
 */
function quoted(word) {
  return /^[\w./:=,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
