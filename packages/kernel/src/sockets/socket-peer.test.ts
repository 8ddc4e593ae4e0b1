import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { join } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { processLives } from "../process/process-lives.ts";
import { socketPeer, socketPeerProcess } from "./socket-peer.ts";

test("the peer of a unix socket is the process that connected it, and its pidfd tells when it has ended", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "socket");
  const accepted = Promise.withResolvers<number>();
  const server = createServer((socket) => {
    socket.resume();
    accepted.resolve(Reflect.get(Reflect.get(socket, "_handle"), "fd"));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const script = `import socket,time; s=socket.socket(1); s.connect("${path}"); time.sleep(60)`;
  const child = Bun.spawn(["python3", "-c", script]);
  const fd = await accepted.promise;
  expect(socketPeer(fd)).toEqual({
    pid: child.pid,
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
  });
  const pidfd = socketPeerProcess(fd);
  expect(processLives(pidfd)).toBe(true);
  child.kill("SIGKILL");
  await child.exited;
  await waitFor(() => !processLives(pidfd), { deadlineMs: 5000, what: "its end" });
  closeDescriptor(pidfd);
  server.close();
});

test("a file that is not a socket has no peer", () => {
  expect(() => socketPeer(0)).toThrow(SyscallError);
  expect(() => socketPeerProcess(0)).toThrow(SyscallError);
});
