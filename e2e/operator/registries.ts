import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smallImage } from "@svc/operator/testdata";
import { certificateAuthority, freePort, temporaryFolder } from "@svc/testing";
import { pushImage } from "../harness/registry/push-image.ts";
import { type Registry, startRegistry } from "../harness/registry/start-registry.ts";
import { startTokenServer } from "../harness/registry/start-token-server.ts";
import { type CountingRegistry, countingRegistry } from "./counting-registry.ts";
import { type GatedRegistry, gatedRegistry } from "./gated-registry.ts";

/** A user who may pull. */
export interface RegistryUser {
  readonly name: string;
  readonly password: string;
}

/**
 * Registries with one image each, `/bin/app serve`; their hosts, and the settings of an operator
 * that asks them.
 */
export interface Registries extends AsyncDisposable {
  /** References of images, without their tag, which is 1. */
  readonly images: {
    readonly open: string;
    readonly closed: string;
    readonly byToken: string;
    readonly overTls: string;
    /** An image of a registry that counts. */
    readonly counted: string;
    /** An image of a registry that is away, but has a mirror. */
    readonly mirrored: string;
    /** An address without a server. */
    readonly nowhere: string;
    readonly gated: string;
    /** An image of the same registry, by another tag. */
    readonly gatedLater: string;
  };
  readonly gate: GatedRegistry;
  readonly counting: CountingRegistry;
  /** Values of the chart. */
  readonly settings: object;
}

/** Starts them: `user` may pull from the closed one and the one with a token server. */
export async function startRegistries(user: RegistryUser): Promise<Registries> {
  await using stack = new AsyncDisposableStack();
  const authority = await certificateAuthority();
  const tokens = stack.use(await startTokenServer(user));
  const start = async (wanted: Parameters<typeof startRegistry>[0]) =>
    stack.use(await startRegistry(wanted));
  const [open, closed, byToken, overTls] = await Promise.all([
    start({}),
    start({ user }),
    start({ tokens }),
    start({ tls: await authority.issue() }),
  ]);
  const mirror = await start({ mirrorOf: open.origin });
  const gate = stack.use(gatedRegistry(open.origin));
  const counting = stack.use(countingRegistry(open.origin));
  const nobody = `127.0.0.1:${freePort()}`;
  const basic = `Basic ${Buffer.from(`${user.name}:${user.password}`).toString("base64")}`;
  const bearer = `Bearer ${await tokens.sign("app", ["pull", "push"])}`;
  const push = (registry: Registry, authorization?: string, tag = "1") =>
    pushImage(
      { registry, repository: "app", ...(authorization !== undefined && { authorization }) },
      smallImage(),
      tag,
    );
  await Promise.all([
    ...[push(open), push(open, undefined, "later"), push(overTls)],
    ...[push(closed, basic), push(byToken, bearer)],
  ]);
  const plain = [open, closed, byToken, mirror, gate, counting].map(({ host }) => [host, "http"]);
  const folder = stack.use(temporaryFolder());
  chmodSync(folder.path, 0o755);
  const authorityFile = join(folder.path, "ca.pem");
  writeFileSync(authorityFile, authority.certificatePem);
  const started = stack.move();
  return {
    images: {
      open: `${open.host}/app:1`,
      closed: `${closed.host}/app:1`,
      byToken: `${byToken.host}/app:1`,
      overTls: `${overTls.host}/app:1`,
      counted: `${counting.host}/app:1`,
      mirrored: "registry.test/app:1",
      nowhere: `${nobody}/app:1`,
      gated: `${gate.host}/app:1`,
      gatedLater: `${gate.host}/app:later`,
    },
    ...{ gate, counting },
    settings: {
      insecureRegistries: { ...Object.fromEntries(plain), [nobody]: "http" },
      registryMirrors: { "registry.test": [mirror.host] },
      registryCaFiles: { [overTls.host]: [authorityFile] },
      registryTrustedHosts: [tokens.host],
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
