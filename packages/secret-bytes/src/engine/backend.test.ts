import { describe, expect, mock, test } from "bun:test";
import { SyscallError } from "@svc/kernel";
import type { SecretBackend } from "../secret-bytes.ts";

let thrown: Error = new Error("nothing was asked");
// Every test of the process has to name the same exports.
await mock.module("svc:engine", () => ({
  SecretBytes: {
    read: () => {
      throw thrown;
    },
    readDescriptor: () => {
      throw thrown;
    },
  },
  hmacSha256: undefined,
  openHttpServer: undefined,
  sendHttp: undefined,
}));
const { backend }: { backend: SecretBackend } = await import("./backend.ts");

describe("a file that the host cannot read", () => {
  test("is a SyscallError like Bun's", () => {
    thrown = Object.assign(new Error("read"), { syscall: "read", errno: 27 });
    const read = () => backend.readSecretFile("/x", 1);
    expect(read).toThrow(SyscallError);
    expect(read).toThrow(expect.objectContaining({ syscall: "read", code: "EFBIG" }));
  });

  test("is another error if the host says nothing of the kernel", () => {
    thrown = new TypeError("a mistake");
    expect(() => backend.readSecretFile("/x", 1)).toThrow(TypeError);
  });
});
