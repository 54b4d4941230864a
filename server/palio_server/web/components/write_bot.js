/** How to bring a bot of one's own: the ten lines that it takes, and the commands that check it and bring it here. */

import { useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { to } from "../lib/router.js";

const BOT = `from palio import Bot


class Mine(Bot):
    """Moves the pawn that gets furthest."""

    games = ("breakthrough",)

    def choose(self, state, clock):
        ahead = 1 if self.seat == 0 else -1  # row 0 is the top
        return max(state.legal_moves(), key=lambda move: ahead * move.dst[0])
`;

export function WriteBot() {
  useTitle("Write a bot");
  return html`
    <article class="writing">
      <h1>Write a bot</h1>
      <p>A bot is one class: it is given the position and its clock, and answers with a move. Save this as <code>mine.py</code>:</p>
      <pre tabindex="0" aria-label="mine.py"><code>${BOT}</code></pre>
      <p>Let it be checked. The check plays the whole protocol against it and says what is wrong:</p>
      <pre class="command"><code>palio check-bot ./mine.py --game breakthrough</code></pre>
      <p>Bring it here. It stays until the command ends, and comes back by itself after a lost connection:</p>
      <pre class="command"><code>${`palio join ${new URL(document.baseURI).href.replace(/\/$/, "")} ./mine.py --name mine`}</code></pre>
      <p>
        Then it stands among the <a href=${to("bots")}>bots</a>, and a match can be started from <a href=${to("lobby")}>the first page</a>.
        What can be played, and by which rules: <a href=${to("games")}>games</a>.
      </p>
      <h2>In another language</h2>
      <p>
        A bot is any program that speaks JSON over a WebSocket (<code>ws/bot</code>), or JSON lines on its standard input and output:
        then <code>exec:./engine</code> stands in place of <code>./mine.py</code>. The protocol is in <code>docs/reference/protocol.md</code> of
        Palio's sources, with bots in Python and JavaScript written from it.
      </p>
    </article>
  `;
}
