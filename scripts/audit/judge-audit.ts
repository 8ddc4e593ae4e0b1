/** The end of a program that compares a lock file with a database of vulnerabilities. */
export interface AuditRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `unknown` if the database was not reached. */
export type AuditFinding =
  | { readonly kind: "clean" }
  | { readonly kind: "vulnerable"; readonly names: readonly string[] }
  | { readonly kind: "unknown"; readonly reason: string };

/** Pure: reads the end of `bun audit --json`: an object with the advisories of each package. */
export function judgeBunAudit({ stdout, stderr }: AuditRun): AuditFinding {
  const found = objectIn(stdout);
  if (found === undefined) return { kind: "unknown", reason: lastLine(stderr || stdout) };
  const names = Object.keys(found).toSorted();
  return names.length === 0 ? { kind: "clean" } : { kind: "vulnerable", names };
}

/** Pure: reads the end of `cargo deny check advisories`. 1 is a finding; others are failures. */
export function judgeCargoDeny({ exitCode, stderr }: AuditRun): AuditFinding {
  if (exitCode === 0) return { kind: "clean" };
  const names = [...stderr.matchAll(/^\s*(?:=|│\s*=)?\s*ID: (RUSTSEC-\d{4}-\d{4})/gm)];
  if (names.length === 0) return { kind: "unknown", reason: lastLine(stderr) };
  return { kind: "vulnerable", names: names.map(([, name = ""]) => name).toSorted() };
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() || "it said nothing";
}
