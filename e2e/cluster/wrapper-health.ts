import type { Pod } from "./wait-for-pods.ts";

/** What the wrapper of a pod's first container says at a path; `unreachable` where it does not. */
export async function wrapperStatus({ status }: Pod, port = 8199): Promise<string> {
  try {
    const reply = await fetch(`http://${status.podIP}:${port}/readyz`);
    const body: unknown = await reply.json();
    return Object(body).status;
  } catch {
    return "unreachable";
  }
}
