/**
 * Compares the lock files with the databases of known vulnerabilities: `bun scripts/audit.ts`.
 * Exits 1 when one concerns svc, 2 when that could not be found out, else 0. It asks the network.
 */
import { join } from "node:path";
import { type AuditFinding, judgeBunAudit, judgeCargoDeny } from "./audit/judge-audit.ts";

const root = join(import.meta.dirname, "..");
const STATUS = { clean: 0, vulnerable: 1, unknown: 2 } as const;

const findings = [
  ["bun.lock", bunAudit(root)],
  ["scripts/coverage/bun.lock", bunAudit(join(root, "scripts/coverage"))],
  ["scripts/mutation/bun.lock", bunAudit(join(root, "scripts/mutation"))],
  ["engine/Cargo.lock", cargoDeny()],
] as const;
for (const [file, finding] of findings) process.stdout.write(`${file}: ${textOf(finding)}\n`);
const kinds = findings.map(([, { kind }]) => kind);
const worst = kinds.includes("vulnerable")
  ? "vulnerable"
  : kinds.find((kind) => kind === "unknown");
process.exit(STATUS[worst ?? "clean"]);

function bunAudit(folder: string): AuditFinding {
  return judgeBunAudit(ended([process.execPath, "audit", "--json"], folder));
}

function cargoDeny(): AuditFinding {
  if (Bun.which("cargo-deny") === null) {
    const reason = "cargo-deny is not installed: `cargo install cargo-deny --locked`";
    return { kind: "unknown", reason };
  }
  return judgeCargoDeny(ended(["cargo-deny", "check", "advisories"], join(root, "engine")));
}

function ended(command: readonly string[], folder: string) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd: folder });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

function textOf(finding: AuditFinding): string {
  switch (finding.kind) {
    case "clean":
      return "no known vulnerability";
    case "vulnerable":
      return `known vulnerabilities: ${finding.names.join(", ")}`;
    case "unknown":
      return `not compared, so nothing is known: ${finding.reason}`;
  }
}
