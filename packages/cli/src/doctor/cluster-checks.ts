import { parseSvcConfig } from "@svc/operator";
import type { Manifest } from "../cluster/cluster-view.ts";
import { plain } from "../cluster/told-secrets.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import { type Finding, ok } from "./finding.ts";

const INSTALL = "helm install svc deploy/charts/svc, as docs/guides/kubernetes.md says";
const KINDS = ["svcconfigs", "svcpolicies"] as const;
/** memfd_secret of Linux 5.14. */
const SECRET_MEMORY = [5, 14] as const;
const LONGEST = 400;

/** Judges a cluster for pods that want secrets. Pure. */
export function clusterFindings(facts: ClusterFacts): readonly Finding[] {
  return [
    webhook(facts),
    operator(facts),
    trial(facts),
    definitions(facts),
    configs(facts),
    kernels(facts),
    agents(facts),
  ];
}

function webhook({ webhooks }: ClusterFacts): Finding {
  const check = "webhook";
  if (!webhooks.ok) return unknown(check, webhooks.found);
  const [first] = webhooks.value;
  if (first === undefined) {
    const why = "pods that ask for secrets are made without them, or refused by a policy";
    return failure(check, { found: "no webhook of svc is configured", why, fix: INSTALL });
  }
  if (!first.hasCaBundle) {
    return failure(check, {
      found: `webhook configuration ${first.configuration} has no CA bundle`,
      why: "API servers cannot verify the operator, so each pod that asks is refused",
      fix: "wait for the operator's leader, and read its log: kubectl logs -n svc-system deploy/svc-operator",
    });
  }
  return ok(check, `webhook configuration ${first.configuration} is there, with a CA bundle`);
}

function operator({ operator: found }: ClusterFacts): Finding {
  const check = "operator";
  if (found === undefined) return unknown(check, "no webhook leads to it");
  if (!found.ok) return unknown(check, found.found);
  const { name, available } = found.value;
  const [namespace = "", deployment = ""] = name.split("/");
  if (available > 0) return ok(check, `${name} has ${available} replicas that take questions`);
  return failure(check, {
    found: `no replica of ${name} takes questions`,
    why: "each pod that asks is refused until one does",
    fix: `kubectl describe pods -n ${namespace}, and kubectl logs -n ${namespace} deploy/${deployment}`,
  });
}

/** The API server itself was asked for a pod, and so it asked the operator, or could not. */
function trial({ trial: told, namespace, webhooks }: ClusterFacts): Finding {
  const check = "admission";
  if (told.kind === "made") {
    const isInjected = told.annotations.some((name) => name.endsWith("/injected"));
    if (isInjected) return ok(check, `a pod of namespace ${namespace} would get its wrapper`);
    return failure(check, {
      found: `the API server did not ask the operator about a pod of namespace ${namespace}`,
      why: "pods there start without their secrets",
      fix: "see the namespaceSelector and objectSelector of the webhook, and webhook.excludedNamespaces of the chart",
    });
  }
  const message = plain(told.message).slice(0, LONGEST);
  if (message.includes("failed calling webhook")) {
    return failure(check, {
      found: message,
      why: "API servers cannot reach the operator, and refuse each pod that asks",
      fix: "see the operator's readiness, its Service and NetworkPolicies, and operator.hostNetwork if the CNI hides pods from API servers",
    });
  }
  // The operator refuses a pod without settings, which shows that it was asked.
  const names = webhooks.ok ? webhooks.value.map(({ name }) => name) : [];
  if (names.some((name) => message.includes(`admission webhook "${name}" denied the request`))) {
    return ok(check, "the API server asks the operator, which answers");
  }
  return unknown(check, message);
}

function definitions({ kinds }: ClusterFacts): Finding {
  const check = "definitions";
  if (!kinds.ok) return unknown(check, kinds.found);
  const missing = KINDS.filter((kind) => !kinds.value.includes(kind));
  if (missing.length === 0) return ok(check, "SvcConfig and SvcPolicy are there");
  return failure(check, {
    found: `the API server does not know ${missing.join(" and ")}`,
    why: "settings of namespaces and exceptions of the agent cannot be written",
    fix: "kubectl apply -f deploy/crds",
  });
}

function configs({ configs: read, namespace }: ClusterFacts): Finding {
  const check = "SvcConfigs";
  if (!read.ok) return unknown(check, read.found);
  const faults = read.value.flatMap(faultOf);
  if (faults.length === 0) {
    return ok(check, `${read.value.length} of namespace ${namespace}, and none has a fault`);
  }
  return failure(check, {
    found: faults.join("; "),
    why: "pods that use such a SvcConfig are refused",
    fix: `kubectl get svcconfigs -n ${namespace} -o wide, and kubectl describe svcconfig`,
  });
}

function faultOf(config: unknown): readonly string[] {
  const { metadata, status } = Object(config);
  const name = String(Object(metadata).name);
  const parsed = parseSvcConfig(config);
  if (!parsed.ok) return [`${name}: ${plain(parsed.problems.join(", "))}`];
  const { ready, message } = Object(status);
  return ready === false ? [`${name}: ${plain(String(message)).slice(0, LONGEST)}`] : [];
}

function kernels({ nodes }: ClusterFacts): Finding {
  const check = "kernels";
  if (!nodes.ok) return unknown(check, nodes.found);
  const old = nodes.value.filter((node) => isOlder(kernelOf(node)));
  if (old.length === 0) return ok(check, `those of ${nodes.value.length} nodes have memfd_secret`);
  const names = old.map((node) => `${nameOf(node)} (${kernelOf(node)})`).slice(0, 5);
  return {
    ...{ check, level: "warning", found: `Linux before 5.14 on ${names.join(", ")}` },
    why: "secrets are in ordinary memory there",
    fix: "update these nodes, or set svc.internal/require-memfd-secret to keep pods away",
  };
}

function isOlder(release: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(release) ?? [];
  if (major === undefined) return true;
  const [first, second] = SECRET_MEMORY;
  return Number(major) < first || (Number(major) === first && Number(minor) < second);
}

function kernelOf({ status }: Manifest): string {
  return plain(String(Object(Object(status).nodeInfo).kernelVersion));
}

function nameOf({ metadata }: Manifest): string {
  return plain(String(Object(metadata).name));
}

function agents({ agents: read }: ClusterFacts): Finding {
  const check = "kernel agents";
  if (!read.ok) return unknown(check, read.found);
  const sets = read.value.map(({ status }) => Object(status));
  if (sets.length === 0) {
    return {
      ...{ check, level: "warning", found: "no DaemonSet of the agent is there" },
      why: "nothing reports or stops theft from programs",
      fix: "helm upgrade svc deploy/charts/svc --reuse-values --set agent.enabled=true",
    };
  }
  const [wanted, ready] = [sum(sets, "desiredNumberScheduled"), sum(sets, "numberReady")];
  if (ready >= wanted) return ok(check, `${ready} of ${wanted} nodes have one that is ready`);
  return failure(check, {
    found: `${ready} of ${wanted} nodes have one that is ready`,
    why: "programs on the others run unwatched, or not at all with require-agent",
    fix: "kubectl get pods -A -l app.kubernetes.io/component=agent -o wide, and read their logs",
  });
}

function sum(sets: readonly Readonly<Record<string, unknown>>[], member: string): number {
  return sets.reduce((total, set) => total + Number(set[member] ?? 0), 0);
}

function unknown(check: string, found: string): Finding {
  return { check, level: "unknown", found: plain(found).slice(0, LONGEST) };
}

function failure(
  check: string,
  words: { readonly found: string; readonly why: string; readonly fix: string },
): Finding {
  return { check, level: "failure", ...words };
}
