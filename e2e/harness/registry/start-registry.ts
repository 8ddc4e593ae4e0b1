import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, temporaryFolder, waitFor } from "@svc/testing";

/** A registry of Debian's `docker-registry` package, which keeps its data in memory. */
export interface Registry extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** `http://127.0.0.1:PORT`, or https if it has a certificate. */
  readonly origin: string;
}

/** The differences from a registry that all clients may write to over plain HTTP. */
export interface WantedRegistry {
  /** The one user and her password. */
  readonly user?: { readonly name: string; readonly password: string };
  /** The server that gives tokens. */
  readonly tokens?: { readonly realm: string; readonly authorityPem: string };
  readonly tls?: { readonly certificatePem: string; readonly keyPem: string };
  /** Makes it a mirror that asks this one for images that it lacks. */
  readonly mirrorOf?: string;
}

/** Starts it and waits until it answers. */
export async function startRegistry(wanted: WantedRegistry = {}): Promise<Registry> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const host = `127.0.0.1:${freePort()}`;
  const file = (name: string, text: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  };
  const config = await configOf(wanted, host, folder.path, file);
  // The kernel ends it when we die.
  const words = [
    "setpriv",
    "--pdeathsig",
    "KILL",
    "docker-registry",
    "serve",
    file("config.json", JSON.stringify(config)),
  ];
  const child = Bun.spawn(words, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: "/usr/bin:/bin" },
  });
  stack.defer(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const origin = `${wanted.tls === undefined ? "http" : "https"}://${host}`;
  await waitFor(() => answers(origin, child), {
    deadlineMs: 20_000,
    what: "the registry to answer",
  });
  const started = stack.move();
  return { host, origin, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function configOf(
  { user, tokens, tls, mirrorOf }: WantedRegistry,
  host: string,
  folder: string,
  file: (name: string, text: string) => string,
): Promise<object> {
  const auth = {
    ...(user && { htpasswd: { realm: "test", path: file("htpasswd", await passwordLine(user)) } }),
    ...(tokens && {
      token: {
        realm: tokens.realm,
        service: "test",
        issuer: "test",
        rootcertbundle: file("tokens.pem", tokens.authorityPem),
      },
    }),
  };
  return {
    version: "0.1",
    log: { level: "error" },
    // A mirror writes its data to files beside it.
    storage:
      mirrorOf === undefined
        ? { inmemory: {} }
        : { filesystem: { rootdirectory: join(folder, "data") } },
    http: {
      addr: host,
      ...(tls && {
        tls: {
          certificate: file("server.pem", tls.certificatePem),
          key: file("server.key", tls.keyPem),
        },
      }),
    },
    ...(Object.keys(auth).length > 0 && { auth }),
    ...(mirrorOf !== undefined && { proxy: { remoteurl: mirrorOf } }),
  };
}

async function passwordLine({
  name,
  password,
}: {
  readonly name: string;
  readonly password: string;
}) {
  return `${name}:${await Bun.password.hash(password, { algorithm: "bcrypt", cost: 4 })}\n`;
}

async function answers(
  origin: string,
  child: Bun.Subprocess<"ignore", "ignore", "pipe">,
): Promise<boolean> {
  if (child.exitCode !== null)
    throw new Error(`the registry ended: ${await new Response(child.stderr).text()}`);
  const response = await fetch(`${origin}/v2/`, { tls: { rejectUnauthorized: false } }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  return response !== undefined;
}
