import type { Pod } from "./wait-for-pods.ts";

/**
 * The answer of the wrapper in a pod's first container at a path; `unreachable` without an answer.
 */
export async function wrapperStatus({ status }: Pod, port = 8199): Promise<string> {
  try {
    const reply = await fetch(`http://${status.podIP}:${port}/readyz`);
    const body: unknown = await reply.json();
    return Object(body).status;
  } catch {
    return "unreachable";
  }
}
