/**
 * A process that takes part in an election: `candidate.ts API-HOST PORT FOLDER IDENTITY`. Prints
 * `leads` and `ceases` with the time, one line each, and ends by SIGTERM.
 */
import { connectApi } from "@svc/kubernetes";
import { runLeader } from "@svc/operator";

const [host = "", port = "", folder = "", identity = ""] = process.argv.slice(2);
const end = new AbortController();
process.once("SIGTERM", () => end.abort());
const say = (word: string) => process.stdout.write(`${word} ${Date.now()}\n`);
await runLeader({
  api: await connectApi({ kind: "pod", host, port, folder }),
  namespace: "svc-system",
  name: "svc-operator",
  identity,
  signal: end.signal,
  times: { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 250 },
  log: () => undefined,
  lead: async (signal) => {
    say("leads");
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    if (signal.aborted) resolve();
    await promise;
    say("ceases");
  },
});
