/** Having the server analyse a finished match: the button, how far it is, and why it was not possible. */

/** @import { AnalysisState } from "../types/wire.js" */

import { useAction } from "../lib/action.js";
import { post } from "../lib/api.js";
import { useJson } from "../lib/hooks.js";
import { html, useEffect, useState } from "../lib/html.js";
import { plural } from "../lib/words.js";

const ASK_MS = 1500; // between two questions how far it is

/**
 * @param {object} props
 * @param {string} props.path  the match's identity, for an address
 * @param {boolean} props.known  whether there is an analysis
 * @param {number} props.version  grows when there may be another one
 */
export function AnalyseButton({ path, known, version }) {
  const [asked, setAsked] = useState(0);
  const [begun, setBegun] = useState(/** @type {AnalysisState|null} */ (null));
  const { value } = useJson(known ? null : `matches/${path}/analyse`, asked + version, 0);
  const { run, busy, error } = useAction(() => setAsked((count) => count + 1));
  const now = value && (value.state !== "none" || !begun) ? value : begun;
  const works = now?.state === "queued" || now?.state === "running";
  useEffect(() => {
    if (!works || known) return undefined;
    const timer = setInterval(() => document.hidden || setAsked((count) => count + 1), ASK_MS);
    return () => clearInterval(timer);
  }, [works, known]);
  if (known) return null;
  const start = () => run(async () => setBegun(await post(`matches/${path}/analyse`)));
  return html`
    <div class="analyse">
      <button type="button" onClick=${start} disabled=${busy || works}>
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 3l2.6 5.6 6.1.7-4.5 4.2 1.2 6L12 16.5 6.6 19.5l1.2-6L3.3 9.3l6.1-.7z" /></svg>
        Analyse
      </button>
      <span class="analyse-word quiet" role="status">${works && now ? word(now) : ""}</span>
      ${(error || now?.state === "failed") && html`<p class="analyse-fault" role="alert">${error || `It could not be analysed: ${now?.note}`}</p>`}
    </div>
  `;
}

/** @param {AnalysisState} state */
function word({ state, ahead, judged, positions }) {
  if (state === "running") return `position ${judged} of ${positions}`;
  return ahead ? `waits for ${plural(ahead, "match", "matches")}` : "begins";
}
