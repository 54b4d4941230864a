/** A game: its rules with a board to try them on, and who is best at it. */

/** @import { GameItem, GameRules } from "../types/wire.js" */

import { useJson, useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { asking, to } from "../lib/router.js";
import { Failure } from "./empty.js";
import { Leaderboard } from "./leaderboard.js";
import { Markdown } from "./markdown.js";
import { TryBoard } from "./try_board.js";

/** @param {{id: string, games: GameItem[]}} props */
export function Game({ id, games }) {
  const game = games.find(({ name }) => name === id);
  const { value: rules, error, refresh } = useJson(game ? `games/${encodeURIComponent(id)}/rules` : null);
  const title = game?.title ?? id;
  useTitle(`${title}: rules and leaderboard`);
  return html`
    <p class="crumbs"><a href=${to("games")}>Games</a></p>
    <h1>${title}</h1>
    ${game && html`<p class="game-line">${game.line}</p>`}
    ${
      game &&
      html`
        <p class="game-links">
          <a class="button primary" href=${to("play", id)}>Play</a> <a href=${asking(to("results"), { game: id })}>Results</a>
        </p>
      `
    }
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${(game || !games.length) && html`<div class="game" aria-busy=${rules || error ? null : "true"}>${rules && game && html`<${Rules} rules=${rules} game=${game} />`}</div>`}
    <${Leaderboard} id=${id} />
  `;
}

/** @param {{rules: GameRules, game: GameItem}} props */
function Rules({ rules, game }) {
  const [first, ...others] = rules.sections;
  return html`
    <div class="game-try"><${TryBoard} rules=${rules} game=${game} /></div>
    <div class="game-rules">
      <h2>Rules</h2>
      ${first && html`<${Markdown} text=${first.text} />`}
      ${rules.how && html`<h3>How a move is made by hand</h3><p>${rules.how.replace(/\s*\n\s*/g, " ")}</p>`}
      ${others.map(({ title, text }) =>
        title === "For programs"
          ? html`<details key=${title}><summary>${title}</summary><${Markdown} text=${text} /></details>`
          : html`<h3>${title}</h3><${Markdown} text=${text} />`,
      )}
    </div>
  `;
}
