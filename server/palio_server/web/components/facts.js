/** Beside a match: what it is part of, who else plays in its round, how its bots have fared before, the rules in a line. */

/** @import { GameItem, Meetings, RoundItem, Summary } from "../types/wire.js" */
/** @import { Renderable } from "../vendor/preact.js" */
/** @import { About } from "./match_event.js" */

import { clocksWords, confinedWords, met, moment, standing } from "../lib/facts.js";
import { html } from "../lib/html.js";
import { asking, to } from "../lib/router.js";

const NEAR = 8; // pairings of the round

/** @param {{summary: Summary, about: About, games: GameItem[], viewers: number|null, children?: Renderable}} props  `children`: panels that come first */
export function Facts({ summary, about: { item, round }, games, viewers, children }) {
  const { match, game, title, tournament, event } = summary;
  const { encounter, previous, next, game: number } = item?.neighbours ?? { encounter: null, previous: null, next: null, game: null };
  const own = round?.encounters.find((each) => each.number === encounter);
  const when = item?.started_at ?? item?.created_at;
  const line = /** @type {{line?: string}|undefined} */ (games.find(({ name }) => name === game))?.line;
  const programs = confinedWords(summary);
  const submissions = (item?.setup.submissions ?? []).flatMap((id, seat) => (id ? [`${summary.seats[seat].bot}: ${id}`] : []));
  const facts = [
    event && { name: "Event", value: tournament === null ? event : html`<a href=${to("tournaments", tournament)}>${event}</a>` },
    tournament !== null && item?.round && { name: "Round", value: html`<a href=${to("tournaments", tournament, "rounds", item.round)}>${item.round}${round?.rounds ? ` of ${round.rounds}` : ""}</a>${own ? `, board ${own.board}` : ""}` },
    number && own && own.games > 1 && { name: "Match", value: `${number} of ${own.games}` },
    { name: "Clock", value: clocksWords(summary) },
    when && { name: item?.started_at ? "Played" : "Listed", value: html`<time dateTime=${when}>${moment(when)}</time>` },
    programs.length > 0 && { name: "Programs", value: programs.join("; ") },
    submissions.length > 0 && { name: submissions.length > 1 ? "Submissions" : "Submission", value: submissions.join("; ") },
    viewers !== null && { name: "Viewers", value: `${viewers} now` },
  ];
  return html`
    <aside class="match-facts" aria-label="about this match">
      ${children}
      <section class="panel" aria-labelledby="this-match">
        <h2 id="this-match">This match</h2>
        <dl>${facts.map((fact) => fact && html`<div key=${fact.name}><dt>${fact.name}</dt><dd>${fact.value}</dd></div>`)}</dl>
        ${(previous || next) && !round && html`<${Beside} previous=${previous} next=${next} />`}
      </section>
      ${round && own && html`<${Near} round=${round} match=${match} own=${own.number} previous=${previous} next=${next} />`}
      ${item && item.meetings.length > 0 && html`<${Met} meetings=${item.meetings} game=${game} />`}
      <div class="panel facts-rules">
        <p>${line ? html`<strong>${title} in a line.</strong> ${line} ` : ""}<a href=${to("games", game)}>${line ? "All the rules" : `${title}: rules and leaderboard`}</a></p>
      </div>
    </aside>
  `;
}

/**
 * The round of a match: its boards, this one among them.
 *
 * @param {{round: RoundItem, match: string, own: number, previous: string|null, next: string|null}} props
 */
function Near({ round, match, own, previous, next }) {
  const played = round.encounters.filter(({ matches }) => matches.length);
  const at = played.findIndex(({ number }) => number === own);
  const first = Math.max(0, Math.min(at - NEAR / 2, played.length - NEAR));
  return html`
    <nav class="panel near" aria-labelledby="near">
      <h2 id="near">Round ${round.round}</h2>
      <ul>
        ${played.slice(first, first + NEAR).map((encounter) => {
          const here = encounter.number === own;
          const target = here ? match : (encounter.matches.find(({ status }) => status === "running") ?? encounter.matches[0]).match;
          return html`
            <li key=${encounter.number}>
              <a href=${to("match", target)} aria-current=${here ? "true" : null}>
                <span class="near-board">${encounter.board}</span><span class="near-bots">${encounter.bots.join(" · ")}</span><span class="near-made">${standing(encounter)}</span>
              </a>
            </li>
          `;
        })}
      </ul>
      <${Beside} previous=${previous} next=${next} />
    </nav>
  `;
}

/** @param {{previous: string|null, next: string|null}} props */
function Beside({ previous, next }) {
  return html`
    <p class="beside">
      ${previous ? html`<a class="button" href=${to("match", previous)} rel="prev">‹ Previous match</a>` : html`<span></span>`}
      ${next && html`<a class="button" href=${to("match", next)} rel="next">Next match ›</a>`}
    </p>
  `;
}

/** @param {{meetings: Meetings[], game: string}} props */
function Met({ meetings, game }) {
  const pairs = meetings.length === 1 ? "These two so far" : "These so far";
  return html`
    <section class="panel met" aria-labelledby="met">
      <h2 id="met">${pairs}</h2>
      <ul>
        ${meetings.map((pair) => {
          const { score, drawn } = met(pair);
          return html`
            <li key=${`${pair.first} ${pair.second}`}>
              <a href=${asking(to("bots", pair.first), { game })}>${pair.first}</a> <b>${score}</b> <a href=${asking(to("bots", pair.second), { game })}>${pair.second}</a>${drawn && html` <small>${drawn}</small>`}
            </li>
          `;
        })}
      </ul>
      <p><a href=${asking(to("results"), { game, bot: meetings[0].first })}>All matches</a></p>
    </section>
  `;
}
