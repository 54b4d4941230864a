/** Practice games of one's own bot: against the staff's bots at once, against classmates who let it. */

/** @import { CourseItem, PracticeOpponent, PracticeItem, PracticeList } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { dateIn, pollAfter } from "../lib/course_words.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { to } from "../lib/router.js";
import { useCourseAction, useCourseJson } from "../lib/use_course.js";
import { Failure } from "./empty.js";
import { Field } from "./fields.js";

const LATEST = 6; // games that are listed

/** @type {Record<string, string>} */
const STATES = {
  asked: "waits for an answer",
  waiting: "begins soon",
  playing: "being played",
  over: "over",
  declined: "declined",
  failed: "could not be played",
};

/** @param {{api: CourseApi, course: CourseItem, path: string, begun: () => void}} props  `begun`: a match has begun or ended */
export function CoursePractice({ api, course, path, begun }) {
  const own = /** @type {`/assignments/${string}/practice`} */ (`${path}/practice`);
  const since = useRef(performance.now());
  const again = (/** @type {PracticeList} */ { games }) => (games.some(isUnderWay) ? pollAfter(performance.now() - since.current) : null);
  const { value, error: failed, refresh } = useCourseJson(api, own, again);
  const { run, busy, error } = useCourseAction();
  const states = value?.games.map(({ id, state }) => `${id} ${state}`).join() ?? "";
  useEffect(() => {
    if (states) begun();
  }, [states]);
  const play = (/** @type {string} */ against) =>
    run(async () => {
      since.current = performance.now();
      await api.post(own, { against });
      refresh();
    });
  const answer = (/** @type {string} */ game, /** @type {boolean} */ accept) =>
    run(async () => {
      since.current = performance.now();
      await api.post(/** @type {`/practice/${string}`} */ (`/practice/${encodeURIComponent(game)}`), { accept });
      refresh();
    });
  if (failed) return html`<${Failure} error=${failed} retry=${refresh} />`;
  if (!value?.opponents.length) return null;
  return html`
    <section class="panel" aria-labelledby="practice">
      <div class="section-head"><h2 id="practice">Practice</h2><p class="count">${value.said}</p></div>
      <${Challenge} opponents=${value.opponents} off=${busy || value.left === 0} play=${play} />
      <p class="form-error" role="alert">${error}</p>
      <ul class="course-games" aria-label="Practice games">
        ${value.games.slice(0, LATEST).map((game) => html`<${Game} key=${game.id} course=${course} game=${game} busy=${busy} answer=${answer} />`)}
      </ul>
    </section>
  `;
}

/** @param {{opponents: PracticeOpponent[], off: boolean, play: (against: string) => void}} props */
function Challenge({ opponents, off, play }) {
  const [chosen, setChosen] = useState(opponents[0].name);
  const opponent = opponents.find(({ name }) => name === chosen) ?? opponents[0];
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    play(opponent.name);
  };
  const group = (/** @type {string} */ label, /** @type {boolean} */ mates) => {
    const those = opponents.filter(({ classmate }) => classmate === mates);
    return those.length > 0 && html`<optgroup label=${label}>${those.map(({ name, shown_as: shown }) => html`<option key=${name} value=${name} selected=${name === opponent.name}>${shown}</option>`)}</optgroup>`;
  };
  return html`
    <form class="course-challenge" aria-label="Practice game" onSubmit=${send}>
      <${Field} label="Against" hint=${opponent.asks ? "is asked first" : "plays at once"}>
        <select onChange=${(/** @type {EventOn<HTMLSelectElement>} */ event) => setChosen(event.currentTarget.value)}>
          ${group("Bots", false)} ${group("Classmates", true)}
        </select>
      </${Field}>
      <button type="submit" disabled=${off}>${opponent.asks ? "Ask for a game" : "Play"}</button>
    </form>
  `;
}

/** @param {{course: CourseItem, game: PracticeItem, busy: boolean, answer: (game: string, accept: boolean) => void}} props */
function Game({ course, game: { id, state, at, student, against, asks_me: asksMe, match, why }, busy, answer }) {
  const names = `${student} against ${against}`;
  return html`
    <li>
      <span class="course-part">${match ? html`<a href=${to("match", match)}>${names}</a>` : names} <small>${dateIn(at, course.zone, course.now)}</small></span>
      ${
        asksMe
          ? html`<span class="course-answer">
              <button type="button" disabled=${busy} aria-label=${`Play ${student}`} onClick=${() => answer(id, true)}>Play</button>
              <button type="button" disabled=${busy} aria-label=${`Decline ${student}`} onClick=${() => answer(id, false)}>Decline</button>
            </span>`
          : html`<span class="quiet">${STATES[state]}</span>`
      }
      ${why && html`<p class="course-why bad">${why}</p>`}
    </li>
  `;
}

/** @param {PracticeItem} game */
function isUnderWay({ state }) {
  return state === "waiting" || state === "playing";
}
