/** Above and below the boards of the hall's screen: what is played, the time; the address, and who comes next. */

/** @import { GameItem, RoundItem, TournamentDetail } from "../types/wire.js" */
/** @import { Asked } from "../lib/wall_address.js" */

import { useEvery } from "../lib/hooks.js";
import { html, useCallback, useState } from "../lib/html.js";
import { address } from "../lib/wall_address.js";
import { plural } from "../lib/words.js";
import { Banner } from "./masthead.js";

const LOOK_MS = 1000;

/** @param {{event: TournamentDetail|null, round: RoundItem|null, running: number, games: GameItem[], game: string, bot: string}} props */
export function WallHead({ event, round, running, games, game, bot }) {
  const title = games.find(({ name }) => name === (event?.game ?? game))?.title ?? "";
  const words = [title, event?.title ?? "", bot && `matches of ${bot}`].filter(Boolean).join(" · ");
  const boards = event && round && !round.over ? round.encounters.filter(({ bots }) => bots.length > 1) : [];
  const playing = boards.length ? `${boards.filter(({ over }) => !over).length} of ${boards.length} boards in play` : `${plural(running, "match", "matches")} in play`;
  return html`
    <header class="tv-head">
      <${Banner} />
      <h1>${event?.name ?? "Palio"}</h1>
      <p>${words}${round && html`${words && " · "}<b>round ${round.round}${round.rounds ? ` of ${round.rounds}` : ""}</b>`}</p>
      <div class="tv-aside">
        ${running > 0 && html`<span class="tv-live">${playing}</span>`}
        ${event?.stage === "running" && event.seconds_left !== null && html`<span class="tv-ends">ends about ${hour(Date.now() + 1000 * event.seconds_left)}</span>`}
        <${Hour} />
      </div>
    </header>
  `;
}

function Hour() {
  const now = useClock();
  return html`<time class="tv-hour">${hour(now)}</time>`;
}

/** The time of day, looked at every second. */
function useClock() {
  const [now, setNow] = useState(() => Date.now());
  useEvery(
    LOOK_MS,
    useCallback(() => setNow(Date.now()), []),
  );
  return now;
}

/** @param {number} ms */
function hour(ms) {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** @param {{asked: Asked, event: TournamentDetail|null, waiting: number, turn: number, watching: number|null}} props  `watching`: how many see the large match, this screen included */
export function WallFoot({ asked, event, waiting, turn, watching }) {
  const url = new URL(address(asked), document.baseURI);
  const next = event?.stage === "running" && event.rounds && event.round < event.rounds ? `next: round ${event.round + 1}` : "";
  return html`
    <footer class="tv-foot">
      <p>Watch at <b>${decodeURIComponent(url.host + url.pathname + url.search)}</b></p>
      ${waiting > 0 && html`<${Waiting} waiting=${waiting} turn=${turn} />`}
      <p>${[watching !== null && watching > 1 ? `${watching} watch the large match` : "", next].filter(Boolean).join(" · ")}</p>
    </footer>
  `;
}

/** @param {{waiting: number, turn: number}} props */
function Waiting({ waiting, turn }) {
  useClock();
  const seconds = Math.max(1, Math.ceil((turn - performance.now()) / 1000));
  return html`<p>${plural(waiting, "more match waits", "more matches wait")}, the next comes in ${seconds} s</p>`;
}
