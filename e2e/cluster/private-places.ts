import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NODE } from "./node-settings.ts";
import { runTool } from "./run-tool.ts";

/**
 * The kernel settings that the kubelet wants. It would write them into /proc/sys, for the whole
 * machine; in the cluster's mount namespace it finds these files there.
 */
const KERNEL_SETTINGS: Readonly<Record<string, string>> = {
  "/proc/sys/kernel/panic": "10",
  "/proc/sys/kernel/panic_on_oops": "1",
  "/proc/sys/vm/overcommit_memory": "1",
  "/proc/sys/vm/panic_on_oom": "0",
};

/** Folders of the machine that the cluster has its own of, so that it is on no other path. */
const OWN_FOLDERS = ["/var/lib", "/var/log"];

/**
 * Lays the cluster's own files and folders over the machine's, in this process's mount namespace:
 * /run, /var/lib and /var/log, the name server, and the kernel's settings that a kubelet changes.
 */
export async function makePrivateMounts(folder: string): Promise<void> {
  await mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run");
  mkdirSync("/run/netns");
  for (const path of OWN_FOLDERS) {
    const own = join(folder, path.slice(1));
    mkdirSync(own, { recursive: true });
    await mount("--bind", own, path);
  }
  for (const [path, text] of Object.entries(privateFiles())) {
    const own = join(folder, path.slice(1).replaceAll("/", "-"));
    writeFileSync(own, text);
    await mount("--bind", own, path);
  }
  await mount("-t", "bpf", "bpf", "/sys/fs/bpf");
  // Volumes of pods are mounted while the pods run, and have to show in their namespaces.
  await mount("--make-rshared", "/");
}

function privateFiles(): Readonly<Record<string, string>> {
  const [registry = ""] = NODE.registry.split(":");
  return {
    ...KERNEL_SETTINGS,
    "/etc/resolv.conf": `nameserver ${NODE.address}\n`,
    "/etc/hosts": `127.0.0.1 localhost\n${NODE.address} ${registry} ${NODE.name}\n`,
  };
}

async function mount(...words: readonly string[]): Promise<void> {
  await runTool(["mount", ...words]);
}

/**
 * Gives this process's network namespace its loopback, the pods' bridge and the services' route.
 */
export async function makePrivateNetwork(): Promise<void> {
  refuseMachineNetwork();
  const { bridge, address, pods, services } = NODE;
  const size = pods.split("/")[1];
  for (const words of [
    ["link", "set", "lo", "up"],
    ["link", "add", bridge, "type", "bridge"],
    ["address", "add", `${address}/${size}`, "dev", bridge],
    ["link", "set", bridge, "up"],
    ["route", "add", services, "dev", bridge],
  ]) {
    await runTool(["ip", ...words]);
  }
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1");
}

/** A mistake here would change the network of the whole machine. */
function refuseMachineNetwork(): void {
  const interfaces = readFileSync("/proc/self/net/dev", "utf8").trim().split("\n").slice(2);
  const others = interfaces.filter((line) => !/^\s*(?:lo|\w+tnl0|sit0|gre\w*|erspan0):/.test(line));
  if (others.length === 0) return;
  throw new TypeError(`this network namespace is not private: it has ${others.join("; ")}`);
}
