/** Moves tried from any position, for both sides: what is best there and how it stands; and played on against a bot. */

/** @import { GameItem, HandMove, Hint, HintRequest, PositionItem } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */
/** @import { Trying } from "../lib/trying.js" */

import { useAction } from "../lib/action.js";
import { ApiError, get, post } from "../lib/api.js";
import { capital, reason } from "../lib/codes.js";
import { asView, shape } from "../lib/hand_view.js";
import { useJson, useTitle } from "../lib/hooks.js";
import { html, useEffect, useState } from "../lib/html.js";
import { go } from "../lib/navigation.js";
import { candidates, strength } from "../lib/play_request.js";
import { asking, to } from "../lib/router.js";
import { sitDown } from "../lib/sit_down.js";
import { firstsShare, from, lookAt, tried, worth } from "../lib/trying.js";
import { plain, plural } from "../lib/words.js";
import { Empty, Failure } from "./empty.js";
import { Field } from "./fields.js";
import { seatsOf } from "./games.js";
import { HandBoard } from "./hand_board.js";
import { seatClass } from "./seat.js";

const DEPTH = 4; // plies that the best moves are searched
const BEST = 5; // moves that are shown
const REST_MS = 250; // a position that is looked at for so long is searched
const AGAIN_MS = 2000; // after an answer that others are being searched for

/** @param {{id: string, query: URLSearchParams, games: GameItem[]}} props */
export function Try({ id, query, games }) {
  const game = games.find(({ name }) => name === id);
  const match = query.get("match") ?? "";
  const ply = Number(query.get("ply") ?? 0);
  const seat = query.get("seat") ?? "";
  const state = query.get("state") ?? "";
  const path = match ? asking(`matches/${encodeURIComponent(match)}/positions/${ply}`, { seat }) : "";
  const { trying, change, error, retry } = useTrying(game?.name ?? "", path, state);
  useTitle(game ? `${game.title}: try moves` : "Try moves");
  if (!games.length) return html`<h1>Try moves</h1><div class="waiting" aria-busy="true"><p>Loading the games …</p></div>`;
  if (!game) return html`<h1>Try moves</h1><${Empty} title=${`There is no game ${id} here.`}><a href=${to("games")}>See the games</a></${Empty}>`;
  return html`
    ${match && html`<nav class="crumbs" aria-label="Where this is"><a href=${asking(to("match", match), { ply })}>The match at ply ${ply}</a> <span aria-hidden="true">›</span> <span>try moves</span></nav>`}
    <h1 class=${match ? "unseen" : null}>${game.title}: try moves</h1>
    ${error && html`<${Failure} error=${error} retry=${retry} />`}
    ${trying ? html`<${Board} game=${game} match=${match} ply=${ply} trying=${trying} change=${change} />` : !error && html`<div class="waiting" aria-busy="true"><p>Loading the position …</p></div>`}
  `;
}

/**
 * The positions that were tried, from the one that the address names.
 *
 * @param {string} game
 * @param {string} path  of a match's position; "" for `state`, or the game's first one
 * @param {string} state
 */
function useTrying(game, path, state) {
  const [trying, change] = useState(/** @type {Trying|null} */ (null));
  const [error, setError] = useState(/** @type {Error|null} */ (null));
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (!game) return undefined;
    let wanted = true;
    change(null);
    setError(null);
    const found = path ? get(path) : post(`games/${encodeURIComponent(game)}/position`, state ? { state } : {});
    found.then(
      (position) => wanted && change(from(/** @type {PositionItem} */ (position))),
      (failure) => wanted && setError(failure),
    );
    return () => {
      wanted = false;
    };
  }, [game, path, state, asked]);
  return { trying, change, error, retry: () => setAsked((count) => count + 1) };
}

/** @param {{game: GameItem, match: string, ply: number, trying: Trying, change: (trying: Trying) => void}} props */
function Board({ game, match, ply, trying, change }) {
  const [flipped, setFlipped] = useState(false);
  const { run, error } = useAction(() => {});
  const { positions, notations, at } = trying;
  const position = positions[at];
  const advice = useBest(game, position);
  const seats = seatsOf(game.seats);
  const race = game.kind === "race";
  const play = (/** @type {unknown} */ move, /** @type {string} */ notation) =>
    run(async () => {
      const next = /** @type {PositionItem} */ (await post(`games/${encodeURIComponent(game.name)}/position`, { state: position.state, play: move }));
      change(tried(trying, next, notation));
    });
  const step = (/** @type {number} */ to_) => change(lookAt(trying, to_));
  useStepKeys({ back: () => step(at - 1), on: () => step(at + 1), flip: () => !race && setFlipped(!flipped) });
  const moves = position.moves ?? [];
  return html`
    <div class="trying">
      <section class="trying-stage" aria-label="board" ...${position.scene ? shape(position.scene) : {}}>
        ${!race && seats.length === 2 && html`<${Gauge} share=${firstsShare(advice.hint, position)} seats=${seats} flipped=${flipped} />`}
        <${HandBoard}
          game=${game.name}
          title=${game.title}
          seats=${seats}
          position=${position}
          view=${asView(position)}
          before=${at > 0 ? asView(positions[at - 1]) : null}
          mine=${!position.over}
          entrant=${race ? 0 : null}
          flipped=${flipped}
          turn=${said(position, game.seats)}
          onMove=${play}
        />
      </section>
      <div class="trying-side">
        <section class="panel trying-advice" data-race=${race ? "" : null} aria-labelledby="best">
          <h2 id="best">Best moves</h2>
          <${Best} game=${game} position=${position} advice=${advice} play=${play} />
        </section>
        <section class="panel" aria-labelledby="tried">
          <h2 id="tried">Tried</h2>
          <p class="trying-line">
            ${at === 0 && !notations.length ? html`<span class="quiet">Make a move for either side.</span>` : notations.map((notation, index) => html`<button key=${index} type="button" class="move" aria-current=${index + 1 === at ? "step" : null} onClick=${() => step(index + 1)}>${notation}</button>`)}
          </p>
          ${error && html`<p class="form-error" role="alert">${error}</p>`}
          <p class="trying-keys">
            <button type="button" disabled=${at === 0} onClick=${() => step(at - 1)}>Back</button>
            <button type="button" disabled=${at === positions.length - 1} onClick=${() => step(at + 1)}>On</button>
            <button type="button" disabled=${at === 0} onClick=${() => step(0)}>${match ? `To ply ${ply}` : "To the start"}</button>
            ${!race && html`<button type="button" onClick=${() => setFlipped(!flipped)}>Turn</button>`}
            ${position.forced !== null && !position.over && html`<button type="button" onClick=${() => play(position.forced, "pass")}>Pass</button>`}
          </p>
          ${match && position.over && ply > 0 && at === 0 && html`<p><a href=${asking(to("try", game.name), { match, ply: ply - 1 })}>Try from ply ${ply - 1}</a></p>`}
        </section>
        ${!race && !position.over && html`<${PlayOn} key=${position.to_move} game=${game} match=${match} position=${position} />`}
        ${moves.length > 0 && html`<${AllMoves} moves=${moves} play=${play} />`}
      </div>
    </div>
  `;
}

/** @param {{moves: HandMove[], play: (move: unknown, notation: string) => void}} props */
function AllMoves({ moves, play }) {
  const [open, setOpen] = useState(false);
  const toggle = (/** @type {EventOn<HTMLDetailsElement>} */ event) => setOpen(event.currentTarget.open);
  return html`
    <details class="panel" open=${open} onToggle=${toggle}>
      <summary>All ${plural(moves.length, "legal move")}</summary>
      <p class="trying-line">${open && moves.map(({ move, notation }) => html`<button key=${notation} type="button" class="move" onClick=${() => play(move, notation)}>${notation}</button>`)}</p>
    </details>
  `;
}

/**
 * @param {PositionItem} position
 * @param {string[]} seats
 */
function said({ over, to_move: turn, count }, seats) {
  if (over) return `It is over: ${reason(over.reason)}.`;
  const who = seats.length > 1 && turn !== null ? `${capital(seats[turn])} to move.` : "";
  return [who, count && `${capital(count)}.`].filter(Boolean).join(" ");
}

/**
 * What our searches find in a position that is looked at for a moment.
 *
 * @param {GameItem} game
 * @param {PositionItem} position
 */
function useBest(game, { state, over }) {
  const [found, setFound] = useState(/** @type {{state: string, hint: Hint|null, fault: string}} */ ({ state: "", hint: null, fault: "" }));
  useEffect(() => {
    if (over) return undefined;
    let wanted = true;
    /** @type {number|undefined} */
    let timer;
    const ask = async () => {
      try {
        /** @type {HintRequest} */
        const body = { state, depth: DEPTH, best: game.kind === "race" ? 0 : BEST };
        const hint = await post(`games/${encodeURIComponent(game.name)}/hint`, body);
        if (wanted) setFound({ state, hint, fault: "" });
      } catch (failure) {
        if (!(failure instanceof ApiError)) throw failure;
        if (!wanted) return;
        if (failure.status === 429) timer = setTimeout(ask, AGAIN_MS);
        else setFound({ state, hint: null, fault: failure.message });
      }
    };
    timer = setTimeout(ask, REST_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [game.name, state]);
  const fits = found.state === state;
  return { hint: fits ? found.hint : null, fault: fits ? found.fault : "" };
}

/** @param {{game: GameItem, position: PositionItem, advice: {hint: Hint|null, fault: string}, play: (move: unknown, notation: string) => void}} props */
function Best({ game, position, advice: { hint, fault }, play }) {
  if (position.over) return html`<p class="quiet">It is over: no move can follow.</p>`;
  if (fault) return html`<p class="quiet">${capital(fault)}.</p>`;
  if (!hint) return html`<p class="quiet" aria-busy="true">Palio searches …</p>`;
  const lines = hint.best?.length ? hint.best : [{ move: hint.move, notation: hint.notation, value: null }];
  const mover = position.to_move === null ? "" : game.seats[position.to_move];
  return html`
    <ol class="trying-best">
      ${lines.map(({ move, notation, value }) => html`<li key=${notation}><button type="button" class="move" onClick=${() => play(move, notation)}>${notation}</button> ${value !== null && html`<b class="num">${worth(value)}</b>`}</li>`)}
    </ol>
    <p class="note">${game.kind === "race" ? `${capital(hint.text)}. One move only: the search looks for one good way on, and does not value the others.` : `For ${mover}, ${hint.text}${hint.complete ? "" : "; time was up"}.`}</p>
  `;
}

/** @param {{share: number|null, seats: {name: string, bot: string}[], flipped: boolean}} props */
function Gauge({ share, seats, flipped }) {
  const words = share === null ? "not evaluated yet" : `${Math.round(100 * share)} % for ${seats[0].name}`;
  const [upper, lower] = flipped ? [1, 0] : [0, 1];
  const part = share === null ? 0.5 : upper === 0 ? share : 1 - share;
  return html`
    <div class=${`trying-gauge ${seatClass(seats, lower)}`} role="img" aria-label=${`Evaluation: ${words}`} title=${words} data-known=${share === null ? null : ""}>
      <i class=${seatClass(seats, upper)} ...${{ style: { height: `${(100 * part).toFixed(1)}%` } }}></i>
    </div>
  `;
}

/**
 * Going on from here against a bot: which, and whether for the side that is to move.
 *
 * @param {{game: GameItem, match: string, position: PositionItem}} props
 */
function PlayOn({ game, match, position }) {
  const { value: info } = useJson("play");
  const { value: bots } = useJson("bots");
  const { value: item } = useJson(match ? `matches/${encodeURIComponent(match)}` : null);
  const { run, busy, error } = useAction(() => {});
  const all = candidates(game.name, info?.house ?? [], bots ?? []);
  const start = (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const chosen = all.find(({ value }) => value === data.get("opponent"));
    if (!chosen || "friend" in chosen.choice) return;
    const { choice } = chosen;
    const request = { game: game.name, opponents: game.seats.slice(1).map(() => choice), options: item?.setup?.options ?? {}, seat: Number(data.get("seat")) };
    run(async () => {
      const table = await post("play", { ...request, state: position.state });
      sitDown({ table, request: { ...request, opponents: game.seats.slice(1).map(() => ({ bot: null, house: null, friend: false, ...choice })) }, made: [], match: "" });
      go(to("play", game.name));
    });
  };
  return html`
    <form class="panel start" aria-labelledby="play-on" onSubmit=${start}>
      <h2 id="play-on">Play on from here</h2>
      <div class="pair">
        <${Field} label="Against">
          <select name="opponent">${all.map((each) => html`<option key=${each.value} value=${each.value}>${capital(plain(each.name))}${each.level ? `, ${strength(each).split(":")[0]}` : ""}</option>`)}</select>
        </${Field}>
        <${Field} label="Your seat">
          <select name="seat" defaultValue=${position.to_move ?? 0}>${game.seats.map((seat, index) => html`<option key=${seat} value=${index} selected=${index === position.to_move}>${seat}</option>`)}</select>
        </${Field}>
      </div>
      ${error && html`<p class="form-error" role="alert">${error}</p>`}
      ${info && !all.length ? html`<p class="quiet">No bot that plays ${game.title} is here.</p>` : html`<button type="submit" class="primary" disabled=${busy || !all.length}>Play on</button>`}
    </form>
  `;
}

/** @param {{back: () => void, on: () => void, flip: () => void}} does */
function useStepKeys(does) {
  const [now] = useState({ does });
  now.does = does;
  useEffect(() => {
    const acts = /** @type {Record<string, "back"|"on"|"flip">} */ ({ ArrowLeft: "back", ArrowRight: "on", f: "flip" });
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      const act = acts[event.key];
      if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest("input, select, textarea")) return;
      event.preventDefault();
      now.does[act]();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
