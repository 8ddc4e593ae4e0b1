import { expect, test } from "bun:test";
import { mkdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";
import { findKubelet } from "./find-kubelet.ts";
import { followKubelet } from "./follow-kubelet.ts";
import type { KubeletFile } from "./token-file-maps.ts";

const listening =
  "import socket,sys,time; s=socket.socket(1); s.bind(sys.argv[1]); s.listen(); time.sleep(60)";

function stage() {
  const folder = temporaryFolder();
  const socket = join(folder.path, "device-plugins/kubelet.sock");
  mkdirSync(join(folder.path, "device-plugins"));
  const allowed = new Map<bigint, KubeletFile>();
  const kubelet = followKubelet({
    folder: folder.path,
    writer: {
      allowKubelet: (file) => void allowed.set(file.inode, file),
      refuseKubelet: ({ inode }) => void allowed.delete(inode),
    },
    log: () => undefined,
  });
  const end = () => {
    kubelet.stop();
    folder[Symbol.dispose]();
  };
  return { folder: folder.path, socket, allowed, kubelet, [Symbol.dispose]: end };
}

const inodeOf = (path: string) => statSync(path, { bigint: true }).ino;

test("the kubelet is the process that listens at its socket", () => {
  using at = stage();
  using _listener = Bun.listen({ unix: at.socket, socket: { data: () => undefined } });
  const { executable, mountinfo } = findKubelet(at.folder);
  expect(executable.inode).toBe(inodeOf("/proc/self/exe"));
  expect(`mnt:[${executable.mountNamespace}]`).toBe(readlinkSync("/proc/self/ns/mnt"));
  expect(mountinfo).toContain(" / / ");
});

test("a kubelet that is away stays allowed, and one of another file takes its place", async () => {
  using at = stage();
  expect(at.kubelet.look()).toEqual({
    kind: "missing",
    reason: expect.stringContaining("ENOENT"),
  });
  const listener = Bun.listen({ unix: at.socket, socket: { data: () => undefined } });
  expect(at.kubelet.look().kind).toBe("found");
  expect([...at.allowed.keys()]).toEqual([inodeOf("/proc/self/exe")]);
  listener.stop(true);
  rmSync(at.socket, { force: true });
  expect(at.kubelet.look().kind).toBe("missing");
  expect(at.allowed.size).toBe(1);
  const child = Bun.spawn(["python3", "-c", listening, at.socket]);
  const isThere = () => at.kubelet.look().kind === "found";
  await waitFor(isThere, { deadlineMs: 10_000, what: "the other kubelet" });
  expect([...at.allowed.keys()]).toEqual([inodeOf(`/proc/${child.pid}/exe`)]);
  child.kill();
  await child.exited;
});
