/** A tournament: how far it is, and its cross-table. */

/** @import { GameItem, TableRow, TournamentDetail } from "../types/wire.js" */

import { ApiError } from "../lib/api.js";
import { useFollow, useJson, useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { foldLobby, resultsVersion } from "../lib/lobby_fold.js";
import { paid } from "../lib/race_words.js";
import { to } from "../lib/router.js";
import { points } from "../lib/words.js";
import { Card } from "./card.js";
import { Connection } from "./connection.js";
import { Empty, Failure } from "./empty.js";
import { Matrix } from "./matrix.js";
import { Results } from "./results.js";

const MOST = 100; // results listed; the API has all of them

/** @param {{id: string, games: GameItem[]}} props */
export function Tournament({ id, games }) {
  const { state, status } = useFollow("ws/live", foldLobby);
  const { value, error, refresh } = useJson(`tournaments/${encodeURIComponent(id)}`, resultsVersion(state));
  useTitle(value?.name ?? `Tournament ${id}`);
  if (error instanceof ApiError && error.status === 404) {
    return html`<h1>Tournament ${id}</h1><${Empty} title="No such tournament."><a href="#/">To the live matches</a></${Empty}>`;
  }
  const title = games.find(({ name }) => name === value?.game)?.title ?? value?.game;
  const cards = value ? (state?.cards ?? []).filter(({ summary }) => summary.event === value.name) : [];
  return html`
    <${Connection} status=${status} />
    <div class="section-head">
      <h1>${value?.name ?? `Tournament ${id}`}</h1>
      ${value && html`<p class="count"><a href=${to("leaderboard", value.game)}>${title} leaderboard</a></p>`}
    </div>
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${!value && !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
    ${value && html`<${Progress} tournament=${value} /><${CrossTable} rows=${value.table} />`}
    ${
      cards.length > 0 &&
      html`<h2>Being played</h2>
        <ul class="cards">${cards.map((card) => html`<${Card} key=${card.summary.match} card=${card} />`)}</ul>`
    }
    ${value && html`<${Results} title="Results" tournament=${id} most=${MOST} version=${resultsVersion(state)} />`}
  `;
}

/** @param {{tournament: TournamentDetail}} props */
function Progress({ tournament: { scheduled, running, finished, aborted } }) {
  const total = scheduled + running + finished + aborted;
  const words = [`${finished} of ${total} matches finished`, running && `${running} being played`, aborted && `${aborted} broken off`];
  return html`
    <p class="progress">
      <progress value=${finished} max=${total || 1} aria-label="matches finished" />
      <span>${words.filter(Boolean).join(", ")}</span>
    </p>
  `;
}

/** @param {{rows: TableRow[]}} props */
function CrossTable({ rows }) {
  const byBot = new Map(rows.map((row) => [row.bot, row]));
  const cell = (/** @type {string} */ row, /** @type {string} */ col) => {
    const score = byBot.get(row)?.against[col];
    if (!score) return null;
    const { wins, draws, losses } = score;
    const [made, games] = [wins + draws / 2, wins + draws + losses];
    return { text: `${points(made)}/${games}`, title: `${row} against ${col}: +${wins} =${draws} −${losses}`, share: made / games };
  };
  const figures = totals(rows).map(({ title, text }) => ({
    title,
    text: (/** @type {string} */ bot) => {
      const row = byBot.get(bot);
      return row ? text(row) : "";
    },
  }));
  return html`<${Matrix} label="cross-table" bots=${rows.map(({ bot }) => bot)} cell=${cell} totals=${figures} />`;
}

/**
 * The columns after the square: points and games; in races what the bots have paid, too.
 *
 * @param {TableRow[]} rows
 * @returns {{title: string, text: (row: TableRow) => string}[]}
 */
function totals(rows) {
  const percent = (/** @type {number|null|undefined} */ share) => (share === null || share === undefined ? "–" : `+${(100 * share).toFixed(1)} %`);
  /** @type {ReturnType<typeof totals>} */
  const raced = [
    { title: "Solved", text: ({ costs }) => (costs ? `${costs.solved}/${costs.races}` : "–") },
    { title: "Mean cost", text: ({ costs }) => paid(costs?.mean) },
    { title: "Over best", text: ({ costs }) => percent(costs?.over_best) },
  ];
  return [
    { title: "Points", text: (row) => points(row.points) },
    { title: "Games", text: ({ games }) => String(games) },
    ...(rows.some(({ costs }) => costs) ? raced : []),
  ];
}
