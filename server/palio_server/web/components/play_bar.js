/** Who sits there: banner, name, seat and clock. It touches the board. */

/** @import { SeatOf, TimeControl } from "../types/wire.js" */
/** @import { MatchState } from "../lib/fold.js" */

import { remaining } from "../lib/clock.js";
import { useNow } from "../lib/hooks.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { pips } from "../lib/pips.js";
import { person, spoken } from "../lib/play_words.js";
import { to } from "../lib/router.js";
import { plain } from "../lib/words.js";
import { Clock } from "./clock.js";
import { Face } from "./face.js";
import { Token } from "./seat.js";

/**
 * @param {object} props
 * @param {SeatOf[]} props.seats
 * @param {number} props.seat
 * @param {MatchState|null} props.live
 * @param {MatchState|null} props.clocks  the same, with clocks that stand while the connection is lost
 * @param {TimeControl} props.time
 * @param {boolean} props.race
 * @param {import("../types/wire.js").Scene|null} [props.scene]  the board, whose pieces stand for the seats
 * @param {string} [props.you]  what is said of oneself; others have a name
 */
export function PlayBar({ seats, seat, live, clocks, time, race, scene = null, you = "" }) {
  const { name, bot } = seats[seat];
  const summary = live?.summary;
  const board = race ? live?.boards[seat] : summary?.view;
  const toMove = race ? (board?.to_move === null ? null : seat) : (board?.to_move ?? null);
  const standing = race ? summary?.view.race?.[seat] : null;
  const away = summary?.absent.includes(seat) ?? false;
  const words = [race ? "" : name, standing ? cost(standing) : pips(board?.scene ?? scene, seat).words, you || origin(bot)].filter(Boolean).join(" · ");
  const timed = time.base_ms !== null || time.move_ms !== null;
  return html`
    <div class="play-bar" data-me=${you ? "" : null} data-moves=${!race && toMove === seat && !summary?.result ? "" : null}>
      <${Face} name=${bot.replace(/^house-|\.\d+$/g, "")} />
      <span class="play-who">
        <b>${you ? "You" : html`<a href=${to("bots", bot)}>${person(bot)}</a>`}</b>
        <small>${away ? html`<em class="away">connection lost</em>` : words}</small>
      </span>
      <${Token} seats=${seats} seat=${seat} scene=${board?.scene ?? scene} />
      ${clocks && timed && html`<${Clock} state=${clocks} seat=${seat} toMove=${toMove} time=${time} label=${you ? "your clock" : `clock of ${person(bot)}`} />`}
      ${you && clocks && timed && html`<${ClockVoice} state=${clocks} seat=${seat} toMove=${toMove} />`}
    </div>
  `;
}

/** @param {{cost: number|null, plies: number, end: string|null}} standing */
function cost({ cost: paid, plies, end }) {
  const words = paid === null ? `${plies} ${plies === 1 ? "move" : "moves"}` : `cost ${paid}`;
  return end ? `${words}, ${plain(end)}` : words;
}

/** @param {string} bot */
function origin(bot) {
  if (bot.startsWith("house-")) return "house bot";
  return bot.startsWith("guest-") ? "guest" : "";
}

/**
 * Says when little time is left, for those who cannot see the clock.
 *
 * @param {{state: MatchState, seat: number, toMove: number|null}} props
 */
function ClockVoice({ state, seat, toMove }) {
  const now = useNow(state.running && seat === toMove);
  const left = remaining(state, seat, toMove, now);
  const before = useRef(left);
  const [said, say] = useState("");
  useEffect(() => {
    const words = spoken(before.current, left);
    before.current = left;
    if (words) say(words);
  }, [left]);
  return html`<span class="unseen" role="status">${said}</span>`;
}
