import type { SmallImage, Stored } from "@svc/operator/testdata";
import type { Registry } from "./start-registry.ts";

/** The registry to push to, and the user. */
export interface PushTarget {
  readonly registry: Registry;
  readonly repository: string;
  readonly authorization?: string;
}

/** Pushes an image's configuration and manifest, the latter under a tag if one is given. */
export async function pushImage(
  target: PushTarget,
  { config, manifest }: SmallImage,
  tag?: string,
): Promise<void> {
  const started = await send(target, "POST", `${urlOf(target)}/blobs/uploads/`);
  const location = new URL(started.headers.get("location") ?? "", target.registry.origin);
  location.searchParams.set("digest", config.digest);
  await send(target, "PUT", location.href, { ...config, mediaType: "application/octet-stream" });
  await pushManifest(target, manifest, tag);
}

/** Pushes a manifest or an index of blobs that are there already. */
export async function pushManifest(
  target: PushTarget,
  manifest: Stored,
  tag: string = manifest.digest,
): Promise<void> {
  await send(target, "PUT", `${urlOf(target)}/manifests/${tag}`, manifest);
}

function urlOf({ registry, repository }: PushTarget): string {
  return `${registry.origin}/v2/${repository}`;
}

async function send(
  { authorization }: PushTarget,
  method: string,
  url: string,
  content?: Stored,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(content && { "Content-Type": content.mediaType }),
    },
    ...(content && { body: content.bytes.slice() }),
    tls: { rejectUnauthorized: false },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: status ${response.status}: ${text}`);
  return response;
}
