import { always, changed, checks, quiet, type Stories, steady } from "./story.ts";

/** Stories about the program, its ends, and those that ask for it. */
export const programStories: Stories = {
  "a program that ends while the values of its successor are fetched": {
    settings: { SVC_RESTART: "always", SVC_ROTATION_MIN_INTERVAL: "15s" },
    outages: [{ ...always, kind: "silent", fromMs: 14_000, toMs: 16_900 }],
    actions: [
      { kind: "change", atMs: 500 },
      { kind: "signal program", number: 9, atMs: 16_000 },
    ],
    stopAtMs: 40_000,
    loose: checks,
  },
  "another user, and a terminal": { user: 1000, hasTerminal: true, isFirstProcess: false },
  "another user, and a program that is not dumpable": {
    user: 1000,
    programs: [{ ...steady, isHidden: true }],
    isFirstProcess: false,
  },
  "a job that the shell continues": {
    hasTerminal: true,
    isFirstProcess: false,
    actions: [{ kind: "signal", number: 18, atMs: 5000 }],
  },
  "a child that was there before": {
    isFirstProcess: false,
    hasStranger: true,
    settings: { SVC_STOP_GRACE: "3s" },
    programs: [{ ignores: [], children: [{ ignores: [15], children: [] }] }],
  },
  "the wrapper becomes the program, and ends with its parent": {
    isFirstProcess: false,
    endsWithParent: true,
    settings: { SVC_SUPERVISE: "never" },
    actions: [{ kind: "end parent", atMs: 4000 }],
    stopAtMs: 9000,
  },
  "systemd does not listen": {
    settings: { NOTIFY_SOCKET: "/run/absent" },
    isFirstProcess: false,
    stopAtMs: 4000,
    loose: checks,
  },
  "systemd hears of a rotation": { hasSystemd: true, actions: [changed], isFirstProcess: false },
  "a program that crashes": {
    settings: { SVC_RESTART: "on-failure", SVC_RESTART_MAX_DELAY: "2s" },
    programs: [{ ...steady, exits: { afterUs: 300_000, code: 3 } }, steady],
  },
  "a program that says when it is ready": {
    settings: { SVC_READINESS_PROBE: '{"port":8080,"path":"/ready"}' },
    programs: [{ ...steady, answers: { port: 8080, readyAfterUs: 4_000_000 } }],
    stopAtMs: 12_000,
    loose: quiet,
  },
  "a program that ends": { programs: [{ ...steady, exits: { afterUs: 5_000_000, code: 3 } }] },
  "a program that is killed": {
    actions: [{ kind: "signal program", number: 9, atMs: 5000 }],
  },
  "a program that ignores SIGTERM": {
    settings: { SVC_STOP_GRACE: "2s" },
    programs: [{ ignores: [15], children: [{ ignores: [15], children: [] }] }],
    stopAtMs: 6000,
  },
  "a stop by another signal": {
    settings: { SVC_STOP_SIGNAL: "SIGWINCH", SVC_STOP_GRACE: "2s" },
    stopAtMs: 6000,
  },
  "a stop by another signal before the program": {
    settings: { SVC_STOP_SIGNAL: "SIGWINCH", SVC_STOP_GRACE: "2s" },
    outages: [{ ...always, kind: "silent" }],
    stopAtMs: 6000,
  },
  "a program that leaves a child": {
    settings: { SVC_STOP_GRACE: "8s" },
    programs: [
      {
        ignores: [],
        exits: { afterUs: 5_000_000, code: 0 },
        children: [{ ignores: [15], children: [] }],
      },
    ],
  },
  "the wrapper becomes the program": {
    settings: { SVC_SUPERVISE: "never" },
    actions: [{ kind: "ask ready", atMs: 2000 }],
    stopAtMs: 4000,
  },
  "probes beside a program": {
    actions: [
      { kind: "ask ready", atMs: 2000 },
      { kind: "ask ready", command: "/bin/probe", atMs: 2500 },
      { kind: "ask ready", command: "/bin/absent", atMs: 3000 },
      { kind: "ask ready", command: "probe", atMs: 3500 },
    ],
    stopAtMs: 6000,
  },
  "probes with a command that cannot be executed": {
    actions: [
      { kind: "ask ready", command: "/bin/probe", atMs: 2000 },
      { kind: "ask ready", command: "/bin/probe", atMs: 2500 },
    ],
    refusals: [
      { call: "execve", error: "ENOENT", from: 2, times: 1 },
      { call: "execve", error: "EACCES", from: 3, times: 1 },
    ],
    stopAtMs: 6000,
  },
  "probes beside a sealed wrapper": {
    login: { kind: "sealed" },
    actions: [{ kind: "ask ready", command: "/bin/probe", atMs: 2000 }],
    stopAtMs: 4000,
  },
  "the parent ends": {
    isFirstProcess: false,
    endsWithParent: true,
    actions: [{ kind: "end parent", atMs: 5000 }],
  },
  "the parent ends, without pidfd_open": {
    isFirstProcess: false,
    endsWithParent: true,
    actions: [{ kind: "end parent", atMs: 5000 }],
    refusals: [{ call: "pidfd_open", error: "ENOSYS" }],
  },
};
