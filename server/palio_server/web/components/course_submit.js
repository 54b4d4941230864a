/** Handing in: files are dropped or chosen, then sent; what is refused stays chosen, with the reason at the field. */

/** @import { AssignmentItem } from "../types/wire.js" */
/** @import { EventOn } from "../lib/html.js" */
/** @import { CourseApi } from "../lib/course_api.js" */
/** @import { Chosen } from "../lib/course_files.js" */

import { ApiError } from "../lib/api.js";
import { bytes, fromChooser, fromDrop, joined, tooLarge } from "../lib/course_files.js";
import { many } from "../lib/course_words.js";
import { html, useRef, useState } from "../lib/html.js";
import { useCourseAction } from "../lib/use_course.js";

/** @param {{api: CourseApi, assignment: AssignmentItem, done: (submission: string) => void}} props */
export function CourseSubmit({ api, assignment, done }) {
  const { run, busy, error, clear } = useCourseAction();
  const [files, setFiles] = useState(/** @type {Chosen[]} */ ([]));
  const [sent, setSent] = useState(0);
  const [said, setSaid] = useState("");
  const [late, setLate] = useState(false); // the server has said what it costs
  const button = useRef(/** @type {HTMLButtonElement|null} */ (null));
  const left = assignment.left_today;
  const take = (/** @type {() => Chosen[]|Promise<Chosen[]>} */ found) =>
    run(async () => {
      const more = await found();
      setSaid("");
      setLate(false);
      setFiles((before) => joined(before, more));
    });
  const handIn = (/** @type {Event} */ event) => {
    event.preventDefault();
    setSaid("");
    setSent(0);
    return run(async () => {
      const fault = files.length ? tooLarge(files.map(({ file }) => file), assignment.size) : "choose a file first";
      if (fault) throw new ApiError(fault, 0);
      const kept = await api.handIn(assignment.name, files, setSent, late).catch((/** @type {unknown} */ refused) => {
        setLate(refused instanceof ApiError && refused.code === "late");
        throw refused;
      });
      setFiles([]);
      setLate(false);
      setSaid(kept.again ? "These files are your current submission already." : `Handed in: ${kept.files.join(", ")}.${kept.late ? ` Note: ${kept.late}.` : ""}`);
      done(kept.id);
    });
  };
  const without = (/** @type {string} */ name) => {
    clear();
    setFiles(files.filter((each) => each.name !== name));
    button.current?.focus();
  };
  return html`
    <section class="panel" aria-labelledby="hand-in">
      <div class="section-head"><h2 id="hand-in">Hand in</h2><p class="count">${left > 0 ? `${many(left, "submission")} left today` : "none left today"}</p></div>
      <form class="course-submit" onSubmit=${handIn} aria-label="Hand in" data-wrong=${error ? "" : null}>
        <${Drop} take=${take} busy=${busy} wants=${assignment.files} />
        ${
          files.length > 0 &&
          html`<ul class="course-chosen" aria-label="Files to hand in">
            ${files.map(({ name, file }) => html`<li key=${name}><code>${name}</code> <small>${bytes(file.size)}</small><button type="button" disabled=${busy} aria-label=${`leave out ${name}`} onClick=${() => without(name)}>×</button></li>`)}
          </ul>`
        }
        <p class="form-error" role="alert" id="hand-in-error">${error}</p>
        <div class="course-send">
          <button ref=${button} type="submit" class="primary" disabled=${busy || left === 0} aria-describedby="hand-in-error">${late ? "Hand in late" : "Hand in"}</button>
          ${busy && files.length > 0 && html`<progress max="1" value=${sent} aria-label="sent"></progress>`}
          <p role="status">${busy ? "" : said}</p>
        </div>
      </form>
    </section>
  `;
}

/** @param {{take: (found: () => Chosen[]|Promise<Chosen[]>) => void, busy: boolean, wants: string[]}} props */
function Drop({ take, busy, wants }) {
  const [over, setOver] = useState(false);
  const chosen = (/** @type {EventOn<HTMLInputElement>} */ event) => {
    const input = event.currentTarget;
    const found = [...(input.files ?? [])];
    input.value = ""; // the same file can be chosen again
    if (found.length) take(() => fromChooser(found));
  };
  const onOver = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(true);
  };
  const onDrop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(false);
    const dropped = event.dataTransfer;
    if (dropped && !busy) {
      const found = fromDrop(dropped); // at once: what was dropped is gone after this event
      take(() => found);
    }
  };
  return html`
    <div class="course-drop" data-over=${over ? "" : null} onDragEnter=${onOver} onDragOver=${onOver} onDragLeave=${() => setOver(false)} onDrop=${onDrop}>
      <p>Drop ${wants.length === 1 ? html`<code>${wants[0]}</code>` : "your files"}, a folder or a zip here, or</p>
      <div class="course-choosers">
        <label class="button">Choose files<input class="unseen" type="file" multiple disabled=${busy} onChange=${chosen} /></label>
        <label class="button">Choose a folder<input class="unseen" type="file" webkitdirectory disabled=${busy} onChange=${chosen} /></label>
      </div>
    </div>
  `;
}
