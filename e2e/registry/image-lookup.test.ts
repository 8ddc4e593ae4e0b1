import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  dockerHub,
  ImageError,
  type LookupOptions,
  lookUpImage,
  lookupMemory,
  parsePullSecrets,
  type RegistrySettings,
  registryDefaults,
} from "@svc/operator";
import { smallImage, smallIndex } from "@svc/operator/testdata";
import { type CertificateAuthority, certificateAuthority } from "@svc/testing";
import { pushImage, pushManifest } from "../harness/registry/push-image.ts";
import { type Registry, startRegistry } from "../harness/registry/start-registry.ts";
import { startTokenServer, type TokenServer } from "../harness/registry/start-token-server.ts";

const user = { name: "puller", password: "a password: with, everything ä" };
const platform = { os: "linux", architectures: ["amd64", "arm64"] };
const app = smallImage();
const docker = smallImage({ docker: true, command: ["docker"] });
const arm = smallImage({ architecture: "arm64" });

let stack: AsyncDisposableStack;
let open: Registry;
let closed: Registry;
let byToken: Registry;
let overTls: Registry;
let mirror: Registry;
let tokens: TokenServer;
let authority: CertificateAuthority;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  authority = await certificateAuthority();
  const certificate = await authority.issue();
  tokens = stack.use(await startTokenServer(user));
  const started = await Promise.all([
    startRegistry(),
    startRegistry({ user }),
    startRegistry({ tokens }),
    startRegistry({ tls: certificate }),
  ]);
  [open, closed, byToken, overTls] = started;
  for (const registry of started) stack.use(registry);
  mirror = stack.use(await startRegistry({ mirrorOf: open.origin }));
  const target = { registry: open, repository: "team/app" };
  await pushImage(target, app, "1");
  await pushImage(target, docker, "docker");
  await pushImage(target, arm);
  const index = smallIndex([
    [app, { os: "linux", architecture: "amd64" }],
    [arm, { os: "linux", architecture: "arm64" }],
  ]);
  await pushManifest(target, index, "index");
  await pushImage({ registry: closed, repository: "app", authorization: basicOf(user) }, app, "1");
  await pushImage({ registry: overTls, repository: "app" }, app, "1");
  for (const repository of ["public", "private", "private/app", "library/nginx"]) {
    const token = await tokens.sign(repository, ["pull", "push"]);
    await pushImage({ registry: byToken, repository, authorization: `Bearer ${token}` }, app, "1");
  }
});

afterAll(() => stack.disposeAsync());

describe("a registry that is open", () => {
  const rows = { "an OCI image": "1", "a Docker image": "docker", "an index": "index" };
  for (const [what, tag] of Object.entries(rows)) {
    test(`gives ${what}`, async () => {
      const found = await lookUp(`${open.host}/team/app:${tag}`);
      expect(found.entrypoint).toEqual(["/bin/app"]);
      expect(found.command).toEqual([tag === "docker" ? "docker" : "serve"]);
    });
  }
  test("gives an image by its digest", async () => {
    const found = await lookUp(`${open.host}/team/app@${arm.manifest.digest}`);
    expect([found.architecture, found.digest]).toEqual(["arm64", arm.manifest.digest]);
  });
  test("reports missing content", async () => {
    for (const name of ["team/app:2", "nothing:1", `team/app@sha256:${"0".repeat(64)}`]) {
      expect((await failureOf(lookUp(`${open.host}/${name}`))).code).toBe("NOT_FOUND");
    }
  });
});

describe("a registry with passwords", () => {
  test("is asked with every pull secret, until one is let in", async () => {
    const credentials = secretsFor(closed, { name: "old", password: "wrong" }, user);
    expect((await lookUp(`${closed.host}/app:1`, { credentials })).command).toEqual(["serve"]);
  });
  test("admits no client without one, or with a wrong one", async () => {
    const wrong = [[], secretsFor(closed, { name: user.name, password: "wrong" })];
    for (const credentials of wrong) {
      const error = await failureOf(lookUp(`${closed.host}/app:1`, { credentials }));
      expect(error.code).toBe("DENIED");
      expect(error.hint).toContain("imagePullSecrets");
    }
  });
});

describe("a registry with a token server", () => {
  test("gives public content to every client", async () => {
    expect((await lookUp(`${byToken.host}/public:1`)).command).toEqual(["serve"]);
  });
  test("gives private content to authorised clients", async () => {
    const credentials = secretsFor(byToken, user);
    expect((await lookUp(`${byToken.host}/private:1`, { credentials })).command).toEqual(["serve"]);
    const refused = [[], secretsFor(byToken, { name: user.name, password: "wrong" })];
    for (const others of refused) {
      expect(
        (await failureOf(lookUp(`${byToken.host}/private:1`, { credentials: others }))).code,
      ).toBe("DENIED");
    }
  });
  test("is asked for a new token if the one that was kept is too old", async () => {
    const wanted = { credentials: secretsFor(byToken, user), memory: lookupMemory() };
    tokens.lifeS = -900;
    expect((await failureOf(lookUp(`${byToken.host}/private:1`, wanted))).code).toBe("DENIED");
    tokens.lifeS = 300;
    expect((await lookUp(`${byToken.host}/private:1`, wanted)).command).toEqual(["serve"]);
  });
});

describe("Docker Hub", () => {
  // The same protocol at an address of this machine.
  const settings = () => ({ defaultRegistry: { ...dockerHub, server: byToken.host } });
  const names = ["nginx:1", "library/nginx:1", "docker.io/nginx:1", "index.docker.io/nginx:1"];
  for (const name of names) {
    test(`gives ${name} to every client, with a token`, async () => {
      const found = await lookUp(name, {}, settings());
      expect(found.digest).toBe(app.manifest.digest);
    });
  }
  test("takes the credential that docker login writes", async () => {
    const credentials = secretsFor({ host: "index.docker.io" }, user).map((entry) => ({
      ...entry,
      pattern: "https://index.docker.io/v1/",
    }));
    expect((await failureOf(lookUp("private/app:1", {}, settings()))).code).toBe("DENIED");
    const found = await lookUp("private/app:1", { credentials }, settings());
    expect(found.command).toEqual(["serve"]);
  });
});

describe("a registry with a certificate", () => {
  const secure = () => ({
    insecureRegistries: {},
    authorities: { [overTls.host]: [authority.certificatePem] },
  });
  test("is believed by its authority", async () => {
    const found = await lookUp(`${overTls.host}/app:1`, {}, secure());
    expect(found.command).toEqual(["serve"]);
  });
  test("is not believed by another, and is if that is set", async () => {
    const error = await failureOf(
      lookUp(`${overTls.host}/app:1`, {}, { insecureRegistries: {}, trustedHosts: [overTls.host] }),
    );
    expect(error.code).toBe("TLS");
    const unchecked = { insecureRegistries: { [overTls.host]: "skip-verify" as const } };
    expect((await lookUp(`${overTls.host}/app:1`, {}, unchecked)).command).toEqual(["serve"]);
  });
});

describe("a mirror", () => {
  test("answers in the name of its absent registry", async () => {
    const mirrors = { "registry.test": [mirror.host] };
    const found = await lookUp("registry.test/team/app:1", {}, { mirrors });
    expect(found.digest).toBe(app.manifest.digest);
  });
  test("that does not have it leaves the registry to be asked", async () => {
    const mirrors = { [open.host]: [closed.host, `${overTls.host}/prefix`] };
    expect((await lookUp(`${open.host}/team/app:1`, {}, { mirrors })).command).toEqual(["serve"]);
  });
});

function lookUp(
  image: string,
  options: Partial<LookupOptions> = {},
  settings: Partial<RegistrySettings> = {},
) {
  const plain = [open, closed, byToken, mirror].map(({ host }) => [host, "http"] as const);
  const insecureRegistries = Object.fromEntries(plain);
  const all = { ...registryDefaults, insecureRegistries, trustedHosts: [tokens.host], ...settings };
  return lookUpImage(image, { platform, ...options, settings: all });
}

function secretsFor({ host }: Pick<Registry, "host">, ...users: readonly (typeof user)[]) {
  const secrets = users.map(({ name, password }) => {
    const auths = {
      [`https://${host}/v2/`]: { auth: Buffer.from(`${name}:${password}`).toString("base64") },
    };
    const data = { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") };
    return { name, type: "kubernetes.io/dockerconfigjson", data };
  });
  return parsePullSecrets(secrets).entries;
}

function basicOf({ name, password }: typeof user): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
}

async function failureOf(work: Promise<unknown>): Promise<ImageError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof ImageError) return outcome;
  throw new Error("it did not fail as it should", { cause: outcome });
}
