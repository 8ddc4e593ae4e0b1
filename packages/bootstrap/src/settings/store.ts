import type { StatusSettings } from "./bootstrap-settings.ts";
import { present, type ReadingOf } from "./reading.ts";
import { readStoreTls } from "./store-tls.ts";
import type { StatusTable } from "./variables.ts";

/** Reads the settings of every command; undefined if a required one is missing. */
export function readStore(reading: ReadingOf<StatusTable>): StatusSettings | undefined {
  const { storeAddress: address, namespace, releaseName, podPrefix, ...values } = reading.values;
  const tls = readStoreTls(reading);
  if (address === undefined || namespace === undefined || releaseName === undefined) {
    return undefined;
  }
  const { outputSecret, kubeconfig, context, waitMs, output = "text" } = values;
  const store = { address, namespace, releaseName, ...present({ podPrefix }), tls };
  return { store, outputSecret, cluster: present({ kubeconfig, context }), waitMs, output };
}
