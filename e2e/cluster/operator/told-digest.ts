import { createHash } from "node:crypto";
import type { StoryCluster } from "../story-cluster.ts";
import type { Pod, PodName } from "../wait-for-pods.ts";

/** What teller says of a value. */
export function digestOf(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}

/** The digest of the value that a pod's teller has. */
export async function toldDigest({ status }: Pod): Promise<string> {
  const reply = await fetch(`http://${status.podIP}:8080/digest`);
  return (await reply.text()).trim();
}

/** The line of a container's log that begins with a word. */
export async function loggedLine(
  { kubectl }: StoryCluster,
  { namespace, name }: PodName,
  container: string,
  word: string,
): Promise<string | undefined> {
  const text = await kubectl("logs", name, "-n", namespace, "-c", container);
  return text.split("\n").findLast((line) => line.startsWith(`${word} `));
}
