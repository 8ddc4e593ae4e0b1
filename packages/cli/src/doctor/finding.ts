/** The result of a check. */
export interface Finding {
  /** The subject, such as `swap`. */
  readonly check: string;
  readonly level: Level;
  /** One line for people. */
  readonly found: string;
  /** Why it matters; absent if all is well. */
  readonly why?: string;
  /** The command or the setting that mends it. */
  readonly fix?: string;
}

/** `unknown`: it could not be looked at. */
export type Level = "ok" | "warning" | "failure" | "unknown";

/** A check that is content. */
export function ok(check: string, found: string): Finding {
  return { check, level: "ok", found };
}

/** The meaning of the command's exit statuses. */
const statuses = { ok: 0, failure: 1, warning: 2, unknown: 2 } as const;

/** The exit status for findings: 1 if something fails, 2 if something may. */
export function exitStatusOf(findings: readonly Finding[]): number {
  const levels = findings.map(({ level }) => level);
  const worst = (["failure", "warning", "unknown"] as const).find((one) => levels.includes(one));
  return statuses[worst ?? "ok"];
}

/** Lines for people, one finding after the other. */
export function findingsText(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ check, level, found, why, fix }) => [
    `${level.padEnd(WIDTH)}  ${check}: ${found}`,
    ...(why === undefined ? [] : [`${" ".repeat(WIDTH)}  why: ${why}`]),
    ...(fix === undefined ? [] : [`${" ".repeat(WIDTH)}  fix: ${fix}`]),
  ]);
  return lines.join("\n");
}

const WIDTH = "failure".length;
