/** What an operator watches: all servers, bans and the audit, asked for again every two seconds while the page is shown. */

/** @import { AdminView, AuditItem, Ban } from "../types/wire.js" */

import { ApiError, get, isAbort } from "./api.js";
import { useCallback, useEffect, useState } from "./html.js";

const AGAIN_MS = 2000;

/**
 * `denied`: the server wants another token, `error` says which. The old figures stay while no answer comes.
 *
 * @returns {{view: AdminView|null, audit: AuditItem[], bans: Ban[], error: string, denied: boolean, refresh: () => void}}
 */
export function useAdmin() {
  const [asked, setAsked] = useState(0);
  const [view, setView] = useState(/** @type {AdminView|null} */ (null));
  const [audit, setAudit] = useState(/** @type {AuditItem[]} */ ([]));
  const [bans, setBans] = useState(/** @type {Ban[]} */ ([]));
  const [fault, setFault] = useState(/** @type {ApiError|null} */ (null));
  const refresh = useCallback(() => setAsked((count) => count + 1), []);
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    const ask = async () => {
      try {
        if (!document.hidden) {
          const [figures, lines, banned] = await Promise.all([get("admin", abort.signal), get("admin/audit?limit=50", abort.signal), get("admin/bans", abort.signal)]);
          setView(figures);
          setAudit(lines);
          setBans(banned);
          setFault(null);
        }
      } catch (error) {
        if (isAbort(error)) return;
        if (!(error instanceof ApiError)) throw error;
        setFault(error);
        if (isDenied(error)) return; // a token is given first
      }
      timer = setTimeout(ask, AGAIN_MS);
    };
    ask();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [asked]);
  return { view, audit, bans, error: fault?.message ?? "", denied: fault !== null && isDenied(fault), refresh };
}

/** @param {ApiError} error */
function isDenied(error) {
  return error.status === 401 || error.status === 403;
}
