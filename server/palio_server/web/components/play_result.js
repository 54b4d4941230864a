/** How a game ended for the one who played, and what to do next. */

/** @import { GameItem, Result, SeatOf } from "../types/wire.js" */
/** @import { Kept } from "../lib/play_keep.js" */

import { post } from "../lib/api.js";
import { useAction } from "../lib/action.js";
import { useJson } from "../lib/hooks.js";
import { html, useEffect, useRef } from "../lib/html.js";
import { candidates, stronger } from "../lib/play_request.js";
import { outcome, person, why } from "../lib/play_words.js";
import { to } from "../lib/router.js";

/**
 * @param {object} props
 * @param {Result} props.result
 * @param {SeatOf[]} props.seats
 * @param {number} props.me
 * @param {boolean} props.race
 * @param {GameItem} props.game
 * @param {Kept} props.kept
 * @param {string} props.match
 * @param {(body: {swap?: boolean}) => Promise<boolean>} props.again
 * @param {(kept: Kept) => void} props.sit
 * @param {() => void} props.leave
 */
export function PlayResult({ result, seats, me, race, game, kept, match, again, sit, leave }) {
  const { value: info } = useJson("play");
  const { run, busy, error } = useAction(() => {});
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []); // on a phone it lies below the board
  const next = stronger(candidates(game.name, info?.house ?? [], []), kept.request?.opponents ?? []);
  const challenge = () =>
    run(async () => {
      if (!kept.request || !next || !("house" in next.choice)) return;
      const opponents = (kept.request.opponents ?? []).map(() => ({ bot: null, house: next.name, friend: false }));
      const request = { ...kept.request, opponents };
      sit({ table: await post("play", { ...request, opponents: opponents.map(({ house }) => ({ house })) }), request, made: [], match: "" });
    });
  const named = seats.map((seat) => ({ ...seat, bot: person(seat.bot) }));
  return html`
    <section class="panel play-result" aria-labelledby="result" ref=${box}>
      <div role="status">
        <h2 id="result">${outcome(result, me, race)}</h2>
        <p>${why(result, named, me)}</p>
        ${result.detail && !result.detail.includes("\n") && html`<p class="quiet">${result.detail}</p>`}
      </div>
      ${error && html`<p class="form-error" role="alert">${error}</p>`}
      <p class="play-acts">
        <button type="button" class="primary" disabled=${busy} onClick=${() => run(() => again({}))}>Rematch</button>
        ${!race && html`<button type="button" disabled=${busy} onClick=${() => run(() => again({ swap: true }))}>Change seats</button>`}
        ${next && html`<button type="button" disabled=${busy} onClick=${challenge}>Next: ${next.name}</button>`}
        <a class="button" href=${to("match", match)}>Replay</a>
        <button type="button" onClick=${leave}>New match</button>
      </p>
    </section>
  `;
}
