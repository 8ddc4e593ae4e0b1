import { always, changed, kubernetes, leases, quiet, type Stories, unseal } from "./story.ts";

/** Stories about a vault that is away, wrappers that wait for a token, and frozen processes. */
export const troubleStories: Stories = {
  "a sealed wrapper": {
    login: { kind: "sealed" },
    actions: [unseal(3000, false), unseal(5000, true), { kind: "change", atMs: 8000 }],
    stopAtMs: 23_000,
    loose: quiet,
  },
  "a sealed wrapper, and a vault that is away": {
    login: { kind: "sealed" },
    outages: [{ ...always, kind: "unavailable", toMs: 3000 }],
    actions: [unseal(1000, true), unseal(5000, true)],
  },
  "a sealed wrapper, and a token with few rights": {
    login: { kind: "sealed" },
    role: { denied: ["auth/token/lookup-self"] },
    settings: leases,
    leased: { db: { data: { lease: "lease-canary" }, ttlMs: 60_000 } },
    actions: [{ ...unseal(3000, true), isLimited: true }],
    loose: quiet,
  },
  "a sealed wrapper, and a token that may not read": {
    login: { kind: "sealed" },
    role: { denied: ["secret/data/other"] },
    settings: leases,
    leased: { db: { data: { lease: "lease-canary" }, ttlMs: 60_000 } },
    actions: [{ ...unseal(3000, true), isLimited: true }],
    stopAtMs: 8000,
  },
  "a sealed wrapper, and two tokens at once": {
    login: { kind: "sealed" },
    actions: [unseal(3000, true), unseal(3000, true)],
    loose: quiet,
  },
  "a sealed wrapper that is stopped": { login: { kind: "sealed" }, stopAtMs: 4000 },
  "a vault that is not there": {
    settings: { SVC_START_DEADLINE: "5s" },
    outages: [{ ...always, kind: "refused" }],
  },
  "a vault that is silent": {
    settings: { SVC_START_DEADLINE: "5s", VAULT_CLIENT_TIMEOUT: "2s" },
    outages: [{ ...always, kind: "silent" }],
  },
  "a start whose courier is stopped": {
    settings: { SVC_START_DEADLINE: "5s" },
    outages: [{ ...always, kind: "silent" }],
    actions: [{ kind: "stop courier at once", atMs: 100 }],
  },
  "a check whose courier is stopped": {
    settings: { VAULT_CLIENT_TIMEOUT: "20s" },
    outages: [{ ...always, kind: "silent", fromMs: 3000, toMs: 80_000 }],
    actions: [{ kind: "stop courier at once", atMs: 20_000 }],
    stopAtMs: 105_000,
  },
  "a revocation whose courier is stopped": {
    login: kubernetes(60_000),
    settings: { RENEWAL_INTERVAL: "60s" },
    outages: [{ ...always, kind: "silent", fromMs: 4000 }],
    actions: [{ kind: "stop courier at once", atMs: 6500 }],
    stopAtMs: 6000,
    loose: /"stopped"/,
  },
  "a vault that goes away": {
    settings: { SVC_STALE_AFTER: "20s" },
    outages: [{ ...always, kind: "unavailable", fromMs: 3000 }],
    stopAtMs: 40_000,
  },
  "a program that is frozen when it is to end": {
    settings: { SVC_STOP_GRACE: "3s" },
    freeze: { whom: "program", fromMs: 15_000, toMs: 60_000 },
  },
  "a family that is frozen for a while": {
    freeze: { whom: "family", fromMs: 5000, toMs: 30_000 },
    actions: [changed],
    stopAtMs: 50_000,
    loose: quiet,
  },
};
