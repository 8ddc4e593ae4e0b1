import { endBeforeCourier } from "../world/mishaps.ts";
import { changed, kubernetes, quiet, type Stories } from "./story.ts";

/** Stories about limits, and calls that the kernel refuses. */
export const refusalStories: Stories = {
  "a kernel without memfd_secret": { refusals: [{ call: "memfd_secret", error: "ENOSYS" }] },
  "a kernel that lacks a memory that is required": {
    settings: { SVC_REQUIRE_MEMFD_SECRET: "true" },
    refusals: [{ call: "memfd_secret", error: "ENOSYS" }],
  },
  "a limit of locked memory": {
    settings: { SVC_REQUIRE_MLOCK: "true" },
    refusals: [{ call: "lock secrets", error: "ENOMEM" }],
  },
  "pages that are not locked": { refusals: [{ call: "lock secrets", error: "ENOMEM" }] },
  "no descriptor for the first region": {
    refusals: [{ call: "memfd_secret", error: "EMFILE" }],
  },
  "no memory for a courier's job": {
    refusals: [{ call: "sendmsg", error: "ENOMEM", from: 2, times: 2 }],
    loose: /the secrets were checked|checks_total|the check failed/,
  },
  "a hand-over in ordinary memory that may be swapped": {
    settings: { SVC_SUPERVISE: "never" },
    refusals: [
      { call: "memfd_secret", error: "ENOSYS" },
      { call: "mlock", error: "ENOMEM" },
    ],
    stopAtMs: 4000,
  },
  "no memory for the first courier's job": { refusals: [{ call: "sendmsg", error: "ENOMEM" }] },
  "a region that cannot be mapped": { refusals: [{ call: "mmap", error: "EAGAIN" }] },
  "VAULT_TOKEN in ordinary memory": {
    refusals: [{ call: "mmap", error: "EAGAIN", from: 1, times: 1 }],
  },
  "VAULT_TOKEN that has to be in secret memory": {
    settings: { SVC_REQUIRE_MLOCK: "true" },
    refusals: [{ call: "mmap", error: "EAGAIN", from: 1, times: 1 }],
  },
  "a small limit of locked memory": {
    arrival: { ignored: [], blocked: [], fds: [], descriptorLimit: 1024, lockLimit: 32_768 },
  },
  "a limit of locked memory without room for a page": {
    arrival: { ignored: [], blocked: [], fds: [], descriptorLimit: 1024, lockLimit: 4096 },
    refusals: [{ call: "mmap", error: "EAGAIN", from: 1, times: 1 }],
  },
  "a region that may not be locked": {
    login: kubernetes(60_000),
    refusals: [{ call: "mmap", error: "EAGAIN", from: 2, times: 1 }],
    loose: quiet,
  },
  "a limit of processes at the start": {
    refusals: [{ call: "fork", error: "EAGAIN" }],
  },
  "a limit of processes at a check": {
    refusals: [{ call: "fork", error: "EAGAIN", from: 2, times: 1 }],
  },
  "a program that ends while its successor cannot be started": {
    // The second and the third courier check, and the fourth one would be the next program.
    ...endBeforeCourier(4),
    actions: [changed],
    loose: quiet,
  },
  "no memory for a process": { refusals: [{ call: "fork", error: "ENOMEM" }] },
  "a health port that is taken": {
    refusals: [{ call: "listen", error: "EADDRINUSE" }],
    loose: /the vault is asked|secret\/data|would report/,
  },
  "a health port that is taken for a moment": {
    login: { kind: "sealed" },
    refusals: [{ call: "listen", error: "EADDRINUSE", from: 2, times: 2 }],
    actions: [{ kind: "unseal wrapper", isRight: true, atMs: 5000 }],
    stopAtMs: 17_000,
  },
  "a health port at an address that is not ours": {
    login: { kind: "sealed" },
    refusals: [{ call: "listen", error: "EADDRNOTAVAIL", from: 2, times: 1 }],
    stopAtMs: 8000,
  },
  "a health port that is taken when a token has come": {
    login: { kind: "sealed" },
    refusals: [{ call: "listen", error: "EADDRINUSE", from: 3, times: 2 }],
    actions: [{ kind: "unseal wrapper", isRight: true, atMs: 3000 }],
    loose: quiet,
    stopAtMs: 20_000,
  },
  "a health port that is taken for two seconds": {
    login: { kind: "sealed" },
    refusals: [{ call: "listen", error: "EADDRINUSE", from: 2, times: 20 }],
    stopAtMs: 9000,
  },
  "a kernel that keeps no orphans": {
    isFirstProcess: false,
    refusals: [{ call: "prctl", error: "EINVAL", from: 2, times: 1 }],
    stopAtMs: 9000,
    loose: quiet,
  },
  "an environment that is too large": { refusals: [{ call: "execve", error: "E2BIG" }] },
  "too few descriptors": {
    arrival: { ignored: [], blocked: [], fds: [], descriptorLimit: 24 },
  },
  "too few descriptors for checks that never come": {
    settings: { SVC_ROTATION: "none" },
    arrival: { ignored: [], blocked: [], fds: [], descriptorLimit: 24 },
    stopAtMs: 4000,
  },
  "a program that may not be executed": { refusals: [{ call: "execve", error: "EACCES" }] },
  "a program without its interpreter": { refusals: [{ call: "execve", error: "ENOENT" }] },
};
