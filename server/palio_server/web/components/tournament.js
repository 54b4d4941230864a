/**
 * A tournament: what it is, how far it is, and its parts, one at a time, each with an address of its own.
 *
 * @typedef {{event: TournamentDetail, version: number, cards: Card[], part: string, refresh: () => void, games: GameItem[]}} PartProps
 *   `part`: the word after the part's own in the address, such as the number of a round
 */

/** @import { GameItem, TournamentDetail } from "../types/wire.js" */
/** @import { Card } from "../lib/lobby_fold.js" */
/** @import { VNode } from "../vendor/preact.js" */

import { ApiError } from "../lib/api.js";
import { useEvery, useFollow, useJson, useTitle } from "../lib/hooks.js";
import { html, useLayoutEffect, useRef } from "../lib/html.js";
import { crowdVersion, foldLobby, resultsVersion } from "../lib/lobby_fold.js";
import { to } from "../lib/router.js";
import { BracketPart } from "./bracket.js";
import { Connection } from "./connection.js";
import { Empty, Failure } from "./empty.js";
import { EntriesPart } from "./entries.js";
import { CrossPart } from "./event_cross_table.js";
import { EventHead } from "./event_head.js";
import { RulesPart } from "./event_rules.js";
import { StandingsPart } from "./event_standings.js";
import { RoundsPart } from "./rounds.js";
import { SprtPart } from "./sprt.js";

const LOOK_EVERY_MS = 15_000; // what no match tells: a pause, a new entry, the time left

/** @type {Record<string, (props: PartProps) => VNode|VNode[]>} */
const PARTS = {
  bracket: BracketPart,
  test: SprtPart,
  standings: StandingsPart,
  rounds: RoundsPart,
  cross: CrossPart,
  entries: EntriesPart,
  rules: RulesPart,
};

/**
 * The parts that an event has, the first one first: the addresses' words and their names.
 *
 * @param {TournamentDetail} event
 * @returns {[word: string, name: string][]}
 */
function partsOf({ bracket, sprt, standings, groups }) {
  /** @type {[string, string, boolean][]} */
  const all = [
    ["bracket", "Bracket", bracket !== null],
    ["test", "Test", sprt !== null],
    ["standings", groups.length ? "Groups and standings" : "Standings", true],
    ["rounds", "Rounds", true],
    ["cross", "Cross-table", standings.length > 2],
    ["entries", "Bots and entries", true],
    ["rules", "Rules of the event", true],
  ];
  return all.filter(([, , has]) => has).map(([word, name]) => [word, name]);
}

/** @param {{id: string, rest: string[], games: GameItem[]}} props */
export function Tournament({ id, rest, games }) {
  const { state, status } = useFollow("ws/live", foldLobby);
  const version = resultsVersion(state) + crowdVersion(state); // results, matches that begin, bots that come and go
  const { value, error, refresh } = useJson(`tournaments/${encodeURIComponent(id)}`, version);
  useEvery(LOOK_EVERY_MS, refresh);
  useTitle(value?.name ?? `Tournament ${id}`);
  if (error instanceof ApiError && error.status === 404) return html`<${None} id=${id} />`;
  const cards = value ? (state?.cards ?? []).filter(({ summary }) => summary.tournament === value.id) : [];
  return html`
    <${Connection} status=${status} />
    <nav class="crumbs" aria-label="Where this is"><a href=${to("tournaments")}>Tournaments</a> <span aria-hidden="true">›</span> <span>${value?.name ?? id}</span></nav>
    ${!value && html`<h1>Tournament ${id}</h1>`}
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${!value && !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
    ${
      value &&
      html`
        <${EventHead} event=${value} games=${games} refresh=${refresh} />
        <${Part} event=${value} rest=${rest} version=${version} cards=${cards} refresh=${refresh} games=${games} />
      `
    }
  `;
}

/** @param {{id: string}} props */
function None({ id }) {
  return html`
    <h1>Tournament ${id}</h1>
    <${Empty} title="No such tournament."><a href=${to("tournaments")}>To the tournaments</a></${Empty}>
  `;
}

/** @param {{event: TournamentDetail, rest: string[], version: number, cards: Card[], refresh: () => void, games: GameItem[]}} props */
function Part({ event, rest, version, cards, refresh, games }) {
  const parts = partsOf(event);
  const [asked = parts[0][0], part = ""] = rest;
  const here = parts.some(([word]) => word === asked) ? asked : parts[0][0];
  const Shown = PARTS[here];
  const tabs = useRef(/** @type {HTMLElement|null} */ (null));
  useLayoutEffect(() => {
    const current = tabs.current?.querySelector("[aria-current]");
    if (tabs.current && current instanceof HTMLElement) tabs.current.scrollLeft = current.offsetLeft - (tabs.current.clientWidth - current.clientWidth) / 2;
  }, [here]);
  return html`
    <nav class="tabs" aria-label="Parts of the event" ref=${tabs}>
      <ul>
        ${parts.map(([word, name]) => html`<li key=${word}><a href=${to("tournaments", event.id, word)} aria-current=${word === here ? "page" : null}>${name}</a></li>`)}
      </ul>
    </nav>
    <div class="part"><${Shown} key=${here} event=${event} version=${version} cards=${cards} part=${part} refresh=${refresh} games=${games} /></div>
  `;
}
