import type { KubernetesApi } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import { eventObject, eventsPath } from "../events/event-object.ts";
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
      const { namespace } = workload;
      const body = eventObject({
        ...{ regarding: workload, action: "Rotate", type: "Warning", reason: "RotationStopped" },
        ...{ note, instance },
      });
      const operation = `write an event for ${nameOf(workload)}`;
      try {
        await api.ask({ method: "POST", path: eventsPath(namespace), body, operation });
      } catch (error) {
        log("warn", error instanceof Error ? error.message : `${operation}: it failed`);
      }
    },
  };
}
