// A whole Palio bot for Node.js, with nothing installed, written from docs/reference/protocol.md: it plays at random.
//
//     node examples/minimal_bot.mjs ws://127.0.0.1:8000/ws/bot my-name [token]
//
// Node.js 20 and 21 want `node --experimental-websocket examples/minimal_bot.mjs …`.

const GAMES = ["breakthrough", "dominoes", "end_of_the_track"];

const [url, name, token] = process.argv.slice(2);
if (!url || !name) {
  console.error("usage: node minimal_bot.mjs URL NAME [TOKEN]");
  process.exit(2);
}

let session; // of the last connection, to be resumed
let failures = 0;
const turns = new Map(); // match -> the newest turn and our answer to it

function choose(turn) {
  const move = turn.moves[Math.floor(Math.random() * turn.moves.length)];
  const answer = { type: "move", match: turn.match, id: turn.id, move };
  turns.set(turn.match, { turn, answer });
  return answer;
}

/** Return the answer to a message of the server; undefined if it needs none. */
function reply(message) {
  switch (message.type) {
    case "welcome":
      session = message.session;
      failures = 0;
      return;
    case "game":
      return { type: "ready", match: message.match };
    case "turn": {
      const known = turns.get(message.match);
      return known?.turn.id === message.id ? known.answer : choose(message); // a repeated turn gets the same answer
    }
    case "rejected":
      console.error("rejected:", message.reason);
      return choose(turns.get(message.match).turn);
    case "over":
      turns.delete(message.match);
      console.log("over:", message.outcome.reason, message.outcome.scores);
      return;
    case "refused":
      console.error(`refused: ${message.reason}`);
      process.exit(1);
      break;
    case "error":
      console.error("error:", message.reason);
  }
}

function connect() {
  const socket = new WebSocket(url, ["palio.1.json"]);
  const send = (message) => socket.send(JSON.stringify(message));
  socket.onopen = () => send({ type: "hello", name, games: GAMES, ...(token && { token }), ...(session && { resume: session }) });
  socket.onmessage = ({ data }) => {
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return; // no message of the protocol
    }
    const answer = reply(message);
    if (answer) send(answer);
  };
  socket.onerror = () => {}; // `onclose` follows
  socket.onclose = () => {
    const wait = Math.min(10_000, 200 * 2 ** failures++) * (0.5 + Math.random() / 2);
    setTimeout(connect, wait);
  };
}

connect();
