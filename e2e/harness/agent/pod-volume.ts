import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run-or-throw.ts";

/** A pod's projected volume, as the kubelet makes one. */
export interface PodVolume extends Disposable {
  readonly folder: string;
  /** Replaces the token, as the kubelet does it (pkg/volume/util/atomic_writer.go). */
  readonly renew: (token: string) => void;
}

/**
 * Mounts a tmpfs for a volume of a pod, with the files `token` and `ca.crt`; needs root.
 *
 * @param kubelet the kubelet's folder
 */
export function podVolume(kubelet: string, podUid: string, token: string): PodVolume {
  const folder = join(kubelet, "pods", podUid, "volumes/kubernetes.io~projected/svc-account");
  mkdirSync(folder, { recursive: true });
  run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder);
  let generation = 0;
  const renew = (text: string): void => {
    const [before, now] = [`..2026_${generation}`, `..2026_${generation + 1}`];
    generation += 1;
    mkdirSync(join(folder, now));
    writeFileSync(join(folder, now, "token"), text);
    writeFileSync(join(folder, now, "ca.crt"), "a certificate");
    symlinkSync(now, join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
    rmSync(join(folder, before), { recursive: true, force: true });
  };
  renew(token);
  for (const name of ["token", "ca.crt"]) symlinkSync(`..data/${name}`, join(folder, name));
  return { folder, renew, [Symbol.dispose]: () => run("umount", "--lazy", folder) };
}
