import { join } from "node:path";

/** How a run of `svc explain` ended. */
export interface Explained {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

const svc = join(import.meta.dirname, "../../dist/bin/svc");

/** Runs `svc explain` with a kubeconfig. */
export async function runExplain(kubeconfig: string, words: readonly string[]): Promise<Explained> {
  const child = Bun.spawn([svc, "explain", ...words], {
    env: { KUBECONFIG: kubeconfig },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { stdout, stderr, exited } = child;
  const [out, err, exitCode] = await Promise.all([stdout.text(), stderr.text(), exited]);
  return { exitCode, out, err };
}
