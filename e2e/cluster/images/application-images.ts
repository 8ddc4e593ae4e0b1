import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileGoModule } from "../../harness/programs/compile-go-module.ts";
import { compileOnce } from "../../harness/programs/compile-once.ts";
import type { ClusterState } from "../cluster-state.ts";
import { once } from "../once.ts";
import { pushImage } from "./push-image.ts";

/** Applications that stories inject into, by their full names. */
export interface ApplicationImages {
  /** A static Go program on nothing, with an ENTRYPOINT only. */
  readonly scratch: string;
  /** A program of musl and a busybox, with a CMD only. */
  readonly alpine: string;
  /** An ENTRYPOINT that is a shell script, and a CMD. */
  readonly shell: string;
}

const testdata = join(import.meta.dirname, "../testdata");
const MUSL = "/lib/ld-musl-x86_64.so.1";
const TOOLS = ["sh", "cat", "sleep", "env", "id", "true", "false", "wget", "ls", "head", "touch"];

/** Pushes the images once for each cluster. */
export async function applicationImages(state: ClusterState): Promise<ApplicationImages> {
  return once(state, "application-images", async () => {
    const folder = join(testdata, "teller");
    const teller = compileGoModule({ name: "teller", folder, sources: [folder] });
    const shell = {
      files: { "/bin/busybox": "/usr/bin/busybox" },
      links: Object.fromEntries(TOOLS.map((name) => [`/bin/${name}`, "busybox"])),
      folders: ["/tmp"],
      environment: { PATH: "/bin" },
    };
    const [scratch, alpine, entry] = await Promise.all([
      pushImage(state, {
        name: "scratch:1",
        files: { "/teller": teller },
        entrypoint: ["/teller", "serve"],
      }),
      pushImage(state, {
        ...{ ...shell, name: "alpine-like:1", command: ["/bin/records-values"] },
        files: { ...shell.files, [MUSL]: MUSL, "/bin/records-values": compileWithMusl() },
      }),
      pushImage(state, {
        ...{ ...shell, name: "shell:1", entrypoint: ["/entry.sh"], command: ["serve"] },
        files: {
          ...{ ...shell.files, "/bin/teller": teller },
          "/entry.sh": join(testdata, "entry.sh"),
        },
      }),
    ]);
    return { scratch, alpine, shell: entry };
  });
}

function compileWithMusl(): string {
  const source = join(testdata, "../../testdata/records-values.c");
  return compileOnce({
    name: "records-values",
    from: [readFileSync(source), "musl"],
    command: (target) => ["musl-gcc", "-O2", "-Wall", "-Werror", source, "-o", target],
  });
}
