/** What a private server shows to whoever has not signed in: a field for a token. */

/** @import { EventOn } from "../lib/html.js" */

import { useTitle } from "../lib/hooks.js";
import { html, useState } from "../lib/html.js";
import { signIn } from "../lib/reading.js";
import { Field } from "./fields.js";

export function SignIn() {
  const [fault, setFault] = useState("");
  useTitle("Sign in");
  const send = async (/** @type {EventOn<HTMLFormElement>} */ event) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("token") ?? "").trim();
    try {
      await signIn(text);
      location.reload();
    } catch (error) {
      setFault(error instanceof Error ? error.message : "");
    }
  };
  return html`
    <section class="panel sign-in" aria-labelledby="sign-in">
      <h1 id="sign-in">Sign in</h1>
      <p>Matches on this server are for those who have a token of it. Whoever runs the server makes one.</p>
      <form onSubmit=${send}>
        <${Field} label="Token" hint="kept in this tab only" fault=${fault}>
          <input name="token" type="password" autocomplete="current-password" required />
        </${Field}>
        <button type="submit" class="primary">Sign in</button>
      </form>
    </section>
  `;
}
