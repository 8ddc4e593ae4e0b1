import { noOperator } from "../world/operator-plan.ts";
import { TLS_PATHS } from "../world/secrets.ts";
import { changed, quiet, type Stories } from "./story.ts";

/** An operator that gives permits at once, and says hints each two seconds. */
const operator = { ...noOperator, slowestMs: 20, hintEveryMs: 2000, validMs: 5000 };
const hints = { ...operator, hints: "said" } as const;
/** Checks come by hints and requests alone. */
const seldom = { RENEWAL_INTERVAL: "200s" };
const tls = {
  SVC_BROKER_TLS_CERT: TLS_PATHS.certificate,
  SVC_BROKER_TLS_KEY: TLS_PATHS.key,
};
/** A check may come once more before the wrapper has subscribed with its new versions. */
const oftenTold = /checks_total|hints_total|the secrets were checked|"hint":"TOO_MANY/;

/** Stories about permits, hints and checks that are asked for. */
export const operatorStories: Stories = {
  "a rotation with a permit": { operator, actions: [changed], loose: quiet },
  "a rotation that waits for a permit": {
    operator: { ...operator, waits: 2 },
    actions: [changed],
    loose: quiet,
    stopAtMs: 36_000,
  },
  "a rotation with a time to drain": {
    operator,
    settings: { SVC_ROTATION_DRAIN: "3s" },
    actions: [changed],
    loose: quiet,
    stopAtMs: 20_000,
  },
  "an operator that gives no permit": {
    operator: { ...operator, waits: "for ever" },
    actions: [changed],
    stopAtMs: 60_000,
    loose: quiet,
  },
  // The wrapper waits for ten minutes, and rotates within ten more.
  "an operator that is away for long": {
    operator: { ...operator, outages: [{ fromMs: 0, toMs: 9_000_000, kind: "unavailable" }] },
    settings: { RENEWAL_INTERVAL: "60s", SVC_ROTATION_SPLAY: "1s", SVC_LOG_LEVEL: "info" },
    actions: [changed],
    stopAtMs: 1_400_000,
    loose: quiet,
  },
  "an operator whose answers mean nothing": {
    operator: { ...operator, outages: [{ fromMs: 0, toMs: 90_000, kind: "garbage" }] },
    settings: { SVC_HINTS: "true", SVC_LOG_LEVEL: "info" },
    actions: [changed],
    loose: quiet,
  },
  "a hint after a change": {
    operator: hints,
    settings: seldom,
    actions: [changed],
    loose: oftenTold,
  },
  "hints that are forged and come again": {
    operator: { ...hints, forged: 1 },
    settings: seldom,
    loose: oftenTold,
  },
  "hints that stop": {
    operator: { ...hints, outages: [{ fromMs: 6000, toMs: 90_000, kind: "refused" }] },
    settings: { SVC_LOG_LEVEL: "info" },
    stopAtMs: 40_000,
    loose: oftenTold,
  },
  "an operator that says no hints": {
    operator: { ...hints, hints: "refused" },
    settings: { SVC_LOG_LEVEL: "info" },
    loose: quiet,
  },
  "a certificate that is replaced": {
    settings: { ...seldom, ...tls },
    actions: [{ kind: "write certificate", atMs: 4000 }],
    stopAtMs: 20_000,
  },
  "a certificate that is removed, with a CA for clients": {
    settings: { ...seldom, ...tls, SVC_BROKER_TLS_CA: TLS_PATHS.clientCa },
    actions: [
      { kind: "remove certificate", atMs: 4000 },
      { kind: "write certificate", atMs: 14_000 },
    ],
    stopAtMs: 30_000,
    loose: quiet,
  },
  "a certificate that is absent": {
    settings: { ...tls, SVC_BROKER_TLS_CERT: "/run/tls/absent" },
  },
  "a refresh file that is written again and again": {
    settings: { ...seldom, SVC_LOG_LEVEL: "info" },
    hasRefreshFile: true,
    actions: [4000, 6000, 8000, 10_000, 12_000, 14_000, 16_000].map(
      (atMs) => ({ kind: "touch refresh file", atMs }) as const,
    ),
    stopAtMs: 24_000,
    loose: /checks_total/,
  },
  "checks that are asked for": {
    settings: { ...seldom, SVC_LOG_LEVEL: "info" },
    hasRefreshFile: true,
    actions: [
      { kind: "look at the check", atMs: 3000 },
      { kind: "change", atMs: 4000 },
      { kind: "ask for a check", atMs: 4500 },
      { kind: "look at the check", atMs: 10_000 },
      { kind: "touch refresh file", atMs: 11_000 },
      { kind: "ask for a check", atMs: 20_000 },
      { kind: "ask for a check", atMs: 21_000 },
    ],
    stopAtMs: 24_000,
    loose: /checks_total/,
  },
};
