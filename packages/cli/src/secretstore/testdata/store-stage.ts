import { EventEmitter } from "node:events";
import {
  STORE_SECRETS,
  type StoreInCluster,
  type StoreOptions,
  startStoreInCluster,
} from "@svc/testing";
import { type Ran, runCaptured } from "../../testdata/run-captured.ts";
import type { SecretstoreCommand } from "../help-text.ts";
import { runSecretstore } from "../run-secretstore.ts";
import type { Surroundings } from "../surroundings.ts";

/** How a command differs from one without flags, input and a terminal. */
export interface StoreRun {
  readonly flags?: readonly string[];
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly changed?: Partial<Surroundings>;
}

/** A store in a cluster, and the commands. */
export interface StoreStage extends StoreInCluster {
  readonly run: (command: SecretstoreCommand, options?: StoreRun) => Promise<Ran>;
  /** The output Secret's fields, decoded; empty if it is not there. */
  readonly stored: () => Readonly<Record<string, string>>;
}

/** The path of the output Secret. */
export const secret = `${STORE_SECRETS}/svc-vault-init`;

/** Starts a store that is not initialised, by default of one pod. */
export async function storeStage(options?: StoreOptions): Promise<StoreStage> {
  const store = await startStoreInCluster(options);
  const least = {
    ...store.environment,
    ...{ BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES: "shop", BOOTSTRAP_ROLE_AUDIENCE: "vault" },
  };
  return {
    ...store,
    run: (command, { flags = [], stdin = "", environment = {}, changed = {} } = {}) =>
      runCaptured((output) =>
        runSecretstore(command, flags, {
          ...{ environment: new Map(Object.entries({ ...least, ...environment })), output },
          ...{ terminal: undefined, signals: new EventEmitter(), protect: () => undefined },
          stdin: () => new Blob([stdin]).stream(),
          ...changed,
        }),
      ),
    stored: () => {
      const data: Readonly<Record<string, unknown>> = Object(store.server.get(secret)?.["data"]);
      const texts = Object.entries(data).map(([name, text]) => [name, atob(String(text))]);
      return Object.fromEntries(texts);
    },
  };
}
