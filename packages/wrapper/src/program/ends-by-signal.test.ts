import { afterAll, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { endsBySignal } from "./ends-by-signal.ts";

const SIGHUP = 1;
const children: Bun.Subprocess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

for (const [what, program, ends] of [
  ["that catches it is not ended", "trap : HUP; echo ready; read line", false],
  ["that ignores it is not ended", "trap '' HUP; echo ready; read line", false],
  ["that does nothing about it is ended", "echo ready; read line", true],
] as const) {
  test(`a program ${what} by SIGHUP`, async () => {
    const child = Bun.spawn(["/bin/sh", "-c", program], { stdio: ["pipe", "pipe", "ignore"] });
    children.push(child);
    const [ready] = await Array.fromAsync(firstOf(child.stdout));
    expect(ready).toBe("ready\n");
    expect(endsBySignal(child.pid, SIGHUP)).toBe(ends);
  });
}

test("a process that has ended is not ended again", async () => {
  const child = Bun.spawn(["/bin/true"]);
  await child.exited;
  await waitFor(() => !endsBySignal(child.pid, SIGHUP), { deadlineMs: 5000, what: "its end" });
});

async function* firstOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const bytes of stream) {
    yield new TextDecoder().decode(bytes);
    return;
  }
}
