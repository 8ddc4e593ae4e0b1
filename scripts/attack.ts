/**
 * Reaches for a process, so that a user sees the agent at work: `bun scripts/attack.ts --list`, and
 * `bun scripts/attack.ts NAME PID`. It ends with 0 if it went well, 1 if it was refused, 2 if it
 * cannot be tried.
 */
import { argv, exit, stderr, stdout } from "node:process";
import { listAttacks, runAttack } from "@svc/testing";

const [name = "", pid = ""] = argv.slice(2);

if (name === "--list") {
  for (const { name, does, needs } of listAttacks()) {
    stdout.write(`${name.padEnd(24)} ${does}${needs === undefined ? "" : ` (needs ${needs})`}\n`);
  }
} else if (!listAttacks().some((attack) => attack.name === name) || !/^[1-9]\d*$/.test(pid)) {
  stderr.write("usage: bun scripts/attack.ts --list | NAME PID\n");
  exit(2);
} else {
  const { answer } = await runAttack(name, { pid: Number(pid) });
  stdout.write(`${name}: ${answer}\n`);
  exit(answer === "ok" || answer.startsWith("leaked") ? 0 : 1);
}
