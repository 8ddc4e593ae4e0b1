import { parseOneOf } from "./one-of.ts";

/**
 * How the wrapper can hear of the execve of a program's children: the closed set, for every package.
 * `notify`: the kernel tells it of every execve (seccomp_unotify(2)); nothing is traced between
 * them. `trace`: everything stays traced (ptrace(2)). `off`: not at all.
 */
export const followings = ["notify", "trace", "off"] as const;

/** How the wrapper hears of the execve of a program's children. */
export type Following = (typeof followings)[number];

/** Parses a way of following, or `auto`. */
export const parseFollow = parseOneOf(["auto", ...followings]);
