import { createHash } from "node:crypto";
import { waitFor } from "@svc/testing";
import type { StoryCluster } from "../story-cluster.ts";
import type { Pod, PodName } from "../wait-for-pods.ts";

/** The digest that `teller` prints for a value. */
export function digestOf(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}

/** The digest of the value that a pod's teller has: it may listen a moment after it runs. */
export async function toldDigest({ metadata, status }: Pod): Promise<string> {
  const ask = async () => {
    const reply = await fetch(`http://${status.podIP}:8080/digest`).catch(() => undefined);
    return (await reply?.text())?.trim();
  };
  return waitFor(ask, { deadlineMs: 10_000, what: `the program of ${metadata.name} to answer` });
}

/** The rest of the last line with this word in a container's log. Waits until there is one. */
export async function logged(
  { kubectl }: StoryCluster,
  { namespace, name }: PodName,
  container: string,
  word: string,
): Promise<string> {
  const find = async () => {
    const text = await kubectl("logs", name, "-n", namespace, "-c", container);
    const line = text.split("\n").findLast((it) => it.startsWith(`${word} `));
    return line?.slice(word.length + 1);
  };
  return waitFor(find, { deadlineMs: 10_000, what: `a line "${word} …" of ${name}` });
}
