/** Which round of an event is being played: some formats plan all of theirs at once, and `round` is the last one planned. */

/** @import { RoundCell, TournamentDetail } from "../types/wire.js" */

/** @typedef {{round: number, standings: {rounds: Pick<RoundCell, "round"|"how">[]}[]}} Rounds */

/**
 * Of a running event the first round in which somebody has still to play; of any other the last in which anybody has.
 * 0 before the first.
 *
 * @param {Rounds & Pick<TournamentDetail, "stage">} event
 */
export function roundShown({ round, standings, stage }) {
  const cells = standings.flatMap(({ rounds }) => rounds).filter((cell) => cell.round <= round);
  if (!cells.length) return round;
  const over = stage === "finished" || stage === "cancelled";
  const open = cells.filter(({ how }) => !how).map((cell) => cell.round);
  if (!over && open.length) return Math.min(...open);
  const played = cells.filter(({ how }) => how).map((cell) => cell.round);
  return played.length ? Math.max(...played) : Math.min(round, 1);
}

/**
 * What has become of a round: "over", "now" (somebody has still to play), "to come" (nobody has begun, or is known to).
 *
 * @param {Rounds & Pick<TournamentDetail, "stage">} event
 * @param {number} number
 * @returns {"over"|"now"|"to come"}
 */
export function roundState(event, number) {
  const shown = roundShown(event);
  if (number > shown || number > event.round) return "to come";
  return number === shown && event.stage !== "finished" && event.stage !== "cancelled" ? "now" : "over";
}
