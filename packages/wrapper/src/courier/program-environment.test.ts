import { describe, expect, test } from "bun:test";
import type { DeliveryMethod } from "@svc/settings";
import { createLogger } from "../log.ts";
import { interposerPath } from "../program/find-delivery.ts";
import { least, settingsOf } from "../settings/testdata/least-environment.ts";
import { entriesOf } from "../testdata/entries.ts";
import type { ReadyDelivery } from "./delivery.ts";
import { programEnvironment } from "./program-environment.ts";

const SUPERVISOR_PID = 4711;
/** Stands for the address of a secret's entry in the region. */
const SECRET = 0x5000;
const REGION_FD = 9;

describe("programEnvironment", () => {
  // A delivered secret is DB_PASSWORD; SVC_PASS_ENV is VAULT_ADDR.
  const rows: readonly (readonly [
    name: string,
    delivery: DeliveryMethod | "inject and follow",
    before: readonly string[],
    after: readonly string[],
  ])[] = [
    [
      "keeps the order of the program's own entries",
      "env",
      ["B=1", "A=2"],
      ["B=1", "A=2", "secret"],
    ],
    [
      "keeps both of a pair, and an entry without =",
      "env",
      ["A=1", "A=2", "x"],
      ["A=1", "A=2", "x", "secret"],
    ],
    ["keeps bytes that are not UTF-8", "env", ["A=\xff"], ["A=\xff", "secret"]],
    [
      "takes the wrapper's variables out",
      "env",
      ["VAULT_TOKEN=t", "SVC_ENV_MAP=m", "RENEWAL_INTERVAL=1s", "HEALTH_ADDR=:1", "SECRET_PATHS=p"],
      ["secret"],
    ],
    [
      "keeps the variables that are passed on by name",
      "env",
      ["VAULT_ADDR=v", "VAULT_SKIP_VERIFY=1"],
      ["VAULT_ADDR=v", "secret"],
    ],
    [
      "replaces a variable by the secret of its name",
      "env",
      ["DB_PASSWORD=old", "A=1"],
      ["A=1", "secret"],
    ],
    [
      "replaces an old descriptor",
      "library",
      ["SVC_SECRET_FD=3", "A=1"],
      ["A=1", "SVC_SECRET_FD=9"],
    ],
    [
      "keeps a variable of a secret's name that the library delivers",
      "library",
      ["DB_PASSWORD=old"],
      ["DB_PASSWORD=old", "SVC_SECRET_FD=9"],
    ],
    [
      "passes systemd's descriptors on to the program",
      "env",
      [`LISTEN_PID=${SUPERVISOR_PID}`, "LISTEN_FDS=1"],
      [`LISTEN_PID=${process.pid}`, "LISTEN_FDS=1", "secret"],
    ],
    [
      "shows a placeholder for an injected value, and no descriptor",
      "inject",
      ["DB_PASSWORD=old", "SVC_SECRET_FD=3", "A=1"],
      ["A=1", "DB_PASSWORD=svc:protected"],
    ],
    [
      "hands the descriptor to a launcher",
      "inject and follow",
      ["A=1"],
      ["A=1", "DB_PASSWORD=svc:protected", "SVC_SECRET_FD=9"],
    ],
    [
      "loads the interposer, and hands it the descriptor",
      "preload",
      ["A=1"],
      ["A=1", `LD_PRELOAD=${interposerPath()}`, "DB_PASSWORD=svc:protected", "SVC_SECRET_FD=9"],
    ],
    [
      "loads the program's own libraries after the interposer",
      "preload",
      ["LD_PRELOAD=/usr/lib/a.so:b.so", "A=1"],
      [
        "A=1",
        `LD_PRELOAD=${interposerPath()}:/usr/lib/a.so:b.so`,
        "DB_PASSWORD=svc:protected",
        "SVC_SECRET_FD=9",
      ],
    ],
    [
      "leaves descriptors alone that are for another process",
      "env",
      ["LISTEN_PID=1"],
      ["LISTEN_PID=1", "secret"],
    ],
  ];
  for (const [name, delivery, before, after] of rows) {
    test(name, () => {
      const environment = entriesOf(...before);
      const texts = new Map(environment.map(({ address }, index) => [address, before[index]]));
      const { entries, firstSecret } = programEnvironment(readyWith(delivery, environment));
      const result = entries.map((item) => textOf(item, texts));
      expect(result).toEqual([...after]);
      if (delivery !== "library") expect(result[firstSecret]).toMatch(/^secret$|svc:protected$/);
    });
  }
});

function textOf(item: Uint8Array | number, texts: ReadonlyMap<number, string | undefined>) {
  if (item === SECRET) return "secret";
  if (typeof item === "number") return texts.get(item);
  expect(item.at(-1)).toBe(0);
  return new TextDecoder().decode(item.subarray(0, -1));
}

function readyWith(
  way: DeliveryMethod | "inject and follow",
  environment: ReadyDelivery["environment"],
): ReadyDelivery {
  const follow = way === "inject and follow";
  const delivery = follow ? "inject" : way;
  return {
    jobMessage: {
      settings: settingsOf({ ...least, SVC_PASS_ENV: "VAULT_ADDR" }),
      memoryKind: "memfd_secret",
      ignoredSignals: [],
      inheritedFds: [],
      supervisorPid: SUPERVISOR_PID,
      tracing: { kind: "tracing" },
    },
    descriptors: { plan: 9, listener: 10 },
    log: createLogger({
      level: "error",
      format: "json",
      component: "courier",
      write: () => undefined,
      now: () => new Date(0),
    }),
    say: () => undefined,
    program: { path: new Uint8Array(0), words: [] },
    environment,
    region: { fd: REGION_FD, addresses: [SECRET], offsets: [0], lengthBytes: 4096 },
    choice: { delivery, reason: "", follow: follow ? "trace" : "off", untraced: false },
    filter: undefined,
    variables: ["DB_PASSWORD"],
  };
}
