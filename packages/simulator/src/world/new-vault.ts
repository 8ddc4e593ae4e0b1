import type { Request } from "../host/network.ts";
import type { Machine } from "../machine/machine.ts";
import { planMs } from "./plan-time.ts";
import type { Outage, Scenario } from "./scenario.ts";
import { fieldsOf, JWT, KEY, OTHER_PATH, PATH, POLICY, ROOT_TOKEN } from "./secrets.ts";
import { type Trouble, Vault } from "./vault.ts";

const MS = 1000;

/** The vault of a scenario, with its outages. @param onRequest hears of each request. */
export function newVault(
  machine: Machine,
  scenario: Scenario,
  onRequest: (request: Request) => void,
): Vault {
  const { login, leased = {}, role = {} } = scenario;
  const denied = role.denied ?? [];
  const vault = new Vault(machine, {
    token: ROOT_TOKEN,
    secrets: { [PATH]: fieldsOf(1), [OTHER_PATH]: { key: KEY } },
    leased,
    policies: {
      [POLICY]: [
        { path: "*", capabilities: ["read", "update", "list", "create"] },
        ...denied.map((path) => ({ path, capabilities: ["deny"] as const })),
      ],
    },
    kubernetes: {
      jwt: JWT,
      serviceAccount: { name: "app", namespace: "shop" },
      roles: {
        app: {
          boundServiceAccountNames: ["*"],
          boundServiceAccountNamespaces: ["*"],
          policies: [POLICY],
          ...(login.kind === "kubernetes" && { ttlMs: login.tokenMs }),
          ...(role.longestMs !== undefined && { maxTtlMs: role.longestMs }),
        },
      },
    },
  });
  vault.slowestUs = scenario.slowestAnswerMs * MS;
  vault.trouble = (request) =>
    answerOfStandby(machine, scenario, request) ?? troubleAt(machine, scenario);
  vault.onRequest = onRequest;
  const { behind } = scenario;
  vault.isBehind = () => {
    const nowMs = planMs(machine.nowUs);
    if (behind === undefined || nowMs < behind.fromMs || behind.toMs <= nowMs) return false;
    return behind.part === undefined || machine.random.chance(behind.part);
  };
  return vault;
}

function answerOfStandby(
  { nowUs }: Machine,
  { unknowing }: Scenario,
  { url }: Request,
): Trouble | undefined {
  if (unknowing === undefined) return undefined;
  const { pathname } = new URL(url);
  if (pathname === "/v1/sys/leader") return { kind: "answer", body: { ha_enabled: true } };
  const isUnknown = pathname.endsWith("/login") && planMs(nowUs) < unknowing.untilMs;
  return isUnknown ? { kind: "status", status: 403 } : undefined;
}

function troubleAt({ nowUs, random }: Machine, { outages }: Scenario): Trouble | undefined {
  const nowMs = planMs(nowUs);
  const outage = outages.find(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
  if (outage === undefined || !random.chance(outage.part)) return undefined;
  return troubleOf(outage, random.chance(0.5));
}

function troubleOf({ kind }: Outage, answered: boolean): Trouble {
  switch (kind) {
    case "refused":
    case "silent":
    case "garbage":
      return { kind };
    case "closed":
      return { kind, answered };
    case "unavailable":
      return { kind: "status", status: 503 };
    case "limited":
      return { kind: "status", status: 429, headers: { "retry-after": "2" } };
  }
}
