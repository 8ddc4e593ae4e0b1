import { fieldsOf, KEY, ROOT_TOKEN } from "../world/secrets.ts";
import {
  always,
  changed,
  checks,
  filed,
  kubernetes,
  leases,
  quiet,
  type Stories,
  type Story,
} from "./story.ts";

/** A change is gone before the wrapper may act on it. */
const takenBack: Story = {
  actions: [
    { kind: "change", atMs: 1000 },
    { kind: "change back", atMs: 14_500 },
  ],
  stopAtMs: 18_000,
  loose: checks,
};

const writeFile = (atMs: number) => ({ kind: "write file", text: "pin-canary", atMs }) as const;

/**
 * Tokens of 12 s that can be renewed up to 14 s. Checks come for renewals alone. So the second login
 * is between 11 s and 14.4 s, and its token is not renewed before 17 s.
 */
const shortLived: Story = {
  login: kubernetes(12_000),
  settings: { RENEWAL_INTERVAL: "200s" },
  stopAtMs: 16_400,
};

/** Stories about tokens, leases and changes. */
export const secretStories: Stories = {
  "a start, a check and a stop": {},
  "a login, a change and a restart": {
    login: kubernetes(60_000),
    actions: [changed],
    loose: quiet,
  },
  "a login with a token of the agent": {
    login: { kind: "by the agent", answer: "token" },
    actions: [{ kind: "revoke tokens", atMs: 3000 }],
    loose: quiet,
  },
  "a login with an agent that gives no token": {
    login: { kind: "by the agent", answer: "nothing" },
  },
  "a login without an agent": { login: { kind: "by the agent", answer: "no server" } },
  "a login that is refused": {
    login: kubernetes(60_000),
    settings: { SVC_AUTH_JWT_PATH: "/run/token", SVC_START_DEADLINE: "5s" },
  },
  "a login with a role that is absent": {
    login: kubernetes(60_000),
    settings: { VAULT_AUTH_ROLE: "absent", SVC_START_DEADLINE: "5s" },
  },
  "a login that a standby does not know yet": {
    login: kubernetes(60_000),
    unknowing: { untilMs: 4000 },
    settings: { RENEWAL_INTERVAL: "200s" },
    stopAtMs: 20_000,
  },
  "VAULT_TOKEN that the vault does not know": { settings: { VAULT_TOKEN: "unknown-canary" } },
  "VAULT_TOKEN with bytes that no token has": { settings: { VAULT_TOKEN: "un known-canary" } },
  "a secret in a file": { settings: filed, actions: [writeFile(0)] },
  "a secret in a file that changes": {
    settings: filed,
    actions: [writeFile(0), { kind: "write file", text: "pin-canary-2", atMs: 3000 }],
    stopAtMs: 23_000,
    loose: /leasesRenewed=0$|checks_total|"rotations":0/,
  },
  "a secret in a file that is removed": {
    settings: filed,
    actions: [writeFile(0), { kind: "remove file", atMs: 3000 }],
    loose: quiet,
  },
  "a secret in a file that is absent": { settings: { ...filed, SVC_START_DEADLINE: "8s" } },
  "the variables of OpenBao": {
    settings: {
      ...{ VAULT_ADDR: "", VAULT_TOKEN: "" },
      ...{ BAO_ADDR: "http://vault:8200", BAO_TOKEN: ROOT_TOKEN },
    },
  },
  "a token is renewed": { login: kubernetes(12_000), loose: quiet },
  "a token reaches its longest life": {
    ...shortLived,
    role: { longestMs: 14_000 },
  },
  "a token is revoked": {
    login: kubernetes(60_000),
    actions: [{ kind: "revoke tokens", atMs: 3000 }],
    loose: quiet,
  },
  "VAULT_TOKEN is revoked": { actions: [{ kind: "revoke root", atMs: 3000 }] },
  "a policy forbids metadata": {
    login: kubernetes(600_000),
    role: { denied: ["secret/metadata/*"] },
    actions: [{ kind: "change", atMs: 13_000 }],
    stopAtMs: 27_000,
  },
  "a policy forbids a secret": { login: kubernetes(60_000), role: { denied: ["secret/data/app"] } },
  "a policy forbids a secret from some time on": {
    login: kubernetes(600_000),
    actions: [
      { kind: "change", atMs: 2000 },
      { kind: "forbid", path: "secret/data/app", atMs: 2000 },
    ],
    loose: quiet,
  },
  "a token that does not know itself": {
    login: kubernetes(12_000),
    role: { denied: ["auth/token/renew-self", "auth/token/lookup-self"] },
    stopAtMs: 20_000,
    loose: /leasesRenewed=0$|result="unchanged"|with token [1234]$|logins_total/,
  },
  "a change that is taken back": {
    ...takenBack,
    settings: { SVC_ROTATION_MIN_INTERVAL: "15s" },
  },
  "a change that is taken back before SIGHUP": {
    ...takenBack,
    settings: { SVC_ROTATION: "sighup", SVC_ROTATION_MIN_INTERVAL: "15s" },
  },
  "values are compared after a new login": {
    ...shortLived,
    role: { longestMs: 14_000, denied: ["secret/metadata/*"] },
  },
  "a node of the vault is behind": {
    actions: [{ kind: "change", atMs: 1000 }],
    behind: { fromMs: 14_000, toMs: 90_000 },
    stopAtMs: 28_000,
    loose: /the secrets were checked|checks_total|"rotations":0/,
  },
  "a node of the vault is behind, and a policy forbids metadata": {
    login: kubernetes(600_000),
    role: { denied: ["secret/metadata/*"] },
    actions: [{ kind: "change", atMs: 1000 }],
    behind: { fromMs: 14_000, toMs: 90_000 },
    stopAtMs: 28_000,
    loose: /leasesRenewed=0$|checks_total|"rotations":0/,
  },
  "a token whose leases are refused": {
    login: kubernetes(600_000),
    settings: {
      SVC_SECRET_PATHS: "dynamic:dev-lease/db",
      SVC_ENV_MAP: "user=DB_USER,password=DB_PASSWORD,key=API_KEY",
    },
    leased: { db: { data: { ...fieldsOf(1), key: KEY }, ttlMs: 15_000 } },
    actions: [{ kind: "revoke tokens", atMs: 2000 }],
    stopAtMs: 14_000,
    loose: /the secrets were checked|_total\{result="(?:unchanged|renewed)"\}/,
  },
  "a vault that is away at the end": {
    login: kubernetes(600_000),
    outages: [{ ...always, kind: "unavailable", fromMs: 15_000 }],
    stopAtMs: 15_900,
    loose: /checks_total|could not be checked|the secrets were checked|secret\/metadata/,
  },
  "a program ends while a node of the vault is behind": {
    settings: { SVC_RESTART: "always" },
    actions: [
      { kind: "change", atMs: 1000 },
      { kind: "signal program", number: 9, atMs: 16_000 },
    ],
    behind: { fromMs: 15_000, toMs: 25_000 },
    stopAtMs: 31_000,
    loose: /the secrets were checked|checks_total|"rotations":0|"restarting"/,
  },
  "a node that is behind for more than a minute": {
    settings: { SVC_RESTART: "always" },
    actions: [
      { kind: "change", atMs: 1000 },
      { kind: "signal program", number: 9, atMs: 16_000 },
    ],
    behind: { fromMs: 15_000, toMs: 95_000 },
    stopAtMs: 90_000,
    loose: /the secrets were checked|checks_total|"rotations":0|"restarting"/,
  },
  "a lease ends while a node of the vault is behind": {
    settings: leases,
    leased: { db: { data: { lease: "lease-canary" }, ttlMs: 12_000, maxTtlMs: 15_000 } },
    login: kubernetes(600_000),
    // The program starts with version 2, and the node has version 1.
    actions: [{ kind: "change", atMs: 0 }],
    behind: { fromMs: 2000, toMs: 90_000 },
    stopAtMs: 14_000,
    loose: /the secrets were checked|_total/,
  },
  "a secret is removed": { actions: [{ kind: "remove secret", atMs: 3000 }] },
  "a secret begins again with version 1": {
    actions: [
      { kind: "change", atMs: 3000 },
      { kind: "remove secret", atMs: 14_000 },
      { kind: "change", atMs: 14_500 },
    ],
    // The third check comes before 24.4 s, and the fourth one after 27 s.
    stopAtMs: 26_500,
  },
  "SIGHUP after a change": { settings: { SVC_ROTATION: "sighup" }, actions: [changed] },
  "SIGHUP from outside": {
    settings: { SVC_ROTATION: "sighup" },
    actions: [
      { kind: "signal", number: 1, atMs: 2000 },
      { kind: "change", atMs: 3000 },
      { kind: "signal", number: 1, atMs: 4000 },
    ],
    stopAtMs: 7000,
  },
  "no rotation revokes the login's token": {
    settings: { SVC_ROTATION: "none" },
    login: kubernetes(60_000),
    stopAtMs: 5000,
  },
  "no rotation keeps the token of leases": {
    settings: { ...leases, SVC_ROTATION: "none" },
    leased: { db: { data: { lease: "lease-canary" }, ttlMs: 60_000 } },
    login: kubernetes(60_000),
    stopAtMs: 5000,
  },
  "a lease is renewed": {
    settings: leases,
    leased: { db: { data: { lease: "lease-canary" }, ttlMs: 15_000 } },
    login: kubernetes(60_000),
    loose: quiet,
  },
  "a lease reaches its longest life": {
    settings: leases,
    leased: { db: { data: { lease: "lease-canary" }, ttlMs: 12_000, maxTtlMs: 15_000 } },
    login: kubernetes(600_000),
    stopAtMs: 18_000,
    loose: quiet,
  },
};
