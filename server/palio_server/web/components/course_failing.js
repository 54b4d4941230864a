/** Which tests fail for how many, with the addresses of those students: to write to them. */

/** @import { RosterItem, StaffSubmission } from "../types/wire.js" */

import { addresses, failingTests, many } from "../lib/course_words.js";
import { html, useMemo, useState } from "../lib/html.js";
import { CopyButton } from "./copy_button.js";

const FIRST = 12; // tests that are listed at first

/** @param {{title: string, rows: StaffSubmission[], roster: RosterItem[]}} props */
export function CourseFailing({ title, rows, roster }) {
  const tests = useMemo(() => failingTests(rows, roster), [rows, roster]);
  const [all, setAll] = useState(false);
  return html`
    <section class="panel" aria-labelledby="failing">
      <h2 id="failing">Where points are lost</h2>
      ${!tests.length && html`<p class="quiet">${rows.length ? "Nowhere yet." : "Nothing has been handed in."}</p>`}
      <ul class="course-failing">
        ${(all ? tests : tests.slice(0, FIRST)).map(({ name, students }) => html`<${Test} key=${name} title=${title} name=${name} students=${students} of=${roster.length} />`)}
      </ul>
      ${!all && tests.length > FIRST && html`<button type="button" onClick=${() => setAll(true)}>${many(tests.length - FIRST, "more part")}</button>`}
    </section>
  `;
}

/** @param {{title: string, name: string, students: RosterItem[], of: number}} props */
function Test({ title, name, students, of }) {
  const to = addresses(students);
  const mail = `mailto:?bcc=${encodeURIComponent(to)}&subject=${encodeURIComponent(`${title}: ${name}`)}`;
  return html`
    <li>
      <details>
        <summary><span class="course-part">${name}</span> <span class="course-points">${students.length}<small> of ${of}</small></span></summary>
        <p class="quiet">${students.map((each) => each.name || each.id).join(", ")}</p>
        ${to && html`<p class="course-write"><${CopyButton} text=${to} label=${`Copy addresses of those who lose points by ${name}`}>Copy addresses</${CopyButton}> <a href=${mail} aria-label=${`Write to them about ${name}`}>Write to them</a></p>`}
      </details>
    </li>
  `;
}
