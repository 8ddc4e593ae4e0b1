import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ClusterState } from "../cluster-state.ts";
import { once } from "../once.ts";
import { pushImage } from "./push-image.ts";

/** The full names of the project's images in the cluster's registry. */
export interface ProductImages {
  readonly wrapper: string;
  readonly operator: string;
  readonly agent: string;
  readonly svc: string;
}

const root = join(import.meta.dirname, "../../..");
const LIBRARIES = [
  "/lib64/ld-linux-x86-64.so.2",
  ...["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0"].map(
    (name) => `/lib/x86_64-linux-gnu/${name}`,
  ),
];

/** Pushes the project's images once for each cluster. */
export async function productImages(state: ClusterState): Promise<ProductImages> {
  return once(state, "product-images", async () => {
    const same = (paths: readonly string[]) =>
      Object.fromEntries(paths.map((path) => [path, path]));
    const program = (name: string, files = {}) =>
      pushImage(state, {
        name: `${name}:0.1.0`,
        files: {
          ...same(LIBRARIES),
          [`/opt/svc/bin/${name}`]: join(root, "dist/bin", name),
          ...files,
        },
        user: name === "svc-agent" ? "0:0" : "65532:65532",
        entrypoint: [`/opt/svc/bin/${name}`],
      });
    const bundle = join(root, "dist/bundle");
    const files = readdirSync(bundle, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const agentLibraries = ["libbpf.so.1", "libelf.so.1", "libz.so.1"].map(
      (name) => `/lib/x86_64-linux-gnu/${name}`,
    );
    return {
      wrapper: await pushImage(state, {
        name: "svc-wrapper:0.1.0",
        files: {
          "/bin/cp": "/usr/bin/busybox",
          ...Object.fromEntries(files.map((path) => [path.slice(bundle.length), path])),
        },
        entrypoint: ["/opt/svc/bin/svc-wrapper"],
      }),
      operator: await program("svc-operator"),
      svc: await program("svc"),
      agent: await program("svc-agent", {
        ...same(agentLibraries),
        "/opt/svc/secret_monitor.o": join(root, "dist/bpf/secret_monitor.o"),
      }),
    };
  });
}
