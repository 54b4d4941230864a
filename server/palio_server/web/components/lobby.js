/** The lobby: what is being played, who is there to play, how the last matches ended, and a form to start another. */

/** @import { BotItem, GameItem } from "../types/wire.js" */
/** @import { LobbyState } from "../lib/lobby_fold.js" */

import { crowdVersion, expire, playing, resultsVersion } from "../lib/lobby_fold.js";
import { useEvery, useJson, useTitle } from "../lib/hooks.js";
import { html, useCallback, useState } from "../lib/html.js";
import { useLobby } from "../lib/lobby_stream.js";
import { memo } from "../lib/memo.js";
import { to } from "../lib/router.js";
import { plural } from "../lib/words.js";
import { Bots } from "./bots.js";
import { Card } from "./card.js";
import { Connection } from "./connection.js";
import { Empty } from "./empty.js";
import { Results, useResults } from "./results.js";
import { StartForm } from "./start_form.js";
import { Tournaments } from "./tournaments.js";

const LOOK_EVERY_MS = 4000; // finished matches leave by the clock
const MOST = 16; // boards, unless somebody wants to see more
const NAMED = 50; // bots in the list, and in the form until somebody looks into it
const CROWD_MS = 4000; // between two questions who is here, when short matches are played by the dozen
const [Here, Form, Ended, Events] = [memo(Bots), memo(StartForm), memo(Results), memo(Tournaments)]; // boards change four times a second

/** @param {{games: GameItem[]}} props */
export function Lobby({ games }) {
  useTitle("");
  const [all, setAll] = useState(false);
  const { state, status, why } = useLobby({ boards: all ? undefined : MOST });
  const { value: bots } = useJson(state || why ? `bots?limit=${NAMED}` : null, crowdVersion(state), CROWD_MS);
  const [, look] = useState(0);
  useEvery(
    LOOK_EVERY_MS,
    useCallback(() => look((count) => count + 1), []),
  );
  const lobby = state && expire(state, performance.now());
  const results = useResults(resultsVersion(lobby));
  const waits = !(lobby || why) || !bots || !results || !games.length; // all of it appears at once, so that nothing moves
  return html`
    <${Connection} status=${status} why=${why} />
    <div class="lobby" aria-busy=${waits ? "true" : null}>
      <section class="matches" aria-labelledby="live">
        <div class="section-head">
          <h1 id="live">Live matches</h1>
          <p class="count">${lobby && playing(lobby) > 0 && `${plural(playing(lobby), "match", "matches")} being played`}</p>
          <a class="button primary" href=${to("play")}>Play a bot</a>
        </div>
        <p class="lobby-about">Programs play games against each other here: watch them live, play against one, or <a href=${to("write")}>bring your own</a>.</p>
        <${Matches} lobby=${lobby} bots=${bots} refused=${Boolean(why)} all=${all} setAll=${setAll} />
      </section>
      <aside class="side">
        <${Form} games=${games} bots=${bots} complete=${!bots || bots.length !== NAMED} />
        <${Here} bots=${bots} here=${Math.max(lobby?.here ?? 0, bots?.length ?? 0)} games=${games} />
      </aside>
      <div class="below">
        <${Ended} value=${results} />
        <${Events} version=${resultsVersion(lobby)} games=${games} />
      </div>
    </div>
  `;
}

/** @param {{lobby: LobbyState|null, bots: BotItem[]|null, refused: boolean, all: boolean, setAll: (all: boolean) => void}} props */
function Matches({ lobby, bots, refused, all, setAll }) {
  if (!lobby && refused) return html`<p class="note">Matches are shown here as soon as the connection is there.</p>`;
  if (!lobby) return html`<div class="waiting" aria-busy="true"><p>Loading the matches …</p></div>`;
  const { cards } = lobby;
  const boards = Math.max(cards.length, playing(lobby));
  if (cards.length) {
    return html`
      <ul class="cards">${cards.slice(0, all ? cards.length : MOST).map((card) => html`<${Card} key=${card.summary.match} card=${card} />`)}</ul>
      ${boards > MOST && html`<p class="note"><button type="button" aria-pressed=${all} onClick=${() => setAll(!all)}>${all ? `Only the first ${MOST}` : `All ${boards} boards`}</button></p>`}
    `;
  }
  const enough = (bots?.length ?? 0) >= 2;
  return html`
    <${Empty} title="No match is running.">
      ${
        enough
          ? html`<p>Two bots are here: start a match with the form.</p>`
          : html`<p>Bring two bots, each in a terminal of its own, then start a match with the form:</p>
              <pre tabindex="0"><code>${`palio join ${location.origin} greedy --name ada
palio join ${location.origin} alpha_beta:depth=3 --name grace`}</code></pre>`
      }
    </${Empty}>
  `;
}
