import { KubernetesError } from "@svc/kubernetes";

/**
 * The answer; undefined if the API server gives one of these statuses instead, for example 404.
 * @throws KubernetesError for another one
 */
export async function unlessStatus(
  statuses: readonly number[],
  answer: Promise<unknown>,
): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.status === undefined) throw error;
    if (statuses.includes(error.status)) return undefined;
    throw error;
  }
}
