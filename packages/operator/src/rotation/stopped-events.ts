import type { KubernetesApi } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import { microTime } from "../leader/lease.ts";
import { GROUP } from "../svc-config/definition.ts";
import { nameOf } from "./permit-store.ts";
import type { WorkloadPlace } from "./read-workload.ts";

/** Tells people that the rotation of a workload has stopped. */
export interface StoppedEvents {
  /** Never rejects: a permit does not depend on it. */
  readonly send: (workload: WorkloadPlace, failure: string) => Promise<void>;
}

/** Writes an Event about the workload, and a line of the log. */
export function stoppedEvents(
  api: Pick<KubernetesApi, "ask">,
  instance: string,
  log: Log,
): StoppedEvents {
  return {
    send: async (workload, failure) => {
      const note = `the rotation of its pods has stopped: ${failure}. The others keep their values.`;
      log("warn", "the rotation of a workload has stopped", {
        workload: nameOf(workload),
        reason: failure,
      });
      const { apiVersion, kind, namespace, name, uid } = workload;
      const body = {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { namespace, generateName: `${name.slice(0, 200).replace(/[.-]+$/, "")}-` },
        eventTime: microTime(new Date()),
        reportingController: `${GROUP}/operator`,
        reportingInstance: instance.slice(0, 128),
        action: "Rotate",
        type: "Warning",
        reason: "RotationStopped",
        note: note.slice(0, 1000),
        regarding: { apiVersion, kind, namespace, name, uid },
      };
      const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      const operation = `write an event for ${nameOf(workload)}`;
      try {
        await api.ask({ method: "POST", path, body, operation });
      } catch (error) {
        log("warn", error instanceof Error ? error.message : `${operation}: it failed`);
      }
    },
  };
}
