import { activeNode } from "../nodes/active-node.ts";
import { openNodes } from "../nodes/open-nodes.ts";
import { requireAll } from "../nodes/require-all.ts";
import { sharesAtHand } from "../nodes/shares-at-hand.ts";
import { storeNodes, whyNoNodes } from "../nodes/store-nodes.ts";
import { noteConfigured } from "../secret/amend-keys.ts";
import { keysIn } from "../secret/keys-in.ts";
import type { StoredKeys } from "../secret/secret-phase.ts";
import type { BootstrapSettings } from "../settings.ts";
import type { InitTools } from "../tools/init-tools.ts";
import { checkService } from "./check-service.ts";
import { chooseToken } from "./choose-token.ts";
import { digestOf } from "./digest-of.ts";
import { ignoredSettings } from "./ignored-settings.ts";
import type { LoadedFiles } from "./load-files.ts";
import { noteWhoseKeys } from "./note-whose-keys.ts";
import { obtainStoreKeys } from "./obtain-store-keys.ts";
import { revokeRoot } from "./revoke-root.ts";
import { stepsOf } from "./set-up-steps.ts";
import { type SetUpRequest, setUpStore } from "./set-up-store.ts";

/** The result of a run. */
export interface InitOutcome {
  /** The Secret, for messages. */
  readonly secret: string;
  /** Its present content. */
  readonly keys: StoredKeys;
}

/**
 * Initialises a store, keeps its keys, unseals its pods and sets it up. It can be killed at any
 * point and run again.
 *
 * @throws BootstrapError
 * @throws VaultError
 */
export async function initStore(
  settings: BootstrapSettings,
  files: LoadedFiles,
  tools: InitTools,
): Promise<InitOutcome> {
  const { store, outputSecret: name } = settings;
  const { cluster, administer, progress } = tools;
  const secret = cluster.secret({ namespace: store.namespace, name });
  const until = performance.now() + settings.waitMs;
  const look = storeNodes(cluster, store, administer);
  const waiting = { look, whyNone: whyNoNodes(cluster, store), progress, store, until };
  const { encryption } = files;
  const { outcome, stored, plain } = await progress.step({ step: "initialise" }, () =>
    obtainStoreKeys(settings, { ...tools, encryption }, { secret, waiting }),
  );
  if (outcome === "unchanged") {
    for (const text of ignoredSettings(settings, encryption.ciphers, stored)) progress.warn(text);
  }
  const shares = sharesAtHand(secret.name, stored, plain);
  // A reset may have taken all of the time.
  const openUntil = performance.now() + settings.waitMs;
  const caPem = files.tls.ca?.join("\n");
  const opening = { ...waiting, until: openUntil, shares, caPem, done: new Set<string>() };
  // An open standby node of OpenBao takes up to 30 s to use an auth method that was configured. One
  // that is opened after the set-up uses it at once.
  const { open } = await openNodes(opening, "active");
  // The set-up is of one pod: it may take its time.
  const active = administer((await activeNode(open)).address);
  await progress.step({ step: "note-cluster" }, () => noteWhoseKeys(secret, stored, active));
  const wanted: SetUpRequest = { ...settings, review: files.review };
  const configured = digestOf(wanted);
  const kept = { stored, rootToken: plain.rootToken, name: secret.name };
  const token = await chooseToken(active, { given: tools.token, kept, configured });
  if (token === undefined && plain.rootToken !== undefined && !stored.revoking) {
    progress.warn(`the store refuses the root token in ${secret.name}: the set-up was not checked`);
  }
  if (token === undefined) {
    for (const step of stepsOf(settings)) progress.end({ step }, { outcome: "skipped" });
  } else {
    await setUpStore({ admin: active, token }, wanted, progress);
    await progress.step({ step: "note-settings" }, async () => ({
      outcome: await noteConfigured(secret, configured),
    }));
  }
  const opened = await openNodes(opening);
  // A run that was broken off in the middle of it is ended.
  if (settings.revokeRoot || stored.revoking) {
    await progress.step({ step: "revoke-root" }, () => revokeRoot(secret, active, kept));
  }
  requireAll(opened);
  await checkService(administer(store.address), progress);
  return { secret: secret.name, keys: await keysIn(secret) };
}
