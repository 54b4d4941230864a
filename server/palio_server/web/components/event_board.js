/** The most interesting board of an event, live, above its parts. */

/** @import { TournamentDetail } from "../types/wire.js" */
/** @import { Card as Shown } from "../lib/lobby_fold.js" */

import { boardOf } from "../lib/event_board.js";
import { useJson } from "../lib/hooks.js";
import { html, useMemo, useRef } from "../lib/html.js";
import { placesOf, useRatings } from "../lib/use_hall.js";
import { to } from "../lib/router.js";
import { leaderboardOf, verdict } from "../lib/words.js";
import { CardBoard } from "./card.js";

/** @param {{event: TournamentDetail, cards: Shown[], version: number}} props */
export function EventBoard({ event, cards, version }) {
  const shown = useRef("");
  const playing = cards.length > 0;
  const { value: round } = useJson(playing && event.round > 0 ? `tournaments/${event.id}/rounds/${event.round}` : null, version);
  const ratings = useRatings([...new Set(cards.map(({ summary }) => leaderboardOf(summary)))].join(" "));
  const known = useMemo(() => ({ places: placesOf(event, round), ratings }), [event, round, ratings]);
  const found = boardOf(cards, shown.current, known);
  shown.current = found?.card.summary.match ?? "";
  if (!found) return null;
  const { summary } = found.card;
  return html`
    <section class="event-board" aria-labelledby="event-board">
      <${CardBoard} key=${summary.match} card=${found.card} />
      <div class="event-board-words">
        <h2 id="event-board"><a href=${to("match", summary.match)}>${summary.seats.length > 3 ? summary.title : summary.seats.map(({ bot }) => bot).join(" – ")}</a></h2>
        <p class="quiet">${summary.result ? html`<b>${verdict(summary.result, summary.seats)}.</b>` : found.why}</p>
      </div>
    </section>
  `;
}
