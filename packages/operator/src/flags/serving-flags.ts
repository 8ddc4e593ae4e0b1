import { flagOnly, parseDurationBetween, parseListenAddress, parseOneOf } from "@svc/settings";
import { parseCount } from "./parse-count.ts";

const group = "Serving";

/** How the API server's questions are answered. */
export const servingFlags = {
  listen: flagOnly({
    name: "--listen-addr",
    group,
    type: "address",
    default: ":8443",
    parse: parseListenAddress,
    meaning:
      "Where the webhook, /healthz, /readyz and /metrics are served, all by HTTPS: HOST:PORT or :PORT.",
  }),
  inFlight: flagOnly({
    name: "--max-in-flight",
    group,
    type: "number",
    default: "256",
    parse: parseCount({ least: 1, most: 10_000 }),
    meaning: "Questions that are answered at one time; four times as many may wait.",
  }),
  lingerMs: flagOnly({
    name: "--shutdown-delay",
    group,
    type: "duration",
    default: "5s",
    parse: parseDurationBetween({ least: "0s", most: "5m" }),
    meaning:
      "How long it still takes questions after SIGTERM, while /readyz says that it stops: the API server learns late that a pod is gone.",
  }),
  graceMs: flagOnly({
    name: "--shutdown-grace",
    group,
    type: "duration",
    default: "15s",
    parse: parseDurationBetween({ least: "0s", most: "5m" }),
    meaning: "How long questions that are being answered then may take.",
  }),
  logLevel: flagOnly({
    name: "--log-level",
    group,
    type: "level",
    default: "info",
    parse: parseOneOf(["info", "warn", "error"]),
    meaning:
      "Least level of the lines on standard error: `info` has one for every pod, `warn` one for those that are refused.",
  }),
};
