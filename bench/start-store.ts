import { join } from "node:path";
import type { Certificate } from "@svc/testing";

/** The store's process. */
export interface Store extends Disposable {
  /** Answers at once. */
  readonly http: string;
  /** Answers after 50 ms. */
  readonly slowHttp: string;
  /** Answers at once, over TLS. */
  readonly https: string;
  /** Answers after 50 ms, by HTTP/2 over TLS; HTTP/1.1 if a client does not offer it. */
  readonly slowHttps: string;
  /** Answers after 50 ms over TLS, by HTTP/1.1 alone. */
  readonly slowHttps1: string;
}

/** Starts `bench/store.ts` and waits for its addresses. */
export async function startStore({ certificatePem, keyPem }: Certificate): Promise<Store> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "store.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.write(`${JSON.stringify({ cert: certificatePem, key: keyPem })}\n`);
  await child.stdin.flush();
  for await (const chunk of child.stdout) {
    const addresses: Omit<Store, typeof Symbol.dispose> = JSON.parse(
      new TextDecoder().decode(chunk),
    );
    return { ...addresses, [Symbol.dispose]: () => child.kill() };
  }
  throw new Error(`start the store: it ended with ${await child.exited}`);
}
