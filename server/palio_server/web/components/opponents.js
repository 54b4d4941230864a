/** Against whom a bot has played: the score, its share, and the share that the ratings lead one to expect. */

/** @import { BotReport, OpponentItem } from "../types/wire.js" */

import { html, useState } from "../lib/html.js";
import { asking, to } from "../lib/router.js";
import { BotLink } from "./bot_name.js";

const SHOWN = 12;

/** @param {{report: BotReport}} props */
export function Opponents({ report: { bot, game, opponents, met } }) {
  const [all, setAll] = useState(false);
  return html`
    <section class="panel" aria-labelledby="opponents">
      <h2 id="opponents">Opponents</h2>
      <div class="scroll bare" role="region" aria-labelledby="opponents" tabindex="0">
        <table class="plain-table opponents">
          <caption class="unseen">Opponents, the strongest first</caption>
          <thead>
            <tr>
              <th scope="col">Bot</th>
              <th scope="col" class="num">Rating</th>
              <th scope="col" class="num">Won : lost</th>
              <th scope="col" colspan="2">Share, and the share expected</th>
            </tr>
          </thead>
          <tbody>${opponents.slice(0, all ? opponents.length : SHOWN).map((opponent) => html`<${Line} key=${opponent.bot} opponent=${opponent} bot=${bot} game=${game} />`)}</tbody>
        </table>
      </div>
      ${opponents.length > SHOWN && html`<button type="button" class="show-all" onClick=${() => setAll(!all)}>${all ? "Fewer" : `All ${opponents.length}`}</button>`}
      <p class="note">The mark is what the two ratings lead one to expect.${met > opponents.length && ` ${met} bots in all; these it has met most.`}</p>
    </section>
  `;
}

/** @param {{opponent: OpponentItem, bot: string, game: string}} props */
function Line({ opponent, bot, game }) {
  const { bot: name, rating, provisional, wins, draws, losses, share, expected } = opponent;
  const score = draws ? `${wins} : ${losses}, ${draws} =` : `${wins} : ${losses}`;
  return html`
    <tr>
      <th scope="row"><${BotLink} name=${name} /></th>
      <td class="num">${rating === null ? "–" : Math.round(rating)}${provisional && "?"}</td>
      <td class="num"><a href=${asking(to("results"), { bot, against: name, game })} title=${`${wins} won, ${draws} drawn, ${losses} lost: the matches`}>${score}</a></td>
      <td class="wide"><${Share} share=${share} expected=${expected} /></td>
      <td class="num"><b>${Math.round(share * 100)} %</b></td>
    </tr>
  `;
}

/** @param {{share: number, expected?: number|null}} props */
export function Share({ share, expected = null }) {
  const words = `${Math.round(share * 100)} %${expected === null ? "" : `, expected ${Math.round(expected * 100)} %`}`;
  return html`
    <span class="share-bar" role="img" aria-label=${words} title=${words}>
      <i ...${{ style: { width: `${share * 100}%` } }}></i>
      ${expected !== null && html`<u ...${{ style: { left: `${expected * 100}%` } }}></u>`}
    </span>
  `;
}
