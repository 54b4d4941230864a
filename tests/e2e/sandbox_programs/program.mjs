// What programs in Node.js do: workers, files, compression, sockets, timers, children.
import { Worker, isMainThread, parentPort } from "node:worker_threads";
import { promises as fs, copyFileSync, appendFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import net from "node:net";
if (!isMainThread) { parentPort.postMessage(Array.from({ length: 1e5 }, (_, i) => i).reduce((a, b) => a + b)); }
else {
  const answers = await Promise.all([1, 2, 3].map(() => new Promise((done, fail) => {
    const worker = new Worker(new URL(import.meta.url)); worker.on("message", done); worker.on("error", fail); })));
  await fs.writeFile("node.txt", gzipSync("x".repeat(1e6))); copyFileSync("node.txt", "node.copy"); appendFileSync("node.copy", "y");
  const sock = "./node.sock";
  await new Promise((done) => { const s = net.createServer((c) => { c.end("hi"); s.close(done); }).listen(sock, () => net.connect(sock).resume()); });
  await new Promise((done) => setTimeout(done, 5));
  if (answers.length !== 3 || (await fs.readdir(".")).length === 0) throw new Error("lost");
  console.log("played", execFileSync("/bin/echo", ["child"]).toString().trim());
}
