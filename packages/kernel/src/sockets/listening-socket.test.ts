import { expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { acceptConnection, listenAt } from "./listening-socket.ts";
import { socketPeer } from "./socket-peer.ts";

test("a connection is accepted when it is asked for, and not before", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "socket");
  const fd = listenAt(path, 1);
  expect(acceptConnection(fd)).toBeUndefined();
  const client = connect(path);
  const accepted = await waitFor(() => acceptConnection(fd), {
    deadlineMs: 5000,
    what: "the connection",
  });
  expect(socketPeer(accepted).pid).toBe(process.pid);
  expect(acceptConnection(fd)).toBeUndefined();
  client.destroy();
  for (const own of [accepted, fd]) closeDescriptor(own);
});

test("two sockets are not at one path, and no path is too long", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "socket");
  const fd = listenAt(path, 1);
  expect(() => listenAt(path, 1)).toThrow(expect.objectContaining({ code: "EADDRINUSE" }));
  expect(() => listenAt(join(path, "x".repeat(120)), 1)).toThrow(
    expect.objectContaining({ code: "EINVAL" }),
  );
  closeDescriptor(fd);
  expect(() => acceptConnection(0)).toThrow(expect.objectContaining({ code: "ENOTSOCK" }));
});
