import { callKubernetes, type KubernetesTarget } from "@svc/testing";
import { ownAddress } from "./own-address.ts";
import { permitWorkload } from "./permit-workload.ts";

/** A hint as a pod got it. */
export interface HeardHint {
  readonly sequence: number;
  readonly news: string;
  readonly validMs: number;
}

/** A pod whose health port is a server of the test. */
export interface HintedPod extends Disposable {
  readonly name: string;
  /** Its token for the operator. */
  readonly token: string;
  readonly port: number;
  /** The hints that are signed with the key, in their order. */
  readonly heard: readonly HeardHint[];
  /** Requests that are not. */
  readonly strange: readonly string[];
  /** The key from now on. */
  readonly take: (key: string) => void;
  /** Its answers from now on. */
  readonly answerWith: (status: number) => void;
}

/** Makes a pod that the API server knows the address of. */
export async function hintedPod(kube: KubernetesTarget, name: string): Promise<HintedPod> {
  const wanted = { namespace: "shop", name, replicas: 1, maxUnavailable: 1 };
  const [pod] = (await permitWorkload(kube, wanted)).pods;
  if (pod === undefined) throw new TypeError("the workload has no pod");
  const podIP = ownAddress();
  await callKubernetes(kube, {
    method: "PATCH",
    path: `/api/v1/namespaces/shop/pods/${pod.name}/status`,
    body: { status: { podIP, podIPs: [{ ip: podIP }] } },
    contentType: "application/merge-patch+json",
  });
  return { ...pod, ...healthPort() };
}

function healthPort() {
  const heard: HeardHint[] = [];
  const strange: string[] = [];
  let key = "";
  let status = 204;
  const server = Bun.serve({
    hostname: ownAddress(),
    port: 0,
    development: false,
    fetch: async (request) => {
      const { method, url, headers } = request;
      const value = headers.get("svc-hint") ?? "";
      const hint = readHint(value, key);
      const isWhole = method === "POST" && new URL(url).pathname === "/v1/hints";
      if (hint === undefined || !isWhole || (await request.text()) !== "") strange.push(value);
      else heard.push(hint);
      return new Response(null, { status });
    },
  });
  return {
    ...{ heard, strange, port: server.port ?? 0 },
    take: (next: string) => {
      key = next;
    },
    answerWith: (next: number) => {
      status = next;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** Reads a hint as the protocol has it; undefined if the MAC is not of the key. */
function readHint(value: string, key: string): HeardHint | undefined {
  const [, text = "", sequence, news = "", validMs, mac] =
    /^(1 (\d+) (fresh|changed) (\d+)) ([0-9a-f]{64})$/.exec(value) ?? [];
  const wanted = new Bun.CryptoHasher("sha256", Buffer.from(key, "hex")).update(text).digest("hex");
  if (mac !== wanted) return undefined;
  return { sequence: Number(sequence), news, validMs: Number(validMs) };
}
