import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import type { FoundImage } from "../image/found-image.ts";
import type { SharedImages } from "../image/lookup-memory.ts";
import { parseSharedImage } from "../image/parse-shared-image.ts";
import { SingleFlight } from "../image/single-flight.ts";
import { unrepeatedLog } from "../unrepeated-log.ts";

/** Which Secret. */
export interface SharedImagesPlace {
  readonly namespace: string;
  readonly name: string;
}

/** The most bytes of one image; few commands have more. */
const MOST_IMAGE_BYTES = 4096;
/** The most bytes of all: a Secret has at most 1 MiB, its keys not counted. */
const MOST_BYTES = 512 * 1024;
/** An admission waits for it, and a registry answers as fast. */
const TIMEOUT_MS = 1000;

/**
 * Images in a Secret of the operator's namespace, so that a replica does not pull the manifest of
 * an image that another one, or one before it, has read. The Secret has to exist.
 */
export function sharedImages(
  api: Pick<KubernetesApi, "ask">,
  place: SharedImagesPlace,
  log: Log,
): SharedImages {
  const path = `/api/v1/namespaces/${place.namespace}/secrets/${place.name}`;
  const name = `secret "${place.name}" in namespace "${place.namespace}"`;
  const asked = { path, timeoutMs: TIMEOUT_MS };
  const problems = unrepeatedLog(log);
  const reads = new SingleFlight<Texts>();
  let last: Texts = new Map();
  const read = async () => {
    last = textsOf(await api.ask({ ...asked, method: "GET", operation: `read ${name}` }));
    problems.over();
    return last;
  };
  const failed = (error: unknown): undefined => {
    if (!(error instanceof KubernetesError)) throw error;
    problems.say("warn", `${error.message}: this replica shares no images`);
  };
  return {
    find: async (keys) => {
      const texts = await reads.run(name, read).catch(failed);
      for (const key of keys) {
        const image = parseSharedImage(texts?.get(nameOf(key)) ?? "");
        if (image !== undefined) return { key, image };
      }
      return undefined;
    },
    add: (key, image) => {
      const data = additionTo(last, nameOf(key), image);
      if (data === undefined) return;
      const operation = `write ${name}`;
      void api.ask({ ...asked, method: "PATCH", body: { data }, operation }).catch(failed);
    },
  };
}

type Texts = ReadonlyMap<string, string>;

/** A key of a Secret has at most 253 letters, digits, `-`, `_` and `.`. */
function nameOf(key: string): string {
  return new Bun.CryptoHasher("sha256").update(key).digest("hex");
}

function textsOf(secret: unknown): Texts {
  const { data } = Object(secret);
  const entries = Object.entries(Object(data)).map(
    ([key, value]) => [key, Buffer.from(String(value), "base64").toString()] as const,
  );
  return new Map(entries);
}

/**
 * The changes of the Secret's `data`: the new image, and null for those that have to make room for
 * it. Chance chooses them, so that no order of use has to be kept. Undefined for a large image.
 */
function additionTo(
  texts: Texts,
  name: string,
  image: FoundImage,
): Readonly<Record<string, string | null>> | undefined {
  const bytes = Buffer.from(JSON.stringify(image));
  if (bytes.length > MOST_IMAGE_BYTES) return undefined;
  const removed: Record<string, null> = {};
  const names = [...texts.keys()];
  let size = [...texts.values()].reduce((sum, text) => sum + Buffer.byteLength(text), bytes.length);
  while (size > MOST_BYTES && names.length > 0) {
    const [first = ""] = names.splice(Math.floor(Math.random() * names.length), 1);
    size -= Buffer.byteLength(texts.get(first) ?? "");
    removed[first] = null;
  }
  return { ...removed, [name]: bytes.toString("base64") };
}
