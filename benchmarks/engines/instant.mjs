// A program that answers at once, on stdin and stdout: of the moves that a turn lists it plays one at random.
//
//     palio run breakthrough "exec:node instant.mjs" other="exec:node instant.mjs"

let begun = "";

function answer(text) {
  const { type, match, id, moves } = JSON.parse(text);
  if (type === "game") return { type: "ready", match, again: true };
  if (type === "turn") return { type: "move", match, id, move: moves[Math.floor(Math.random() * moves.length)] };
}

process.stdin.setEncoding("utf8").on("data", (data) => {
  const lines = (begun + data).split("\n");
  begun = lines.pop();
  for (const line of lines) {
    const message = line && answer(line);
    if (message) process.stdout.write(`${JSON.stringify(message)}\n`);
  }
});
