import type { AgentLink } from "../agent/agent-link.ts";
import type { Versions } from "../agent/agent-messages.ts";
import type { SecretNames } from "../health/secret-names.ts";
import type { SecretVersion } from "../health/wrapper-facts.ts";
import type { Life } from "../life/life.ts";
import { secretsOf } from "../life/status.ts";

/** Tells the kernel agent the versions that the program has, each time that they change. */
export function versionTeller(
  agent: Pick<AgentLink, "tellVersions"> | undefined,
  names: SecretNames,
): (life: Life) => void {
  let told = "[]";
  return (life) => {
    if (agent === undefined) return;
    const secrets = secretsOf(life, names);
    const text = JSON.stringify(secrets);
    if (text === told) return;
    told = text;
    agent.tellVersions(versionsMessage(secrets));
  };
}

/** The Versions of a program. A wall clock from before 1970 counts as 1970. */
export function versionsMessage(secrets: readonly SecretVersion[]): Versions {
  return {
    kind: "versions",
    secrets: secrets.map(({ path, version, sinceMs }) => ({
      path,
      version: BigInt(version),
      sinceMs: BigInt(Math.max(0, Math.round(sinceMs))),
    })),
  };
}
