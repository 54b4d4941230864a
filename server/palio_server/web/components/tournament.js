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
import { useEvery, useJson, useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { crowdVersion, resultsVersion } from "../lib/lobby_fold.js";
import { useLobby } from "../lib/lobby_stream.js";
import { to } from "../lib/router.js";
import { Connection } from "./connection.js";
import { Empty, Failure } from "./empty.js";
import { EntriesPart } from "./entries.js";
import { EventBoard } from "./event_board.js";
import { CrossPart } from "./event_cross_table.js";
import { EventHead } from "./event_head.js";
import { RulesPart } from "./event_rules.js";
import { StandingsPart } from "./event_standings.js";
import { Later } from "./later.js";
import { RoundsPart } from "./rounds.js";
import { Tabs } from "./tabs.js";

const BOARDS = 32; // of the event: twice as many as are shown at once
const LOOK_EVERY_MS = 15_000; // what no match tells: a pause, a new entry, the time left

/** @type {Record<string, (props: PartProps) => VNode|VNode[]>} */
const PARTS = {
  bracket: later(async () => (await import("./bracket.js")).BracketPart),
  test: later(async () => (await import("./sprt.js")).SprtPart),
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
  const { state, status, why } = useLobby({ event: /^[0-9]{1,9}$/.test(id) ? id : "0", boards: BOARDS });
  const version = resultsVersion(state) + crowdVersion(state); // results, matches that begin, bots that come and go
  const { value, error, refresh } = useJson(`tournaments/${encodeURIComponent(id)}`, version);
  useEvery(LOOK_EVERY_MS, refresh);
  useTitle(value?.name ?? `Tournament ${id}`);
  if (error instanceof ApiError && error.status === 404) return html`<${None} id=${id} />`;
  const cards = value ? (state?.cards ?? []).filter(({ summary }) => summary.tournament === value.id) : [];
  return html`
    <${Connection} status=${status} why=${why} />
    <nav class="crumbs" aria-label="Where this is"><a href=${to("tournaments")}>Tournaments</a> <span aria-hidden="true">›</span> <span>${value?.name ?? id}</span></nav>
    ${!value && html`<h1>Tournament ${id}</h1>`}
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${!value && !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
    ${
      value &&
      html`
        <${EventHead} event=${value} games=${games} refresh=${refresh} />
        <${EventBoard} event=${value} cards=${cards} version=${version} />
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
  const tabs = parts.map(([word, name]) => ({ word, name, address: to("tournaments", event.id, word) }));
  return html`
    <${Tabs} label="Parts of the event" tabs=${tabs} here=${here} />
    <div class="part"><${Shown} key=${here} event=${event} version=${version} cards=${cards} part=${part} refresh=${refresh} games=${games} /></div>
  `;
}

/**
 * A part that few events have.
 *
 * @param {() => Promise<(props: PartProps) => VNode|VNode[]>} load
 */
function later(load) {
  return (/** @type {PartProps} */ props) => html`<${Later} load=${load} props=${props} />`;
}
