import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect as http2Connect } from "node:http2";
import { connect, createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Identity, Node, Registration } from "@svc/agent-protocol/csi";
import { canary, temporaryFolder } from "@svc/testing";
import { driverPlaces } from "./driver.ts";
import { type DriverOptions, prepareDriver, serveDriver } from "./serve-driver.ts";

const UID = "0a1b2c3d-0000-4000-8000-0123456789ab";
const folder = temporaryFolder();
const kubelet = join(folder.path, "kubelet");
const places = driverPlaces(kubelet);
const log = () => undefined;
const options = { kubelet, node: "node-1", version: "1.2.3", log };
let wrappers: Server;

beforeAll(() => mkdirSync(join(kubelet, "plugins_registry"), { recursive: true }));
afterAll(() => folder[Symbol.dispose]());
beforeEach(async () => {
  rmSync(places.folder, { recursive: true, force: true });
  rmSync(join(kubelet, "pods"), { recursive: true, force: true });
  prepareDriver(kubelet);
  wrappers = await listenForWrappers();
});

describe("the kubelet", () => {
  test("learns of the driver, and of its place", async () => {
    await using driver = await started();
    const registration = clientAt(Registration, places.registrationSocket);
    expect(await registration.getInfo({})).toMatchObject({
      ...{ type: "CSIPlugin", name: "csi.svc.internal", endpoint: places.socket },
      supportedVersions: ["1.0.0"],
    });
    await registration.notifyRegistrationStatus({ pluginRegistered: true });
    expect(await driver.node.nodeGetInfo({})).toMatchObject({ nodeId: "node-1" });
    await driver.node.nodeGetCapabilities({});
    const identity = clientAt(Identity, places.socket);
    expect(await identity.getPluginInfo({})).toMatchObject({
      ...{ name: "csi.svc.internal", vendorVersion: "1.2.3" },
    });
    await identity.probe({});
  });

  test("is answered as a client in Go, which sends the escaped path of the socket", async () => {
    await using _ = await started();
    const authority = encodeURIComponent(places.registrationSocket);
    const session = http2Connect("http://localhost", {
      createConnection: () => connect(places.registrationSocket),
    });
    const stream = session.request({
      ...{ ":method": "POST", ":authority": authority, "content-type": "application/grpc" },
      ...{ ":path": "/pluginregistration.Registration/GetInfo", te: "trailers" },
    });
    stream.end(new Uint8Array(5));
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    session.destroy();
    expect(Buffer.concat(chunks).toString()).toContain("csi.svc.internal");
  });

  test("asks at sockets of root's only", async () => {
    await using _ = await started();
    for (const path of [places.socket, places.registrationSocket]) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(statSync(places.folder).mode & 0o777).toBe(0o700);
  });

  test("gets a volume that shares the files of the node's copy", async () => {
    copyWrapper("one");
    await using driver = await started();
    const target = volumeOf("svc-bundle");
    await driver.publish(target);
    expect(tree(target)).toEqual(["agent.sock", "bin", "bin/svc-wrapper", "manifest.json"]);
    const other = volumeOf("svc-other");
    await driver.publish(other);
    const [one, two] = [target, other].map((path) => statSync(join(path, "bin/svc-wrapper")));
    expect(one?.ino).toBe(two?.ino ?? 0);
    expect(one?.mode).toBe(two?.mode ?? 0);
    await answers(join(target, "agent.sock"));
  });

  test("may ask for the same volume again", async () => {
    copyWrapper("one");
    await using driver = await started();
    const target = volumeOf("svc-bundle");
    await driver.publish(target);
    const before = statSync(join(target, "bin/svc-wrapper")).ino;
    await driver.publish(target);
    expect(statSync(join(target, "bin/svc-wrapper")).ino).toBe(before);
    expect(tree(target)).toHaveLength(4);
  });

  test("has a volume removed, also one that is not there, or was half made", async () => {
    copyWrapper("one");
    await using driver = await started();
    const target = volumeOf("svc-bundle");
    await driver.publish(target);
    mkdirSync(`${target}.new/bin`, { recursive: true });
    for (let round = 0; round < 2; round += 1) {
      await driver.node.nodeUnpublishVolume({ volumeId: "csi-1", targetPath: target });
      expect(readdirSync(dirname(target))).toEqual(["vol_data.json"]);
    }
    expect(existsSync(join(places.folder, "current/bin/svc-wrapper"))).toBe(true);
  });

  test("is refused a folder that is not a pod's volume, and nothing is made", async () => {
    copyWrapper("one");
    await using driver = await started();
    const target = volumeOf("svc-bundle");
    const writable = driver.publish(target, { readonly: false });
    expect(await codeOf(writable)).toBe(Code.InvalidArgument);
    expect(await codeOf(driver.publish(folder.path))).toBe(Code.InvalidArgument);
    const removal = driver.node.nodeUnpublishVolume({ volumeId: "1", targetPath: folder.path });
    expect(await codeOf(removal)).toBe(Code.InvalidArgument);
    expect(existsSync(target)).toBe(false);
    expect(existsSync(kubelet)).toBe(true);
  });

  test("waits while there is no wrapper", async () => {
    await using driver = await started();
    const target = volumeOf("svc-bundle");
    expect(await codeOf(driver.publish(target))).toBe(Code.FailedPrecondition);
    expect(existsSync(target)).toBe(false);
  });
});

describe("a later agent", () => {
  test("gives volumes its own socket, and their files stay", async () => {
    copyWrapper("one");
    const target = volumeOf("svc-bundle");
    {
      await using driver = await started();
      await driver.publish(target);
    }
    const before = statSync(join(target, "bin/svc-wrapper")).ino;
    wrappers.close();
    rmSync(places.wrapperSocket, { force: true });
    wrappers = await listenForWrappers();
    copyWrapper("two");
    await using driver = await started();
    await answers(join(target, "agent.sock"));
    expect(statSync(join(target, "bin/svc-wrapper")).ino).toBe(before);
    expect(readFileSync(join(target, "bin/svc-wrapper"), "utf8")).toBe("one");
    const next = volumeOf("svc-next");
    await driver.publish(next);
    expect(readFileSync(join(next, "bin/svc-wrapper"), "utf8")).toBe("two");
    const copies = readdirSync(places.folder).filter((name) => name.startsWith("bundle-"));
    expect(copies).toHaveLength(1);
  });

  test("of the same version keeps the copy, with or without another one", async () => {
    copyWrapper("one");
    await using _ = await started();
    const inode = () => statSync(join(places.folder, "current/bin/svc-wrapper")).ino;
    const before = inode();
    {
      await using _again = await started();
      expect(inode()).toBe(before);
    }
    copyWrapper("one");
    await using _third = await started();
    expect(inode()).toBe(before);
    expect(existsSync(places.incoming)).toBe(false);
  });

  test("leaves volumes of other drivers alone", async () => {
    copyWrapper("one");
    const target = volumeOf("other", "csi.example.com");
    mkdirSync(target);
    writeFileSync(join(target, "data"), "theirs");
    await using _ = await started();
    expect(readdirSync(target)).toEqual(["data"]);
  });

  test("removes its sockets when it ends, and the volumes stay", async () => {
    copyWrapper("one");
    const target = volumeOf("svc-bundle");
    {
      await using driver = await started();
      await driver.publish(target);
    }
    expect([places.socket, places.registrationSocket].map((path) => existsSync(path))).toEqual([
      false,
      false,
    ]);
    expect(tree(target)).toHaveLength(4);
  });
});

describe("with tokens", () => {
  const secret = canary();
  const given = (text: string) => ({ "csi.storage.k8s.io/serviceAccount.tokens": text });
  const tokens = (token: string) =>
    given(JSON.stringify({ vault: { token, expirationTimestamp: "2099-01-01T00:00:00Z" } }));

  test("the latest is kept until the volume goes, and the log never has one", async () => {
    copyWrapper("one");
    const logins = createServer();
    await new Promise<void>((resolve) => logins.listen(places.loginSocket, resolve));
    const kept: unknown[] = [];
    const logged: unknown[] = [];
    const keeper = {
      audience: "vault",
      keep: ({ target }: { readonly target: string }, token: object) => kept.push([target, token]),
      forget: (target: string) => kept.push([target]),
    };
    const told = (...words: readonly unknown[]) => void logged.push(words);
    await using driver = await started({ tokens: keeper, log: told });
    const target = volumeOf("svc-bundle");
    await driver.publish(target, {}, tokens(secret));
    await driver.publish(target, {}, tokens(`${secret}2`));
    expect(tree(target)).toContain("login.sock");
    const malformed = driver.publish(target, {}, given(`{"vault":{"token":"${secret}`));
    const error = await malformed.catch((thrown: unknown) => thrown);
    expect(Object(error).code).toBe(Code.InvalidArgument);
    await driver.node.nodeUnpublishVolume({ volumeId: "csi-1", targetPath: target });
    const expiresMs = Date.parse("2099-01-01T00:00:00Z");
    expect(kept).toEqual([
      [target, { text: secret, expiresMs }],
      [target, { text: `${secret}2`, expiresMs }],
      [target],
    ]);
    expect(JSON.stringify(logged) + String(error)).not.toContain(secret);
    // Once, though it was published twice.
    expect(JSON.stringify(logged).split("publish a volume")).toHaveLength(2);
    logins.close();
  });
});

test("a file in place of the kubelet's folder is a clear error", async () => {
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  expect(() => prepareDriver(file)).toThrow("publish volumes at");
});

async function started(change: Partial<DriverOptions> = {}) {
  const stop = await serveDriver({ ...options, ...change });
  const node = clientAt(Node, places.socket);
  return {
    node,
    publish: (
      targetPath: string,
      change: { readonly readonly?: boolean } = {},
      context: Readonly<Record<string, string>> = {},
    ) =>
      node.nodePublishVolume({
        ...{ volumeId: "csi-1", targetPath, readonly: true, ...change },
        volumeContext: {
          "csi.storage.k8s.io/ephemeral": "true",
          "csi.storage.k8s.io/pod.uid": UID,
          ...context,
        },
      }),
    [Symbol.asyncDispose]: stop,
  };
}

function clientAt<T extends typeof Node | typeof Identity | typeof Registration>(
  service: T,
  path: string,
) {
  const transport = createGrpcTransport({
    baseUrl: "http://localhost",
    nodeOptions: { createConnection: () => connect(path) },
  });
  return createClient(service, transport);
}

/** As the kubelet prepares it. */
function volumeOf(name: string, driverName = "csi.svc.internal"): string {
  const above = join(kubelet, `pods/${UID}/volumes/kubernetes.io~csi/${name}`);
  mkdirSync(above, { recursive: true });
  writeFileSync(join(above, "vol_data.json"), JSON.stringify({ driverName }));
  return join(above, "mount");
}

/** As the init container does. */
function copyWrapper(text: string): void {
  mkdirSync(join(places.incoming, "bin"), { recursive: true });
  writeFileSync(join(places.incoming, "bin/svc-wrapper"), text, { mode: 0o755 });
  writeFileSync(join(places.incoming, "manifest.json"), JSON.stringify({ text }));
}

/** Stands for the agent's own server. */
async function listenForWrappers(): Promise<Server> {
  const server = createServer((socket) => socket.end("agent"));
  await new Promise<void>((resolve) => server.listen(places.wrapperSocket, resolve));
  return server;
}

/** sun_path has 108 bytes: a folder of a test may be longer. */
async function answers(path: string): Promise<void> {
  const short = join(folder.path, "s");
  rmSync(short, { force: true });
  linkSync(path, short);
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(short);
    socket.setEncoding("utf8");
    socket.on("data", resolve);
    socket.on("error", reject);
  });
  expect(text).toBe("agent");
}

function tree(path: string): readonly string[] {
  expect(lstatSync(path).isDirectory()).toBe(true);
  return readdirSync(path, { recursive: true }).map(String).sort();
}

async function codeOf(answer: Promise<unknown>): Promise<Code | undefined> {
  try {
    await answer;
    return undefined;
  } catch (error) {
    return Object(error)["code"];
  }
}
