import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { notifySocket, temporaryFolder } from "@svc/testing";
import { descriptorsLeftBy } from "../../testdata/open-descriptors.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { sendDatagram } from "./send-datagram.ts";

const encode = (text: string) => new TextEncoder().encode(text);

// Our own one: if the file may not be written to, the answer is EACCES.
const folder = temporaryFolder();
const plainFile = join(folder.path, "plain-file");
writeFileSync(plainFile, "");
afterAll(() => folder[Symbol.dispose]());

describe("sendDatagram", () => {
  test("reaches a socket at a path, and leaves no descriptor", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "notify");
    await using socket = await notifySocket(path);
    expect(descriptorsLeftBy(() => sendDatagram(path, encode("READY=1\nSTATUS=grün")))).toEqual([]);
    await socket.gets("READY=1");
    expect(socket.messages()).toEqual(["READY=1\nSTATUS=grün"]);
  });

  test("reaches an abstract socket", async () => {
    const name = `@svc-test-${crypto.randomUUID()}`;
    await using socket = await notifySocket(name);
    sendDatagram(name, encode("STOPPING=1"));
    expect(await socket.gets("STOPPING")).toBe("STOPPING=1");
  });

  test("reaches a path of the longest name, and refuses a longer one", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "n".repeat(107 - folder.path.length - 1));
    await using socket = await notifySocket(path);
    sendDatagram(path, encode("x"));
    expect(await socket.gets("x")).toBe("x");
    expect(errnoOf(`${path}n`)).toBe("EINVAL");
  });

  const refused: readonly (readonly [name: string, address: string, code: string])[] = [
    ["a path without a file", "/nonexistent/notify", "ENOENT"],
    ["a file that is not a socket", plainFile, "ECONNREFUSED"],
    ["an abstract name that does not exist", "@svc-test-nobody", "ECONNREFUSED"],
    ["a relative path", "notify", "EINVAL"],
    ["nothing", "", "EINVAL"],
    ["an abstract name without a name", "@", "EINVAL"],
    ["a path with a NUL", "/tmp/a\0b", "EINVAL"],
    ["another kind of address", "vsock:2:1234", "EINVAL"],
  ];
  for (const [name, address, code] of refused) {
    test(`throws ${code} for ${name}, and leaves no descriptor`, () => {
      expect(descriptorsLeftBy(() => void errnoOf(address))).toEqual([]);
      expect(errnoOf(address)).toBe(code);
    });
  }
});

function errnoOf(address: string): string {
  try {
    sendDatagram(address, encode("x"));
    return "sent";
  } catch (error) {
    return error instanceof SyscallError ? error.code : String(error);
  }
}
