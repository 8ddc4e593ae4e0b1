import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { CgroupIdentity } from "./cgroup-identity.ts";

/** The owner of a control group, with the names that the kubelet has for it. */
export interface NamedCgroup extends CgroupIdentity {
  readonly namespace?: string;
  readonly podName?: string;
  readonly container?: string;
}

/** The listing of a node takes a millisecond. */
const LIST_INTERVAL_MS = 1000;
// The kubelet names its folders of logs so (pkg/kubelet/kuberuntime): no part has an underscore.
const podForm = /^([a-z0-9.-]+)_([a-z0-9.-]+)_([0-9a-f-]{32,36})$/;
const containerForm = /^[a-z0-9.-]+_[a-z0-9.-]+_([a-z0-9-]+)-([0-9a-f]{64})\.log$/;

/**
 * Finds the names of pods and containers among the kubelet's logs of this node. So the agent needs
 * no right at the API server, and no word of a process about itself.
 */
export class PodNames {
  readonly #root: string | undefined;
  #pods = new Map<string, readonly [namespace: string, pod: string]>();
  #containers = new Map<string, string>();
  #listedMs = Number.NEGATIVE_INFINITY;

  /** @param root the machine's root directory; undefined if this process cannot see it. */
  constructor(root: string | undefined) {
    this.#root = root;
  }

  /** Adds the names that are known. */
  name(cgroup: CgroupIdentity): NamedCgroup {
    const { podUid, containerId } = cgroup;
    if (podUid === undefined || this.#root === undefined) return cgroup;
    const isKnown =
      this.#pods.has(podUid) && (containerId === undefined || this.#containers.has(containerId));
    if (!isKnown) this.#list(this.#root);
    const [namespace, podName] = this.#pods.get(podUid) ?? [];
    const container = this.#containers.get(containerId ?? "");
    return {
      ...cgroup,
      ...(namespace !== undefined && { namespace }),
      ...(podName !== undefined && { podName }),
      ...(container !== undefined && { container }),
    };
  }

  #list(root: string): void {
    if (performance.now() - this.#listedMs < LIST_INTERVAL_MS) return;
    this.#listedMs = performance.now();
    this.#pods = new Map(
      listed(join(root, "var/log/pods")).flatMap((name) => {
        const [, namespace, pod, uid] = podForm.exec(name) ?? [];
        if (namespace === undefined || pod === undefined || uid === undefined) return [];
        return [[uid, [namespace, pod] as const] as const];
      }),
    );
    this.#containers = new Map(
      listed(join(root, "var/log/containers")).flatMap((name) => {
        const [, container, id] = containerForm.exec(name) ?? [];
        return container === undefined || id === undefined ? [] : [[id, container] as const];
      }),
    );
  }
}

/** A machine without a kubelet has no such folder. */
function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
