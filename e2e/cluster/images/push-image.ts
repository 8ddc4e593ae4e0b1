import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import type { ClusterState } from "../cluster-state.ts";
import { runTool } from "../run-tool.ts";
import { crane } from "./crane.ts";

/** An image of one layer, as a test wants it. */
export interface ImageRequest {
  /** Its name and tag in the cluster's registry: `pause:1`. */
  readonly name: string;
  /** Programs by their paths in the image, from files of this machine. */
  readonly files: Readonly<Record<string, string>>;
  /** Symbolic links by their paths. */
  readonly links?: Readonly<Record<string, string>>;
  readonly folders?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  /** User and group: `1000:1000`. */
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Builds the image from nothing, pushes it into the cluster's registry, and gives its full name.
 */
export async function pushImage(state: ClusterState, wanted: ImageRequest): Promise<string> {
  using folder = temporaryFolder();
  const [content, layer] = [join(folder.path, "content"), join(folder.path, "layer.tar")];
  fill(content, wanted);
  const owner = ["--owner=0", "--group=0", "--numeric-owner"];
  await runTool(["tar", "--create", ...owner, `--file=${layer}`, `--directory=${content}`, "."]);
  const name = `${state.registry}/${wanted.name}`;
  await crane(state, ["append", "--oci-empty-base", "--new_layer", layer, "--new_tag", name]);
  await crane(state, ["mutate", name, "--tag", name, ...settingsOf(wanted)]);
  return name;
}

function fill(content: string, { files, links = {}, folders = [] }: ImageRequest): void {
  const place = (path: string) => {
    const target = join(content, path);
    mkdirSync(dirname(target), { recursive: true });
    return target;
  };
  mkdirSync(content);
  for (const path of folders) {
    mkdirSync(place(path), { recursive: true });
    chmodSync(join(content, path), 0o1777);
  }
  for (const [path, source] of Object.entries(files)) {
    copyFileSync(source, place(path));
    chmodSync(join(content, path), 0o755);
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, place(path));
}

function settingsOf(wanted: ImageRequest): readonly string[] {
  const { entrypoint, command, user, environment = {} } = wanted;
  return [
    "--set-platform=linux/amd64",
    ...(entrypoint === undefined ? [] : [`--entrypoint=${entrypoint.join(",")}`]),
    ...(command === undefined ? [] : [`--cmd=${command.join(",")}`]),
    ...(user === undefined ? [] : [`--user=${user}`]),
    ...Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
  ];
}
