import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../packages/testing/src/index.ts";
import {
  KUBERNETES_RELEASE,
  kubernetesFolder,
  kubernetesPrograms,
} from "../../packages/testing/src/tools.ts";
import { buildKubernetes } from "./build-kubernetes.ts";

const goMod = readFileSync(join(import.meta.dirname, "go.mod"), "utf8");
const ignore = () => undefined;

/** The stand-in for go: the real one takes minutes, and the programs that it builds are tested. */
const GO = `#!/bin/sh
if [ "$1" = env ]; then echo "$VERSION"; exit; fi
while [ "$1" != -o ]; do shift; done
echo k8s.io/api/core/v1 >&2
touch "$2/kube-apiserver"
test "$VERSION" != go1.26.99 || { echo "no space left on device" >&2; exit 1; }
touch "$2/server"
`;

interface Stage extends Disposable {
  readonly cache: string;
  readonly env: Readonly<Record<string, string>>;
}

function stage(version: string): Stage {
  const folder = temporaryFolder();
  const [bin, cache] = [join(folder.path, "bin"), join(folder.path, "cache")];
  mkdirSync(bin);
  mkdirSync(cache);
  writeFileSync(join(bin, "go"), GO);
  chmodSync(join(bin, "go"), 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder.path, VERSION: version };
  return { cache, env, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** Without the files of locks. */
function foldersOf({ cache }: Stage): readonly string[] {
  return readdirSync(cache).filter((name) => !name.endsWith(".lock"));
}

describe("go.mod", () => {
  test("names the release that the tests say they run against", () => {
    const { version, etcdVersion } = KUBERNETES_RELEASE;
    expect(goMod).toContain(`\tk8s.io/kubernetes v${version} // indirect\n`);
    expect(goMod).toContain(`\tgo.etcd.io/etcd/server/v3 v${etcdVersion} // indirect\n`);
  });

  test("replaces every part of Kubernetes with the one of that release", () => {
    const wanted = KUBERNETES_RELEASE.version.replace(/^1/, "0");
    const replaced = goMod.matchAll(/^\t(\S+) => (\S+) v(\S+)$/gm);
    const versions = [...replaced].map(([, from, to, version]) => [from === to, version]);
    expect(versions).toEqual(Array.from({ length: 33 }, () => [true, wanted]));
  });
});

describe("buildKubernetes", () => {
  test("gives both programs, and says how far it is", async () => {
    using place = stage("go1.26.8");
    const said: string[] = [];
    const built = await buildKubernetes(place.cache, place.env, (line) => void said.push(line));
    expect(built).toEqual(kubernetesPrograms(place.cache));
    expect(said.at(0)).toContain("compiling kube-apiserver and etcd");
    expect(said.at(-1)).toMatch(/^compiled in \d+ s$/);
  });

  test("does nothing, without any program, if they are there", async () => {
    using place = stage("go1.26.8");
    const built = await buildKubernetes(place.cache, place.env, ignore);
    expect(await buildKubernetes(place.cache, { PATH: "" }, ignore)).toEqual(built);
  });

  test("twice at once compiles once, and leaves no parts", async () => {
    using place = stage("go1.26.8");
    const said: string[] = [];
    const build = () => buildKubernetes(place.cache, place.env, (line) => void said.push(line));
    const [one, other] = await Promise.all([build(), build()]);
    expect(one).toEqual(other);
    expect(said.filter((line) => line.startsWith("compiled in "))).toHaveLength(1);
    expect(foldersOf(place)).toEqual([kubernetesFolder("").replace(/^\//, "")]);
  });

  const refused: Readonly<Record<string, readonly [version: string, message: string]>> = {
    "a go that is too old": ["go1.25.9", "go 1.26 or newer is needed"],
    "the compiler's complaint": ["go1.26.99", "no space left on device"],
  };
  for (const [what, [version, message]] of Object.entries(refused)) {
    test(`names ${what}, and leaves no part behind`, async () => {
      using place = stage(version);
      await expect(buildKubernetes(place.cache, place.env, ignore)).rejects.toMatchObject({
        code: "FETCH_FAILED",
        message: expect.stringContaining(message),
      });
      expect(foldersOf(place)).toEqual([]);
    });
  }

  test("names a go that is missing", async () => {
    using place = stage("go1.26.8");
    const built = buildKubernetes(place.cache, { ...place.env, PATH: "/nowhere" }, ignore);
    await expect(built).rejects.toMatchObject({ message: expect.stringContaining('no "go"') });
  });
});

test("programs that are missing are an error that names the command", () => {
  using folder = temporaryFolder();
  expect(() => kubernetesPrograms(folder.path)).toThrow("run: bun scripts/fetch-kubernetes.ts");
});
