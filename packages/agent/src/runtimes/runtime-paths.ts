import { accepted, hasPlainSegments, type Parsed, parseList, refused } from "@svc/settings";

/** The kernel side has places for more, so that none is wanting. */
const MOST_PATHS = 128;

const folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin"];
const names = [
  ...["runc", "crun", "youki", "conmon", "crio", "kata-runtime"],
  ...["containerd-shim-runc-v2", "containerd-shim-kata-v2"],
];
const ofDistributions = [
  "/var/lib/rancher/k3s/data/current/bin",
  "/var/lib/rancher/rke2/bin",
  "/var/lib/k0s/bin",
  "/snap/microk8s/current/bin",
  "/snap/docker/current/bin",
];

/** The paths of container runtimes, as far as we know of them. */
export const wellKnownRuntimes: readonly string[] = [
  ...folders.flatMap((folder) => names.map((name) => `${folder}/${name}`)),
  ...ofDistributions.flatMap((folder) => [`${folder}/runc`, `${folder}/containerd-shim-runc-v2`]),
  ...["runc", "crun", "conmon"].map((name) => `/usr/libexec/crio/${name}`),
  ...["kata-runtime", "containerd-shim-kata-v2"].map((name) => `/opt/kata/bin/${name}`),
  "/usr/libexec/podman/conmon",
];

/** Parses absolute paths with commas between them; `none` gives an empty list. */
export function parseRuntimePaths(text: string): Parsed<readonly string[]> {
  if (text === "none") return accepted([]);
  const list = parseList(parsePath)(text);
  if (!list.ok || list.value.length <= MOST_PATHS) return list;
  return refused(`at most ${MOST_PATHS} paths`, { found: `there are ${list.value.length}` });
}

function parsePath(text: string): Parsed<string> {
  if (text.startsWith("/") && hasPlainSegments(text.slice(1))) return accepted(text);
  return refused("the absolute path of an executable, such as /usr/bin/runc, or none");
}
