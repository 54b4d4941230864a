/** Start a match between connected bots. */

/** @import { EventOn } from "../lib/html.js" */
/** @import { BotItem, GameItem, StartRequest } from "../types/wire.js" */

import { useAction } from "../lib/action.js";
import { useFaults } from "../lib/faults.js";
import { post } from "../lib/api.js";
import { useJson } from "../lib/hooks.js";
import { html, useId, useState } from "../lib/html.js";
import { optionsOf } from "../lib/listed.js";
import { go } from "../lib/navigation.js";
import { to } from "../lib/router.js";
import { plural } from "../lib/words.js";
import { Entrants } from "./entrants.js";
import { Field, Options } from "./fields.js";
import { Token } from "./token_field.js";

const CROWD_MS = 4000; // between two questions who is here

/** @param {{games: GameItem[], bots: BotItem[]|null, complete: boolean}} props  `complete`: there are no others */
export function StartForm({ games, bots, complete }) {
  const [name, setGame] = useState("");
  const [entered, enter] = useState(0); // how often somebody has come to one of the fields
  const { run, busy, error, guarded } = useAction(() => {});
  const form = useId();
  const { element, wrong, fault } = useFaults(error);
  const game = games.find((candidate) => candidate.name === name) ?? games[0];
  const { value: crowd } = useJson(complete || !game ? null : /** @type {`bots?${string}`} */ (`bots?game=${game.name}${entered ? "" : "&limit=50"}`), entered, CROWD_MS);
  const known = crowd ?? bots; // of a crowd some, and all as soon as somebody looks into the form
  const players = (known ?? []).filter((bot) => game && bot.games.includes(game.name));
  const race = game?.kind === "race";
  const missing = known && game ? shortage(game, race ? 1 : game.seats.length, players.length) : null;

  const start = (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    run(async () => {
      const { match } = await post("matches", request(game, data));
      go(to("match", match));
    });
  };
  if (!game) return html`<section class="panel"><h2>Start a match</h2><p class="quiet">Loading the games …</p></section>`;
  return html`
    <section class="panel" aria-labelledby=${form}>
      <h2 id=${form}>Start a match</h2>
      <form class="start" ref=${element} onSubmit=${start} onfocusin=${complete ? null : () => enter(entered + 1)} aria-labelledby=${form}>
        <${Field} label="Game">
          <select name="game" value=${game.name} onChange=${(/** @type {EventOn<HTMLSelectElement>} */ event) => setGame(event.currentTarget.value)}>
            ${games.map(({ name: value, title }) => html`<option key=${value} value=${value}>${title}</option>`)}
          </select>
        </${Field}>
        ${
          race
            ? html`<${Entrants} key=${game.name} players=${players} />`
            : html`<${Seats} key=${game.name} seats=${game.seats} players=${players} />`
        }
        <div class="pair">
          <${Field} label="Clock" hint="base + increment" fault=${fault("tc")}>
            <input name="tc" placeholder="10+0.1" autocomplete="off" spellcheck=${false} />
          </${Field}>
          <${Field} label="A move" hint="seconds at most" fault=${fault("st")}>
            <input name="st" placeholder="no limit" inputmode="decimal" autocomplete="off" />
          </${Field}>
        </div>
        <${Options} key=${game.name} game=${game} fault=${fault} />
        ${guarded && html`<${Token} />`}
        <p class="form-error" role="alert">${wrong ? "" : error}</p>
        ${missing && html`<p class="form-missing" id=${`${form}m`}>${missing}</p>`}
        <button type="submit" disabled=${busy || missing !== null} aria-describedby=${missing ? `${form}m` : null}>
          Start
        </button>
      </form>
    </section>
  `;
}

/**
 * Why a match cannot be started yet; null if it can.
 *
 * @param {GameItem} game
 * @param {number} needed
 * @param {number} here
 */
function shortage({ title }, needed, here) {
  if (here >= needed) return null;
  return `${title} needs ${plural(needed, "bot")}; ${here ? `${here} of those here` : "none of those here"} can play it.`;
}

/**
 * A bot for each seat. One that is given another's seat leaves its own to that one.
 *
 * @param {{seats: string[], players: BotItem[]}} props
 */
function Seats({ seats, players }) {
  const names = players.map(({ name }) => name);
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const taken = fill(seats.length, chosen, names);
  const choose = (/** @type {number} */ index, /** @type {string} */ bot) => setChosen(taken.map((other, seat) => (seat === index ? bot : other === bot ? taken[index] : other)));
  return seats.map(
    (seat, index) => html`
      <${Field} key=${seat} label=${seat}>
        <select name="bot" value=${taken[index]} onChange=${(/** @type {EventOn<HTMLSelectElement>} */ event) => choose(index, event.currentTarget.value)} required>
          ${!players.length && html`<option value="">no bot plays this game yet</option>`}
          ${players.length > 0 && !taken[index] && html`<option value="">one more bot is needed</option>`}
          ${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
        </select>
      </${Field}>
    `,
  );
}

/**
 * Who sits where: those that were chosen and are still here, then the others in their order; "" where nobody is left.
 *
 * @param {number} seats
 * @param {string[]} chosen
 * @param {string[]} names
 * @returns {string[]}
 */
function fill(seats, chosen, names) {
  const kept = Array.from({ length: seats }, (_, seat) => (names.includes(chosen[seat]) ? chosen[seat] : ""));
  const free = names.filter((name) => !kept.includes(name));
  return kept.map((bot) => bot || free.shift() || "");
}

/**
 * What is posted: only what was filled in, so that the server's own defaults hold.
 *
 * @param {GameItem} game
 * @param {FormData} data
 * @returns {StartRequest}
 */
function request(game, data) {
  const text = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
  /** @type {StartRequest} */
  const body = { game: game.name, bots: data.getAll("bot").map(String), options: optionsOf(game, text) };
  if (text("tc")) body.tc = text("tc");
  if (text("st")) body.st = text("st");
  if (text("opening_plies")) body.opening_plies = Number(text("opening_plies"));
  if (text("seed")) body.seed = Number(text("seed"));
  if (data.has("by_time")) body.by_time = true;
  return body;
}
