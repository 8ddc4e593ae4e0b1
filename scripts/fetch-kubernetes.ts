/**
 * Builds the kube-apiserver and etcd that tests run against and prints their paths:
 * `bun scripts/fetch-kubernetes.ts`. Says on standard error how far it is.
 */
import { env, exit, stderr, stdout } from "node:process";
import { cacheFolder, TestingError } from "../packages/testing/src/tools.ts";
import { buildKubernetes } from "./kubernetes/build-kubernetes.ts";

const say = (line: string) => void stderr.write(`fetch-kubernetes: ${line}\n`);

// Relative imports: this runs before anything is installed.
try {
  const { apiServer, etcd } = await buildKubernetes(cacheFolder(env), env, say);
  stdout.write(`${apiServer}\n${etcd}\n`);
} catch (error) {
  if (!(error instanceof TestingError)) throw error;
  say(error.message);
  exit(1);
}
