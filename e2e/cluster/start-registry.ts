import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@svc/testing";
import { NODE } from "./node-settings.ts";
import { startDaemon } from "./start-daemon.ts";

/** Starts the registry that nodes pull from: Debian's docker-registry, with TLS, on the node. */
export async function startRegistry(settings: string, logs: string, caPem: string): Promise<void> {
  const path = join(settings, "registry.json");
  writeFileSync(path, JSON.stringify(registrySettings(settings)), { mode: 0o600 });
  const daemon = startDaemon({
    name: "registry",
    command: ["docker-registry", "serve", path],
    logs,
  });
  const answers = async () => {
    daemon.refuseEnded();
    const reply = await fetch(`https://${NODE.registry}/v2/`, { tls: { ca: caPem } }).catch(
      () => undefined,
    );
    return reply?.ok === true;
  };
  await waitFor(answers, { deadlineMs: 20_000, what: "the registry to answer" });
}

function registrySettings(settings: string): object {
  const [, port] = NODE.registry.split(":");
  return {
    version: "0.1",
    log: { level: "error" },
    storage: { filesystem: { rootdirectory: "/var/lib/registry" } },
    http: {
      addr: `${NODE.address}:${port}`,
      tls: { certificate: `${settings}/registry.crt`, key: `${settings}/registry.key` },
    },
  };
}
