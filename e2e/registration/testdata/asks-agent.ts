/**
 * Asks the agent to protect a process, and prints the answer: `asks-agent.ts SOCKET PID`. Instead
 * of the number, `child` stands for its own child, and `dead` for one that has ended. For
 * `dead` it prints the number, and goes on at a line of input.
 */
import { openStream } from "@svc/agent/testdata";

const [socket = "", whom = ""] = process.argv.slice(2);
const pid = await pidOf(whom);
const stream = openStream(socket);
stream.send({ case: "hello", value: {} });
const answer = await stream.next();
if (answer?.case === "welcome") stream.send({ case: "register", value: { pid, request: 1n } });
const registered = answer?.case === "welcome" ? await stream.next() : answer;
const code = registered?.case === "refused" ? registered.value.code : registered?.case;
process.stdout.write(`${code}\n`);
if (whom === "child") process.kill(pid);
process.exit();

async function pidOf(name: string): Promise<number> {
  if (name === "child") return Bun.spawn(["sleep", "60"]).pid;
  if (name !== "dead") return Number(name);
  const child = Bun.spawn(["true"]);
  await child.exited;
  process.stdout.write(`${child.pid}\n`);
  for await (const _ of process.stdin) break;
  return child.pid;
}
