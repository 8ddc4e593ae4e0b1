import { expect, test } from "bun:test";
import { closeDescriptor, makePipe, setNonBlocking, writeDescriptor } from "@svc/kernel";
import { type CourierMessage, messageBytes } from "../courier-message.ts";
import { MessagePipe } from "./message-pipe.ts";

const message: CourierMessage = { kind: "revoked" };

test("messages end with the pipe", async () => {
  const { readFd, writeFd } = makePipe();
  setNonBlocking(readFd);
  writeDescriptor(writeFd, messageBytes(message));
  closeDescriptor(writeFd);
  expect(await Array.fromAsync(new MessagePipe(readFd).messages())).toEqual([message]);
});

test("messages end also where the end of the pipe is never heard of", async () => {
  const { readFd, writeFd } = makePipe();
  setNonBlocking(readFd);
  const pipe = new MessagePipe(readFd);
  const read: CourierMessage[] = [];
  writeDescriptor(writeFd, messageBytes(message));
  for await (const one of pipe.messages()) {
    read.push(one);
    pipe.hangUp();
  }
  expect(read).toEqual([message]);
  closeDescriptor(writeFd);
});
