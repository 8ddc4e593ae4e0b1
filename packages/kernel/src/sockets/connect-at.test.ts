import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { closeDescriptor, readDescriptor, writeDescriptor } from "../descriptors/descriptors.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { connectAt } from "./connect-at.ts";
import { acceptConnection, listenAt } from "./listening-socket.ts";
import { makeSocketPair, receiveMessage, sendMessage } from "./pass-descriptor.ts";
import { socketPeer } from "./socket-peer.ts";

describe("a connection to a unix socket", () => {
  test("is of the process that has connected", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "socket");
    const listener = listenAt(path, 8);
    const here = connectAt(path);
    const there = acceptConnection(listener) ?? -1;
    expect(socketPeer(there).pid).toBe(process.pid);
    const pair = makeSocketPair();
    sendMessage(pair.here, Uint8Array.of(1, 2, 3), here);
    closeDescriptor(here);
    const message = receiveMessage(pair.there, 8);
    expect([...(message?.bytes ?? [])]).toEqual([1, 2, 3]);
    writeDescriptor(message?.fd ?? -1, Uint8Array.of(9));
    expect(readDescriptor(there, 8)).toEqual({ kind: "bytes", bytes: Uint8Array.of(9) });
    for (const fd of [listener, there, message?.fd ?? -1, pair.here, pair.there]) {
      closeDescriptor(fd);
    }
  });

  test("is refused if nothing listens", () => {
    using folder = temporaryFolder();
    expect(() => connectAt(join(folder.path, "none"))).toThrow(
      expect.objectContaining({ code: "ENOENT" }),
    );
    expect(() => connectAt("relative")).toThrow(SyscallError);
  });
});

test("a message without a descriptor brings none, and a closed end brings nothing", () => {
  const pair = makeSocketPair();
  sendMessage(pair.here, Uint8Array.of(7));
  const message = receiveMessage(pair.there, 8);
  expect(message?.fd).toBeUndefined();
  expect([...(message?.bytes ?? [])]).toEqual([7]);
  closeDescriptor(pair.here);
  expect(receiveMessage(pair.there, 8)).toBeUndefined();
  expect(() => sendMessage(pair.there, Uint8Array.of(7))).toThrow(
    expect.objectContaining({ code: "EPIPE" }),
  );
  closeDescriptor(pair.there);
});
