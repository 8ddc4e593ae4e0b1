import { KubernetesError } from "@svc/kubernetes";

/** The answer; undefined if the API server says that there is no such object. */
export async function unlessGone(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubernetesError && error.status === 404) return undefined;
    throw error;
  }
}
