/** Before a game: whom to play, in which seat, with which clock; beside it the board that waits. */

/** @import { GameItem, PlayRequest, PositionItem } from "../types/wire.js" */
/** @import { Candidate } from "../lib/play_request.js" */
/** @import { Kept } from "../lib/play_keep.js" */
/** @import { EventOn } from "../lib/html.js" */

import { useAction } from "../lib/action.js";
import { useFaults } from "../lib/faults.js";
import { isList, optionsOf } from "../lib/listed.js";
import { ApiError, post } from "../lib/api.js";
import { useJson } from "../lib/hooks.js";
import { html, useEffect, useId, useState } from "../lib/html.js";
import { CLOCKS, FRIEND, candidates, nameFault, request, strength } from "../lib/play_request.js";
import { to } from "../lib/router.js";
import { capital, plain } from "../lib/words.js";
import { BotName } from "./bot_name.js";
import { Failure } from "./empty.js";
import { Face } from "./face.js";
import { Field, Option } from "./fields.js";
import { HandBoard } from "./hand_board.js";
import { Token } from "./token_field.js";

const BOARD = "board"; // an instance as text, which nobody types for a game
const REST_MS = 250; // from the last change of an option until the board follows
/** @type {Record<string, string>} */
const NO_OPTIONS = {};

/** @param {{game: GameItem, against: string, sit: (kept: Kept) => void}} props */
export function PlaySetup({ game, against, sit }) {
  const [options, setOptions] = useState(NO_OPTIONS);
  const { position, refused } = useFirst(game, options);
  return html`
    <div class="play" data-idle>
      <section class="play-stage" aria-label="board">
        ${
          position
            ? html`<${HandBoard} game=${game.name} title=${game.title} position=${position} seats=${game.seats.map((name) => ({ name, bot: name }))} onMove=${() => {}} turn=${refused || "The board stands; choose whom to play."} />`
            : html`<div class="waiting" aria-busy="true"></div>`
        }
      </section>
      <${Opponents} game=${game} against=${against} sit=${sit} onOptions=${setOptions} />
    </div>
  `;
}

/**
 * The first position with these options, and why there is none. A race draws its instance by lot when it begins, so the
 * board before it is an example and does not follow the options.
 *
 * @param {GameItem} game
 * @param {Record<string, string>} options
 */
function useFirst(game, options) {
  const [position, setPosition] = useState(/** @type {PositionItem|null} */ (null));
  const [refused, setRefused] = useState("");
  const chosen = JSON.stringify(game.kind === "race" ? NO_OPTIONS : options);
  useEffect(() => {
    let wanted = true;
    const ask = async () => {
      try {
        const found = await post(`games/${encodeURIComponent(game.name)}/position`, { options: JSON.parse(chosen) });
        if (!wanted) return;
        setPosition(found);
        setRefused("");
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (wanted && error.status === 422) setRefused(`${capital(error.message)}.`); // else the board is an ornament
      }
    };
    const timer = setTimeout(ask, chosen === "{}" ? 0 : REST_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [game.name, chosen]);
  return { position, refused };
}

/**
 * @param {object} props
 * @param {GameItem} props.game
 * @param {string} props.against  the opponent that a link has named
 * @param {(kept: Kept) => void} props.sit
 * @param {(options: Record<string, string>) => void} props.onOptions  called with the options that are filled in
 */
function Opponents({ game, against, sit, onOptions }) {
  const { value: info, error: missing, refresh } = useJson("play");
  const { value: bots } = useJson("bots");
  const { run, busy, error, guarded } = useAction(() => {});
  const { element: form, wrong, fault } = useFaults(error);
  const id = useId();
  const all = candidates(game.name, info?.house ?? [], bots ?? []);
  const race = game.kind === "race";
  const named = all.find(({ name }) => name === against);
  const play = (/** @type {string} */ value) =>
    run(async () => {
      if (!form.current) return;
      const data = new FormData(form.current);
      const refused = nameFault(String(data.get("name") ?? "").trim());
      if (refused) throw new ApiError(refused, 422); // before anything starts
      const others = data.getAll("also").map(String);
      /** @type {PlayRequest} */
      const body = request(game, [value, ...others], all, data);
      const table = await post("play", body);
      sit({ table, request: body, made: [], match: "" });
    });
  const onInput = (/** @type {EventOn<HTMLFormElement>} */ event) => {
    const data = new FormData(event.currentTarget);
    onOptions(optionsOf(game, (field) => String(data.get(field) ?? "").trim()));
  };
  return html`
    <form class="play-setup" ref=${form} onInput=${onInput} onSubmit=${(/** @type {Event} */ event) => event.preventDefault()} aria-labelledby=${id}>
      <${Seating} game=${game} all=${all} fault=${fault} />
      <div class="play-whom">
        <section class="panel" aria-labelledby=${id}>
          <div class="pair">
            <h2 id=${id}>Opponents</h2>
            <button type="button" class="play-friend" disabled=${busy} onClick=${() => play(FRIEND)}>A friend, by link</button>
          </div>
          ${missing && html`<${Failure} error=${missing} retry=${refresh} />`}
          ${error && !wrong && html`<p class="form-error" role="alert">${error}</p>`}
          <ol class="opponents" aria-busy=${(info || missing) && bots ? null : "true"}>
            ${race && html`<li><span class="opponent-who"><b>Alone</b><small>against the clock, or at your ease</small></span><button type="button" class=${named ? "" : "primary"} disabled=${busy} onClick=${() => play("")}>Play</button></li>`}
            ${all.map(
              (each, index) => html`
                <li key=${each.value} aria-current=${each === named ? "true" : null}>
                  <${Face} name=${each.name} />
                  <span class="opponent-who"><${BotName} name=${each.level ? capital(plain(each.name)) : each.name} /><small>${strength(each)}</small></span>
                  ${each.level > 0 && html`<${Level} level=${each.level} />`}
                  <button type="button" class=${(named ? each === named : index === 0 && !race) ? "primary" : ""} disabled=${busy} aria-label=${`Play ${each.name}`} onClick=${() => play(each.value)}>${race ? "Race" : "Play"}</button>
                </li>
              `,
            )}
          </ol>
          ${info && !all.length && html`<p class="quiet">No bot that plays ${game.title} is here. Start the server with <code>--house-bots 4</code>, or join one with <code>palio join</code>.</p>`}
          ${info && !info.guests && html`<p class="note">This server has no guests: give your token below.</p>`}
        </section>
        <${Settings} game=${game} guarded=${guarded || info?.guests === false} fault=${fault} />
      </div>
      <section class="panel play-rules" aria-label="rules">
        <h2>Rules in a line</h2>
        <p>${game.line}</p>
        <p><a href=${to("games", game.name)}>All the rules, with a board to try</a></p>
      </section>
    </form>
  `;
}

/** @param {{level: number}} props */
function Level({ level }) {
  return html`
    <span class="level" role="img" aria-label=${`level ${level} of 5`}>${[1, 2, 3, 4, 5].map((each) => html`<i key=${each} data-on=${each <= level ? "" : null}></i>`)}</span>
  `;
}

/**
 * What is chosen before the opponent, whose button starts the game.
 *
 * @param {{game: GameItem, all: Candidate[], fault: (name: string) => string}} props
 */
function Seating({ game, all, fault }) {
  const race = game.kind === "race";
  const further = race ? 1 : game.seats.length - 2;
  const usual = game.options.filter((option) => option.examples?.length);
  return html`
    <section class="panel play-seating" aria-label="seat and clock">
      <div class="pair">
        ${
          !race &&
          html`
            <${Field} label="Your seat">
              <select name="seat">
                ${game.seats.map((seat, index) => html`<option key=${seat} value=${index}>${index === 0 ? `${seat}, first` : seat}</option>`)}
                <option value="">by lot</option>
              </select>
            </${Field}>
          `
        }
        <${Field} label="Clock" hint=${game.anytime ? "five minutes where none is chosen" : ""}>
          <select name="tc">${CLOCKS.map(([value, label]) => html`<option key=${value} value=${value}>${value || !game.anytime ? label : "5 min"}</option>`)}</select>
        </${Field}>
      </div>
      ${usual.map((option) => html`<${Option} key=${option.name} option=${option} fault=${fault(`option ${option.name}`)} />`)}
      ${Array.from({ length: further }, (_, index) => html`<${Also} key=${index} all=${all} race=${race} />`)}
    </section>
  `;
}

/** @param {{game: GameItem, guarded: boolean, fault: (name: string) => string}} props */
function Settings({ game, guarded, fault }) {
  const race = game.kind === "race";
  const options = game.options.filter((option) => !isList(option) && option.name !== BOARD && !option.examples?.length);
  const wrong = options.some(({ name }) => fault(`option ${name}`)) || fault("seed") || fault("name");
  return html`
    <section class="panel play-settings" aria-label="settings">
      <details class="options" open=${wrong ? true : undefined}>
        <summary>More options</summary>
        ${options.map((option) => html`<${Option} key=${option.name} option=${option} fault=${fault(`option ${option.name}`)} />`)}
        ${race && html`<${Field} label="Seed" hint="the same number draws the same instance" fault=${fault("seed")}><input name="seed" type="number" min="0" max=${2 ** 53 - 1} placeholder="any" /></${Field}>`}
        <${Field} label="Your name" hint="letters a to z, digits and . _ - only" fault=${fault("name")}><input name="name" autocomplete="off" placeholder="guest" /></${Field}>
      </details>
      <details class="options" open=${guarded ? true : undefined}>
        <summary>Play for a rating</summary>
        <${Token} />
        <label class="check"><input type="checkbox" name="rated" /> rated, under the token's name</label>
      </details>
    </section>
  `;
}

/** @param {{all: Candidate[], race: boolean}} props */
function Also({ all, race }) {
  return html`
    <${Field} label=${race ? "And also" : "Third seat"}>
      <select name="also">
        <option value="">${race ? "nobody else" : "the same bot"}</option>
        ${all.map(({ value, name }) => html`<option key=${value} value=${value}>${plain(name)}</option>`)}
        <option value=${FRIEND}>a friend, by link</option>
      </select>
    </${Field}>
  `;
}
