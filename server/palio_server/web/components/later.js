/** A part of a view that most visits do not show: its modules are asked for when it is shown first. */

/** @import { View } from "../lib/views.js" */

import { html, useEffect, useState } from "../lib/html.js";
import { loadIfNewer } from "../lib/fresh.js";
import { Failure } from "./empty.js";

/** @type {Map<() => Promise<View>, View>} */
const known = new Map(); // what is here already is drawn at once

/**
 * @param {object} own
 * @param {() => Promise<View>} own.load  the same function each time
 * @param {object} own.props
 * @param {boolean} [own.silent]  whether nothing is said until it is here, nor if it does not come
 */
export function Later({ load, props, silent = false }) {
  const [, renew] = useState(0);
  const [error, setError] = useState(/** @type {Error|null} */ (null));
  useEffect(() => {
    let wanted = true;
    if (!known.has(load)) {
      load().then(
        (Part) => {
          known.set(load, Part);
          if (wanted) renew((count) => count + 1);
        },
        () => {
          if (!wanted) return;
          setError(new Error("a part of the page could not be loaded; see whether the server still runs, and load the page again"));
          loadIfNewer();
        },
      );
    }
    return () => {
      wanted = false;
    };
  }, [load]);
  const Part = known.get(load);
  if (Part) return html`<${Part} ...${props} />`;
  if (silent) return null;
  return error ? html`<${Failure} error=${error} />` : html`<div class="waiting" aria-busy="true"><p>Loading …</p></div>`;
}
