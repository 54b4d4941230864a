/** What classmates may see of a student, and whether their bots may play the student's. */

/** @import { Me } from "../types/wire.js" */
/** @import { CourseApi } from "../lib/course_api.js" */

import { html, useRef, useState } from "../lib/html.js";
import { useCourseAction } from "../lib/use_course.js";

/** @type {["all"|"on request"|"nobody"|null, string][]} */
const CHOICES = [
  [null, "as the assignment says"],
  ["all", "all classmates"],
  ["on request", "those who ask me first"],
  ["nobody", "nobody"],
];

/** @param {{api: CourseApi, me: Me, refresh: () => void}} props */
export function CourseConsent({ api, me, refresh }) {
  const { run, error } = useCourseAction();
  const [saved, setSaved] = useState(false);
  const [shown, setShown] = useState(me);
  const kept = useRef(me); // as the server has it
  const before = useRef(/** @type {Promise<unknown>} */ (Promise.resolve())); // one change after the other
  const set = (/** @type {Partial<Me>} */ change) => {
    const { consent, named } = { ...shown, ...change };
    setSaved(false);
    setShown({ ...shown, ...change });
    before.current = before.current.then(async () => {
      const done = await run(async () => {
        kept.current = await api.setMe({ consent, named });
      });
      setShown(kept.current);
      setSaved(done);
      if (done) refresh();
    });
  };
  return html`
    <section class="panel course-you" aria-labelledby="you">
      <h2 id="you">You among classmates</h2>
      <p>They see you as <b>${shown.shown_as}</b>.</p>
      <label class="check"><input type="checkbox" checked=${shown.named} onChange=${() => set({ named: !shown.named })} /> show my name instead of a pseudonym</label>
      <fieldset class="course-choices">
        <legend>My bot plays practice games against</legend>
        ${CHOICES.map(([value, words]) => html`<label class="check" key=${words}><input type="radio" name="consent" checked=${(shown.consent ?? null) === value} onChange=${() => set({ consent: value })} /> ${words}</label>`)}
      </fieldset>
      ${shown.team && html`<p class="quiet">Your team: ${shown.team}</p>`}
      <p class="form-error" role="alert">${error}</p>
      <p class="course-saved" role="status">${saved && "Saved"}</p>
    </section>
  `;
}
