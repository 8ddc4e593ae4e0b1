import { connectApi, type KubernetesApi } from "@svc/kubernetes";
import { type ObjectServer, startObjectServer } from "@svc/testing";

/** A client of an API server that keeps objects in memory. */
export interface ServedApi extends AsyncDisposable {
  readonly server: ObjectServer;
  readonly api: KubernetesApi;
}

/** Starts the server, and connects with it. */
export async function servedApi(): Promise<ServedApi> {
  const server = startObjectServer();
  const api = await connectApi({ kind: "kubeconfig", paths: [server.kubeconfig] });
  return { server, api, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
