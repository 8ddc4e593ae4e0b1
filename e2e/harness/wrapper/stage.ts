import { afterAll } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { expectNothingLeft } from "../processes/leftovers.ts";
import { type OneSecretStore, oneSecretStore } from "./one-secret.ts";

/** The stage for a file of stories: a store with one secret, and its own folder. */
export interface Stage extends Pick<OneSecretStore, "store" | "environment" | "password"> {
  /** The path of a name in the folder. */
  readonly at: (name: string) => string;
}

/** Sets the stage for one test file; it is cleared, and searched for leftovers, after its tests. */
export function setStage(): Stage {
  const { store, environment, password } = oneSecretStore();
  const folder = temporaryFolder();
  afterAll(async () => {
    await store.stop();
    folder[Symbol.dispose]();
  });
  expectNothingLeft();
  return { store, environment, password, at: (name) => join(folder.path, name) };
}
