/** A bot's page: who it is, how strong, how its matches end, against whom, and what it plays now. */

/** @import { BotDetail, GameItem, GameOf } from "../types/wire.js" */
/** @import { LobbyState } from "../lib/lobby_fold.js" */

import { ApiError } from "../lib/api.js";
import { useCurrentInSight, useJson, useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { resultsVersion, crowdVersion } from "../lib/lobby_fold.js";
import { useLobby } from "../lib/lobby_stream.js";
import { asking, to } from "../lib/router.js";
import { gameOf } from "../lib/words.js";
import { BotHead } from "./bot_head.js";
import { BotMatches } from "./bot_matches.js";
import { Form, Now, Openings, SHOWN, Times } from "./bot_side.js";
import { Connection } from "./connection.js";
import { Empty, Failure } from "./empty.js";
import { ModelCosts } from "./model_costs.js";
import { Opponents } from "./opponents.js";
import { OutcomeBar } from "./outcome_bar.js";
import { RatingChart } from "./rating_chart.js";

const LOOK_MS = 5000; // between two questions, when short matches end by the dozen
const ALL = "all"; // the tab of all games

/** @param {{id: string, query: URLSearchParams, games: GameItem[]}} props */
export function BotPage({ id, query, games }) {
  const { state, status, why } = useLobby({ bot: id, boards: SHOWN });
  const version = resultsVersion(state) + crowdVersion(state);
  const { value: bot, error, refresh } = useJson(`bots/${encodeURIComponent(id)}`, version, LOOK_MS);
  useTitle(id);
  if (error instanceof ApiError && error.status === 404) return html`<${Unknown} name=${id} error=${error} />`;
  const asked = query.get("game") ?? "";
  const played = bot?.ratings ?? [];
  const game = asked === ALL ? null : (played.find((each) => each.game === asked) ?? played[0] ?? null);
  return html`
    <${Connection} status=${status} why=${why} />
    <div class="bot-page" data-all=${game ? null : ""}>
      <${BotHead} name=${bot?.name ?? id} bot=${bot} game=${gameOf(game?.game ?? played[0]?.game ?? bot?.games[0] ?? "")} />
      ${error && html`<${Failure} error=${error} retry=${refresh} />`}
      ${!bot && !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
      ${bot && html`<${Conflict} builds=${bot.conflict} />`}
      ${bot && played.length > 0 && html`<${Tabs} bot=${bot} game=${game} />`}
      ${bot && !played.length && html`<${Unplayed} bot=${bot} state=${state} />`}
      ${bot && game && html`<${OneGame} bot=${bot} game=${game} games=${games} version=${version} state=${state} />`}
      ${bot && !game && played.length > 0 && html`<${AllGames} bot=${bot} games=${games} version=${version} state=${state} />`}
    </div>
  `;
}

/** @param {{name: string, error: Error}} props */
function Unknown({ name, error }) {
  return html`
    <nav class="crumbs" aria-label="Where this is"><a href=${to("bots")}>Bots</a> <span aria-hidden="true">›</span> <span>${name}</span></nav>
    <h1>${name}</h1>
    <${Empty} title="No such bot."><p>${error.message}.</p><a href=${asking(to("bots"), { q: name })}>Search the bots</a></${Empty}>
  `;
}

/** @param {{builds: string[]}} props */
function Conflict({ builds }) {
  if (!builds.length) return null;
  return html`
    <div class="conflict" role="status">
      <p><strong>Two programs play under this name now.</strong> Their results are counted together, so there is no rating here until one of them leaves.</p>
      <ul>${builds.map((build) => html`<li key=${build}><code>${build}</code></li>`)}</ul>
    </div>
  `;
}

/** @param {{bot: BotDetail, game: GameOf|null}} props */
function Tabs({ bot, game }) {
  const address = (/** @type {string} */ which) => asking(to("bots", bot.name), { game: which });
  const frame = useCurrentInSight(game?.game ?? "");
  return html`
    <nav class="tabs" aria-label="Games of this bot" ref=${frame}>
      <ul>
        ${bot.ratings.map(
          (each) => html`<li key=${each.game}><a href=${address(each.game)} aria-current=${each.game === game?.game ? "page" : null}>${each.title} ${!bot.conflict.length && html`<b>${Math.round(each.rating)}${each.provisional && "?"}</b>`}</a></li>`,
        )}
        ${bot.ratings.length > 1 && html`<li><a href=${address(ALL)} aria-current=${game ? null : "page"}>All games</a></li>`}
      </ul>
    </nav>
  `;
}

/** @param {{bot: BotDetail, state: LobbyState|null}} props */
function Unplayed({ bot, state }) {
  return html`
    <div class="bot-columns">
      <${Empty} title="No rated match yet.">
        <p>${bot.connected ? "It is here, and waits for one." : "Its rating, results and openings will stand here."}</p>
        ${bot.connected && html`<a href=${to("lobby")}>Start a match</a>`}
      </${Empty}>
      <div class="bot-side"><${Now} bot=${bot} state=${state} /></div>
    </div>
  `;
}

/** @param {{bot: BotDetail, game: GameOf, games: GameItem[], version: number, state: LobbyState|null}} props */
function OneGame({ bot, game, games, version, state }) {
  const [name, named] = [encodeURIComponent(bot.name), encodeURIComponent(game.game)];
  const { value: history, error } = useJson(`bots/${name}/history?game=${named}`, version, 60_000);
  const { value: report } = useJson(`bots/${name}/report?game=${named}`, version, 30_000);
  const item = games.find((each) => each.name === gameOf(game.game));
  const settled = !bot.conflict.length;
  return html`
    <div class="bot-columns">
      <div class="bot-first">
        <section class="panel rating-panel" aria-labelledby="rating">
          <div class="rating-head">
            <h2 id="rating">Rating</h2>
            <${Rating} bot=${bot} game=${game} />
          </div>
          ${settled && history && html`<${RatingChart} history=${history} />`}
          ${settled && !history && html`<div class="chart-wait" aria-busy="true">${error ? error.message : ""}</div>`}
        </section>
        <section class="panel" aria-labelledby="endings">
          <h2 id="endings">How its games end</h2>
          <${OutcomeBar} counts=${game.outcomes} bot=${bot.name} game=${game.game} />
        </section>
      </div>
      <div class="bot-second">
        <${BotMatches} key=${game.game} bot=${bot.name} games=${games} game=${item ?? null} name=${game.game} total=${game.games} version=${version} />
        ${report && report.opponents.length > 0 && html`<${Opponents} report=${report} />`}
      </div>
      <div class="bot-side">
        <${Now} bot=${bot} state=${state} />
        <${ModelCosts} game=${game} />
        ${report && html`<${Form} form=${report.form} /><${Times} times=${report.times} sample=${report.sample} /><${Openings} report=${report} />`}
      </div>
    </div>
  `;
}

/** @param {{bot: BotDetail, game: GameOf}} props */
function Rating({ bot, game }) {
  if (bot.conflict.length) return html`<p class="quiet">none while two programs play under this name</p>`;
  return html`
    <p class="rating-now"><b>${Math.round(game.rating)}</b>${game.provisional && "?"} ±${Math.round(game.error)}</p>
    <p class="quiet"><${Place} game=${game} /></p>
  `;
}

/** @param {{game: GameOf}} props */
function Place({ game: { game, title, place, best, worst, of } }) {
  if (place === null) return html`provisional: too few games to rank in <a href=${placeOf(game)}>${title}</a>`;
  const between = best === worst ? "" : `, 95 % interval ${best} to ${worst}`;
  return html`<a href=${placeOf(game)}>place ${place} of ${of}</a>${between}`;
}

/** @param {string} board */
function placeOf(board) {
  return to(board === gameOf(board) ? "games" : "leaderboards", board);
}

/** @param {{bot: BotDetail, games: GameItem[], version: number, state: LobbyState|null}} props */
function AllGames({ bot, games, version, state }) {
  return html`
    <div class="bot-columns">
      <div class="bot-first">
        ${bot.ratings.map(
          (game) => html`
            <section class="panel" key=${game.game} aria-labelledby=${`g-${game.game}`}>
              <div class="rating-head">
                <h2 id=${`g-${game.game}`}><a href=${asking(to("bots", bot.name), { game: game.game })}>${game.title}</a></h2>
                <${Rating} bot=${bot} game=${game} />
              </div>
              <${OutcomeBar} counts=${game.outcomes} bot=${bot.name} game=${game.game} />
            </section>
          `,
        )}
      </div>
      <div class="bot-second"><${BotMatches} bot=${bot.name} games=${games} game=${null} name="" total=${bot.ratings.reduce((sum, each) => sum + each.games, 0)} version=${version} /></div>
      <div class="bot-side"><${Now} bot=${bot} state=${state} /></div>
    </div>
  `;
}
