import { readFileSync } from "node:fs";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { version } from "@svc/protocol";
import type { ResourceAttributes } from "../settings/parse-resource-attributes.ts";

/** The machine's own, if the agent sees its processes, before that of its container. */
const MACHINE_ID_FILES = ["/proc/1/root/etc/machine-id", "/etc/machine-id"] as const;

/**
 * Makes the resource of all records of this agent; semantic conventions "Service", "Host" and
 * "Kubernetes". OTEL_RESOURCE_ATTRIBUTES comes second (OpenTelemetry specification,
 * "Specifying resource information via an environment variable").
 */
export function agentResource(node: string, given: ResourceAttributes = {}): Resource {
  const hostId = machineId();
  return resourceFromAttributes({
    ...given,
    "service.name": "svc-agent",
    "service.version": version,
    "service.instance.id": crypto.randomUUID(),
    "k8s.node.name": node,
    ...(hostId !== undefined && { "host.id": hostId }),
  });
}

/** Reads machine-id(5). Undefined if no file holds one. */
export function machineId(files: readonly string[] = MACHINE_ID_FILES): string | undefined {
  for (const file of files) {
    const text = textOf(file);
    if (/^[0-9a-f]{32}$/.test(text)) return text;
  }
  return undefined;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1").trim();
  } catch {
    return "";
  }
}
