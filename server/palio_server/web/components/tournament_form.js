/** Make a tournament: game, format and its rules, time, who takes part, when it starts. */

/** @import { EventOn } from "../lib/html.js" */
/** @import { BotItem, FormatItem, GameItem } from "../types/wire.js" */

import { useAction } from "../lib/action.js";
import { post } from "../lib/api.js";
import { eventRequest, fieldOf, fieldsOf, noSuchTime } from "../lib/event_request.js";
import { useJson, useTitle } from "../lib/hooks.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { go } from "../lib/navigation.js";
import { to } from "../lib/router.js";
import { Failure } from "./empty.js";
import { Field, Options } from "./fields.js";
import { FormatRules } from "./format_rules.js";
import { TakePart } from "./take_part.js";
import { Token } from "./token_field.js";

const USUAL = "round_robin"; // what most people mean by a tournament
const UNTIMED = "Say when it starts, or choose another way to start it.";

/** @param {{games: GameItem[]}} props */
export function TournamentForm({ games }) {
  useTitle("New tournament");
  const { value: formats, error, refresh } = useJson("formats");
  const { value: bots } = useJson("bots");
  return html`
    <nav class="crumbs" aria-label="Where this is"><a href=${to("tournaments")}>Tournaments</a> <span aria-hidden="true">›</span> <span>new</span></nav>
    <h1>New tournament</h1>
    ${error && html`<${Failure} error=${error} retry=${refresh} />`}
    ${games.length > 0 && formats?.length ? html`<${Form} games=${games} formats=${formats} bots=${bots ?? []} />` : !error && html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`}
  `;
}

/** @param {{games: GameItem[], formats: FormatItem[], bots: BotItem[]}} props */
function Form({ games, formats, bots }) {
  const [gameName, setGame] = useState(games[0].name);
  const [formatName, setFormat] = useState(USUAL);
  const [when, setWhen] = useState("now");
  const [local, setLocal] = useState(/** @type {{field: string, text: string}|null} */ (null));
  const form = useRef(/** @type {HTMLFormElement|null} */ (null));
  const { run, busy, error, guarded } = useAction(() => {});
  const game = games.find(({ name }) => name === gameName) ?? games[0];
  const format = formats.find(({ name }) => name === formatName) ?? formats[0];
  const text = local?.text ?? error;
  const wrong = local?.field ?? (error ? fieldOf(error, fieldsOf(form.current)) : "");
  const fault = (/** @type {string} */ name) => (wrong === name ? text : "");
  useEffect(() => {
    const element = wrong ? form.current?.elements.namedItem(wrong) : null;
    const first = element instanceof RadioNodeList ? element[0] : element;
    if (first instanceof HTMLElement) first.focus();
  }, [wrong, text]);

  const make = (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const body = eventRequest(game, format, data);
    const untimed = when !== "at" ? "" : body.starts_at ? noSuchTime(String(data.get("starts_at"))) : UNTIMED;
    setLocal(untimed ? { field: "starts_at", text: untimed } : null);
    if (untimed) return;
    run(async () => {
      const { id } = await post("tournaments", body);
      go(to("tournaments", id));
    });
  };
  const pick = (/** @type {(value: string) => void} */ set) => (/** @type {EventOn<HTMLSelectElement|HTMLInputElement>} */ event) => set(event.currentTarget.value);
  return html`
    <form class="event-form" ref=${form} onSubmit=${make} noValidate aria-label="New tournament">
      <fieldset class="panel start">
        <legend class="unseen">What is played</legend>
        <h2 aria-hidden="true">What is played</h2>
        <${Field} label="Name" fault=${fault("name")}><input name="name" maxlength="200" placeholder=${`${game.title}, ${format.title.toLowerCase()}`} autocomplete="off" /></${Field}>
        <div class="pair">
          <${Field} label="Game" fault=${fault("game")}>
            <select name="game" value=${game.name} onChange=${pick(setGame)}>${games.map(({ name, title }) => html`<option key=${name} value=${name}>${title}</option>`)}</select>
          </${Field}>
          <${Field} label="Format" fault=${fault("format")}>
            <select name="format" value=${format.name} onChange=${pick(setFormat)}>${formats.map(({ name, title }) => html`<option key=${name} value=${name}>${title}</option>`)}</select>
          </${Field}>
        </div>
        <${FormatRules} key=${format.name} format=${format} fault=${fault} />
        <div class="pair">
          <${Field} label="Clock" hint="base + increment, in seconds" fault=${fault("tc")}><input name="tc" placeholder="10+0.1" autocomplete="off" spellcheck=${false} /></${Field}>
          <${Field} label="A move" hint="seconds at most" fault=${fault("st")}><input name="st" placeholder="no limit" inputmode="decimal" autocomplete="off" /></${Field}>
        </div>
        <${Options} key=${`o ${game.name}`} game=${game} fault=${fault} />
      </fieldset>
      <fieldset class="panel start">
        <legend class="unseen">Who and when</legend>
        <h2 aria-hidden="true">Who and when</h2>
        <${TakePart} key=${`b ${game.name}`} players=${bots.filter(({ games: plays }) => plays.includes(game.name))} fault=${fault("bot") || fault("bots")} />
        <${Field} label="Besides these" fault=${fault("admits")}>
          <select name="admits">
            <option value="listed">nobody else</option>
            <option value="open">any bot that is connected may enter</option>
            <option value="token">whoever has a token may enter</option>
          </select>
        </${Field}>
        <div class="choices" role="radiogroup" aria-label="start">
          ${[["now", "Start now"], ["later", "Start by hand"], ["at", "Start at a time"]].map(
            ([value, label]) => html`<label key=${value} class="check"><input type="radio" name="when" value=${value} checked=${when === value} onChange=${pick(setWhen)} /> ${label}</label>`,
          )}
        </div>
        ${when === "at" && html`<${Field} label="Starts at" hint="your own clock" fault=${fault("starts_at")}><input name="starts_at" type="datetime-local" /></${Field}>`}
        ${guarded && html`<${Token} />`}
        <p class="form-error" role="alert">${wrong ? "" : text}</p>
        <button type="submit" class="primary" disabled=${busy}>${when === "now" ? "Make and start" : "Make the tournament"}</button>
      </fieldset>
    </form>
  `;
}
