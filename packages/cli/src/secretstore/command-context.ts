import { hostname } from "node:os";
import {
  type Administer,
  connectKubernetes,
  type KubernetesCluster,
  Progress,
  type StatusSettings,
} from "@svc/bootstrap";
import { chooseAccess } from "@svc/kubernetes";
import { createVaultAdministration, type VaultTls } from "@svc/vault";
import type { InputLines } from "./input-lines.ts";
import type { Reporter } from "./reporter.ts";
import type { StopSignals } from "./stop-signals.ts";

/** The inputs of a command once its settings are valid. */
export interface CommandContext {
  readonly environment: ReadonlyMap<string, string>;
  readonly reporter: Reporter;
  readonly signals: StopSignals;
  readonly input: InputLines;
  /** Shows a question on the terminal. */
  readonly ask: (text: string) => void;
}

/** The servers of a command. */
export interface Servers {
  readonly cluster: KubernetesCluster;
  readonly administer: Administer;
  readonly progress: Progress;
}

/** Makes the clients of the API server and of the store. Nothing is sent yet. */
export async function connect(
  { cluster: access }: StatusSettings,
  tls: VaultTls,
  { environment, reporter }: CommandContext,
): Promise<Servers> {
  const cluster = await connectKubernetes(chooseAccess(access, environment));
  const administer: Administer = (address, deadlineMs) => {
    const retry = deadlineMs === undefined ? {} : { deadlineMs };
    return createVaultAdministration({ address, tls, retry });
  };
  return { cluster, administer, progress: new Progress((event) => reporter.progress(event)) };
}

/** A name for this run and no other: in a pod the host's name is the pod's. */
export function newHolder(): string {
  return `${hostname()}-${crypto.randomUUID().slice(0, 8)}`;
}
