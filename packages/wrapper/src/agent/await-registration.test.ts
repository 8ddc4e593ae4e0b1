import { expect, test } from "bun:test";
import type { Logger } from "../log.ts";
import type { Registration } from "./agent-link.ts";
import { awaitRegistration } from "./await-registration.ts";

const refusal = { code: "UNAUTHENTICATED", message: "no such pod", hint: "look at the pod" };
const slow = { kind: "slow", reason: "no answer within 2000 ms" } as const;
const missing = { kind: "missing", reason: "connect: ENOENT" } as const;

const rows: readonly {
  readonly registration: Registration;
  readonly required: boolean;
  readonly failure?: string;
  readonly warnings?: number;
}[] = [
  { registration: { kind: "registered" }, required: false },
  { registration: { kind: "registered" }, required: true },
  { registration: missing, required: false },
  { registration: missing, required: true, failure: "connect: ENOENT" },
  { registration: slow, required: false, warnings: 1 },
  { registration: slow, required: true, failure: "no answer within 2000 ms" },
  { registration: { kind: "refused", refusal }, required: false },
  { registration: { kind: "refused", refusal }, required: true, failure: "no such pod" },
];

for (const { registration, required, failure, warnings = 0 } of rows) {
  const agent = `${registration.kind} by an agent that is ${required ? "" : "not "}required`;
  test(`${agent}: ${failure ?? "the program starts"}, ${warnings} warnings`, async () => {
    const said: string[] = [];
    const asked: number[] = [];
    const found = await awaitRegistration(
      {
        agent: {
          registered: (_pid, patienceMs, waitsForReturn) => {
            asked.push(patienceMs);
            expect(waitsForReturn).toBe(required);
            return Promise.resolve(registration);
          },
        },
        settings: { agent: { required }, startDeadlineMs: 60_000 },
        log: logTo(said),
      },
      7,
    );
    expect(found?.code).toBe(failure === undefined ? undefined : "AGENT_REQUIRED");
    expect(found?.message ?? "").toContain(failure ?? "");
    expect(said).toHaveLength(warnings);
    // Required, it has the whole time of a start.
    expect(asked).toEqual([required ? 60_000 : 2000]);
  });
}

test("without an agent nothing is waited for", async () => {
  const settings = { agent: { required: false }, startDeadlineMs: 1 };
  const ports = { agent: undefined, settings, log: logTo([]) };
  expect(await awaitRegistration(ports, 7)).toBeUndefined();
});

function logTo(warnings: string[]): Logger {
  const nothing = () => undefined;
  const warn = (message: string) => void warnings.push(message);
  return { debug: nothing, info: nothing, warn, error: nothing };
}
