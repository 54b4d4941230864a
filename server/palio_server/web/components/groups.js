/** The groups of an event, side by side; a line parts those who go on. */

/** @import { Group } from "../types/wire.js" */

import { html } from "../lib/html.js";
import { sharedPlaces } from "../lib/shared_places.js";
import { points } from "../lib/words.js";
import { BotLink } from "./bot_name.js";
import { Wide } from "./wide.js";

/** @param {{groups: Group[]}} props */
export function Groups({ groups }) {
  return html`
    <section aria-labelledby="groups">
      <h2 id="groups">Groups</h2>
      <div class="groups">${groups.map((group) => html`<${One} key=${group.name} group=${group} />`)}</div>
    </section>
  `;
}

/** @param {{group: Group}} props */
function One({ group: { name, standings, advance } }) {
  const places = sharedPlaces(standings.map(({ rank }) => rank));
  return html`
    <${Wide} label=${`group ${name}`}>
      <table class="event-table group">
        <caption>Group ${name}<small>the first ${advance} go on</small></caption>
        <thead>
          <tr>
            <th scope="col" class="num"><abbr title="rank">#</abbr></th>
            <th scope="col">Bot</th>
            <th scope="col" class="num">Points</th>
            <th scope="col" class="num"><abbr title="games or encounters">Played</abbr></th>
            <th scope="col" class="num"><abbr title="wins, level ones, losses">+ = −</abbr></th>
          </tr>
        </thead>
        <tbody>
          ${standings.map(
            (line, index) => html`
              <tr key=${line.bot} data-goes-on=${index < advance ? "" : null} data-last=${index === advance - 1 ? "" : null} data-left=${line.left ? "" : null}>
                <td class="num rank">${places[index]}</td>
                <th scope="row"><${BotLink} name=${line.bot} />${index < advance && html`<span class="unseen">, goes on</span>`}</th>
                <td class="num points">${points(line.points)}</td>
                <td class="num">${line.played}</td>
                <td class="num">${line.wins} ${line.draws} ${line.losses}</td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </${Wide}>
  `;
}
