/** Where a match belongs: its event, and there its round and board, with the way back to them. */

/** @import { Summary } from "../types/wire.js" */

import { useJson } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";

/** @param {{summary: Summary}} props */
export function MatchEvent({ summary: { match, event, tournament } }) {
  if (tournament === null) return event ? html`<span class="match-event">${event}</span>` : null;
  return html`<${Place} match=${match} event=${event} tournament=${tournament} />`;
}

/** @param {{match: string, event: string, tournament: number}} props */
function Place({ match, event, tournament }) {
  const { value: item } = useJson(`matches/${match}`);
  const { value: round } = useJson(item?.round ? `tournaments/${tournament}/rounds/${item.round}` : null);
  const encounter = round?.encounters.find(({ matches }) => matches.some((each) => each.match === match));
  const game = encounter && encounter.games > 1 ? `, game ${encounter.matches.findIndex((each) => each.match === match) + 1}` : "";
  return html`
    <span class="match-event">
      <a href=${to("tournaments", tournament)}>${event || `Tournament ${tournament}`}</a>
      ${item?.round ? html` · <a href=${to("tournaments", tournament, "rounds", item.round)}>round ${item.round}${encounter && `, board ${encounter.board}`}</a>${game}` : ""}
    </span>
  `;
}
