import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort, waitFor } from "../../packages/testing/src/tools.ts";
import { runTool } from "../build/bundle/run-tool.ts";

/** A registry on the loopback, in which crane puts images together. */
export interface CraneRegistry extends AsyncDisposable {
  /** The reference of an image of it, as `127.0.0.1:5000/svc:amd64`. */
  readonly reference: (name: string, tag: string) => string;
  /** Runs crane with words. @throws Error with its complaint */
  readonly crane: (...words: readonly string[]) => string;
}

/** Starts it with its blobs below `folder`; it ends with the answer. */
export async function startCraneRegistry(program: string, folder: string): Promise<CraneRegistry> {
  const address = `127.0.0.1:${freePort()}`;
  const blobs = join(folder, "blobs");
  mkdirSync(blobs);
  const words = ["registry", "serve", "--address", address, "--disk", blobs];
  const child = Bun.spawn([program, ...words], { stdio: ["ignore", "ignore", "ignore"] });
  await waitFor(
    async () => {
      const answer = await fetch(`http://${address}/v2/`).catch(() => undefined);
      return answer?.ok;
    },
    { deadlineMs: 10_000, what: "the registry of crane to answer" },
  );
  return {
    reference: (name, tag) => `${address}/${name}:${tag}`,
    crane: (...more) => runTool([program, ...more]).trim(),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await child.exited;
    },
  };
}
