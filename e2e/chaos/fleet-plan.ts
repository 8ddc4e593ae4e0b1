import { fixture } from "../harness/programs/fixture-programs.ts";
import type { RotationMode } from "./complaints.ts";

/** How one wrapper of a fleet is set. */
export interface MemberPlan {
  readonly name: string;
  readonly mode: RotationMode;
  readonly delivery: "inject" | "preload" | "env" | "auto";
  /** A shell stands before the program. */
  readonly shell: boolean;
  readonly login: "kubernetes" | "token" | "token file";
}

type Kind = Pick<MemberPlan, "mode" | "delivery" | "shell">;

const kinds: readonly [Kind, ...Kind[]] = [
  { mode: "restart", delivery: "inject", shell: false },
  { mode: "sighup", delivery: "inject", shell: false },
  { mode: "restart", delivery: "preload", shell: false },
  { mode: "sighup", delivery: "preload", shell: false },
  { mode: "restart", delivery: "env", shell: false },
  { mode: "sighup", delivery: "inject", shell: true },
  { mode: "restart", delivery: "auto", shell: true },
  { mode: "none", delivery: "auto", shell: false },
];
const logins = ["kubernetes", "token", "kubernetes", "token file", "kubernetes"] as const;

/** Every kind with every login, as far as `size` goes. */
export function fleetPlan(size: number): readonly MemberPlan[] {
  return Array.from({ length: size }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? kinds[0];
    const login = logins[index % logins.length] ?? "token";
    const shell = kind.shell ? " behind a shell" : "";
    return { ...kind, login, name: `${index}: ${kind.delivery}${shell}, ${login}` };
  });
}

/** The words after `--`. */
export function programWords({ shell }: MemberPlan, recordPath: string): readonly string[] {
  const words = [fixture("appends-values"), recordPath, "DB_USER", "DB_PASSWORD"];
  return shell ? ["/bin/sh", "-c", `exec ${words.join(" ")}`] : words;
}
