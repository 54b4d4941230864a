/** Before a game: whom to play, in which seat, with which clock; beside it the board that waits. */

/** @import { GameItem, PlayRequest } from "../types/wire.js" */
/** @import { Candidate } from "../lib/play_request.js" */
/** @import { Kept } from "../lib/play_keep.js" */

import { useAction } from "../lib/action.js";
import { useFaults } from "../lib/faults.js";
import { isList } from "../lib/listed.js";
import { post } from "../lib/api.js";
import { useJson } from "../lib/hooks.js";
import { html, useEffect, useId, useState } from "../lib/html.js";
import { CLOCKS, FRIEND, candidates, request, strength } from "../lib/play_request.js";
import { to } from "../lib/router.js";
import { capital, plain } from "../lib/words.js";
import { Failure } from "./empty.js";
import { Face } from "./face.js";
import { Field, Option } from "./fields.js";
import { HandBoard } from "./hand_board.js";
import { Token } from "./token_field.js";

const BOARD = "board"; // an instance as text, which nobody types for a game

/** @param {{game: GameItem, against: string, sit: (kept: Kept) => void}} props */
export function PlaySetup({ game, against, sit }) {
  const position = useFirst(game);
  return html`
    <div class="play" data-idle>
      <section class="play-stage" aria-label="board">
        ${
          position
            ? html`<${HandBoard} game=${game.name} title=${game.title} position=${position} seats=${game.seats.map((name) => ({ name, bot: name }))} onMove=${() => {}} turn="The board stands; choose whom to play." />`
            : html`<div class="waiting" aria-busy="true"></div>`
        }
      </section>
      <${Opponents} game=${game} against=${against} sit=${sit} />
    </div>
  `;
}

/** @param {GameItem} game */
function useFirst(game) {
  const [position, setPosition] = useState(/** @type {import("../types/wire.js").PositionItem|null} */ (null));
  useEffect(() => {
    let wanted = true;
    setPosition(null);
    post(`games/${encodeURIComponent(game.name)}/position`).then(
      (found) => wanted && setPosition(found),
      () => {}, // the board before a game is an ornament
    );
    return () => {
      wanted = false;
    };
  }, [game.name]);
  return position;
}

/**
 * @param {object} props
 * @param {GameItem} props.game
 * @param {string} props.against  the opponent that a link has named
 * @param {(kept: Kept) => void} props.sit
 */
export function Opponents({ game, against, sit }) {
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
      const others = data.getAll("also").map(String);
      /** @type {PlayRequest} */
      const body = request(game, [value, ...others], all, data);
      const table = await post("play", body);
      sit({ table, request: body, made: [], match: "" });
    });
  return html`
    <form class="play-setup" ref=${form} onSubmit=${(/** @type {Event} */ event) => event.preventDefault()} aria-labelledby=${id}>
      <section class="panel" aria-labelledby=${id}>
        <h2 id=${id}>Opponents</h2>
        ${missing && html`<${Failure} error=${missing} retry=${refresh} />`}
        ${error && !wrong && html`<p class="form-error" role="alert">${error}</p>`}
        <ol class="opponents">
          ${race && html`<li><span class="opponent-who"><b>Alone</b><small>against the clock, or at your ease</small></span><button type="button" class=${named ? "" : "primary"} disabled=${busy} onClick=${() => play("")}>Play</button></li>`}
          ${all.map(
            (each, index) => html`
              <li key=${each.value} aria-current=${each === named ? "true" : null}>
                <${Face} name=${each.name} />
                <span class="opponent-who"><b>${each.level ? capital(plain(each.name)) : each.name}</b><small>${strength(each)}</small></span>
                ${each.level > 0 && html`<${Level} level=${each.level} />`}
                <button type="button" class=${(named ? each === named : index === 0 && !race) ? "primary" : ""} disabled=${busy} aria-label=${`Play ${each.name}`} onClick=${() => play(each.value)}>${race ? "Race" : "Play"}</button>
              </li>
            `,
          )}
        </ol>
        ${info && !all.length && html`<p class="quiet">No bot that plays ${game.title} is here. Start the server with <code>--house-bots 4</code>, or join one with <code>palio join</code>.</p>`}
        <button type="button" class="play-friend" disabled=${busy} onClick=${() => play(FRIEND)}>A friend, by link</button>
        ${info && !info.guests && html`<p class="note">This server has no guests: give your token below.</p>`}
      </section>
      <${Settings} game=${game} all=${all} guarded=${guarded || info?.guests === false} fault=${fault} />
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

/** @param {{game: GameItem, all: Candidate[], guarded: boolean, fault: (name: string) => string}} props */
function Settings({ game, all, guarded, fault }) {
  const race = game.kind === "race";
  const further = race ? 1 : game.seats.length - 2;
  const options = game.options.filter((option) => !isList(option) && option.name !== BOARD);
  const wrong = options.some(({ name }) => fault(`option ${name}`)) || fault("seed") || fault("name");
  return html`
    <section class="panel play-settings" aria-label="settings">
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
      ${Array.from({ length: further }, (_, index) => html`<${Also} key=${index} all=${all} race=${race} />`)}
      <details class="options" open=${wrong ? true : undefined}>
        <summary>More options</summary>
        ${options.map((option) => html`<${Option} key=${option.name} option=${option} fault=${fault(`option ${option.name}`)} />`)}
        ${race && html`<${Field} label="Seed" hint="the same number draws the same instance" fault=${fault("seed")}><input name="seed" type="number" min="0" max=${2 ** 53 - 1} placeholder="any" /></${Field}>`}
        <${Field} label="Your name" hint="a part of the guest's name" fault=${fault("name")}><input name="name" maxlength="20" autocomplete="off" pattern="[A-Za-z0-9._\\-]*" placeholder="guest" /></${Field}>
      </details>
      ${
        guarded &&
        html`
          <${Token} />
          <label class="check"><input type="checkbox" name="rated" /> rated, under the token's name</label>
        `
      }
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
