import { describe, expect, test } from "bun:test";
import { closeDescriptor, makePipe, writeDescriptor } from "@svc/kernel";
import { type CourierMessage, messageBytes } from "../messages/courier-message.ts";
import { readMessages } from "./message-pipe.ts";

const revoked: CourierMessage = { kind: "revoked" };
const failed: CourierMessage = { kind: "failed", failures: [] };

describe("messages", () => {
  test("that were there before are read, and end with the pipe", async () => {
    const { readFd, writeFd } = makePipe();
    writeDescriptor(writeFd, messageBytes(revoked));
    closeDescriptor(writeFd);
    expect(await Array.fromAsync(readMessages(readFd))).toEqual([revoked]);
  });

  test("that come one by one are heard at once, and so is the end", async () => {
    const { readFd, writeFd } = makePipe();
    const messages = readMessages(readFd);
    for (const message of [revoked, failed, revoked]) {
      const next = messages.next();
      await Bun.sleep(1);
      writeDescriptor(writeFd, messageBytes(message));
      expect(await next).toEqual({ done: false, value: message });
    }
    const last = messages.next();
    await Bun.sleep(1);
    closeDescriptor(writeFd);
    expect(await last).toEqual({ done: true, value: undefined });
    // In less time than it takes to look without an announcement.
  }, 4000);

  test("in pieces are put together", async () => {
    const { readFd, writeFd } = makePipe();
    const bytes = messageBytes(failed);
    const messages = readMessages(readFd);
    const next = messages.next();
    for (const byte of bytes) {
      writeDescriptor(writeFd, Uint8Array.of(byte));
      await Bun.sleep(0);
    }
    expect((await next).value).toEqual(failed);
    closeDescriptor(writeFd);
    expect((await messages.next()).done).toBe(true);
  });

  test("that are no longer read close the descriptor", async () => {
    const { readFd, writeFd } = makePipe();
    writeDescriptor(writeFd, messageBytes(revoked));
    for await (const message of readMessages(readFd)) {
      expect(message).toEqual(revoked);
      break;
    }
    expect(() => closeDescriptor(readFd)).toThrow("EBADF");
    closeDescriptor(writeFd);
  });
});
