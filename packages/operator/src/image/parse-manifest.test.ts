import { describe, expect, test } from "bun:test";
import { digestOf } from "./digest.ts";
import { ImageError } from "./image-error.ts";
import { parseImageConfig } from "./parse-image-config.ts";
import { parseManifest } from "./parse-manifest.ts";
import { smallImage, smallIndex } from "./testdata/small-image.ts";

const bytesOf = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const { manifest, config } = smallImage();
const ociIndex = "application/vnd.oci.image.index.v1+json";
const ociManifest = "application/vnd.oci.image.manifest.v1+json";
const body = JSON.parse(Buffer.from(manifest.bytes).toString());

const refused: Readonly<
  Record<string, readonly [value: unknown, type: string | null, code: string]>
> = {
  "no JSON": ["<html>", "text/html", "BAD_ANSWER"],
  "a list": [[], ociManifest, "BAD_ANSWER"],
  nothing: [{}, null, "UNSUPPORTED"],
  "schema 1": [{ schemaVersion: 1, name: "x" }, null, "UNSUPPORTED"],
  "schema 1 by its type": [
    { schemaVersion: 1 },
    "application/vnd.docker.distribution.manifest.v1+prettyjws",
    "UNSUPPORTED",
  ],
  "two kinds by header and body": [body, ociIndex, "BAD_ANSWER"],
  "two kinds in the body": [{ ...body, manifests: [] }, ociManifest, "BAD_ANSWER"],
  "a chart": [
    { ...body, config: { ...body.config, mediaType: "application/vnd.cncf.helm.config.v1+json" } },
    null,
    "UNSUPPORTED",
  ],
  "no digest": [
    { ...body, config: { mediaType: body.config.mediaType, digest: "sha256:../../x" } },
    null,
    "BAD_ANSWER",
  ],
  "an index without end": [
    { schemaVersion: 2, manifests: Array.from({ length: 1001 }, () => ({})) },
    ociIndex,
    "TOO_LARGE",
  ],
};

describe("a manifest", () => {
  test("of an image names its configuration, with any header of another type", () => {
    for (const type of [
      manifest.mediaType,
      `${ociManifest}; charset=utf-8`,
      null,
      "application/json",
    ]) {
      expect(parseManifest(manifest.bytes, type, "x")).toEqual({
        kind: "image",
        config: config.digest,
      });
    }
  });
  test("of Docker's is the same", () => {
    const docker = smallImage({ docker: true });
    const found = parseManifest(docker.manifest.bytes, docker.manifest.mediaType, "x");
    expect(found).toEqual({ kind: "image", config: docker.config.digest });
  });
  test("list has images only: no attestations, no artifacts, nothing malformed", () => {
    const index = JSON.parse(
      Buffer.from(
        smallIndex([[smallImage(), { os: "linux", architecture: "amd64" }]]).bytes,
      ).toString(),
    );
    const [entry] = index.manifests;
    const manifests = [
      { ...entry, platform: { os: "unknown", architecture: "unknown" } },
      { ...entry, annotations: { "vnd.docker.reference.type": "attestation-manifest" } },
      { ...entry, mediaType: "application/vnd.example+json" },
      { ...entry, digest: "sha256:x" },
      null,
      entry,
    ];
    const found = parseManifest(bytesOf({ ...index, manifests }), ociIndex, "x");
    expect(found.kind === "index" ? found.entries : []).toHaveLength(1);
  });
  for (const [what, [value, type, code]] of Object.entries(refused)) {
    test(`that is ${what} is refused as ${code}`, () => {
      expect(codeOf(() => parseManifest(bytesOf(value), type, "x"))).toBe(code);
    });
  }
});

describe("a configuration", () => {
  const read = (value: unknown) => parseImageConfig(bytesOf(value), digestOf(bytesOf("m")), "x");
  test("may have nothing to start", () => {
    for (const value of [{}, { config: null }, { config: { Entrypoint: null, Cmd: [] } }]) {
      expect(read(value)).toMatchObject({ entrypoint: [], command: [] });
    }
  });
  test("does not give the image's variables, which may be secret", () => {
    expect(Bun.inspect(read({ config: { Env: ["TOKEN=canary"], Cmd: ["x"] } }))).not.toContain(
      "canary",
    );
  });
  for (const Entrypoint of ["text", [1], { 0: "x" }, ["nul\0"], [null]]) {
    test(`with ENTRYPOINT ${JSON.stringify(Entrypoint)} is refused`, () => {
      expect(codeOf(() => read({ config: { Entrypoint } }))).toBe("BAD_ANSWER");
    });
  }
});

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ImageError) return error.code;
    throw error;
  }
  return "none";
}
