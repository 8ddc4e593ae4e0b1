import { describe, expect, test } from "bun:test";
import { libc } from "#native";
import { checked, SyscallError } from "./syscall-error.ts";
import { UnsupportedFeatureError } from "./unsupported-feature-error.ts";

describe("SyscallError", () => {
  const rows: readonly (readonly [errno: number, code: string])[] = [
    [1, "EPERM"],
    [2, "ENOENT"],
    [11, "EAGAIN"],
    [12, "ENOMEM"],
    [9999, "E9999"],
  ];
  for (const [errno, code] of rows) {
    test(`calls errno ${errno} ${code}`, () => {
      const error = new SyscallError("open", errno);
      expect(error).toMatchObject({ syscall: "open", errno, code, message: `open: ${code}` });
      expect(error.name).toBe("SyscallError");
    });
  }
});

describe("checked", () => {
  for (const result of [0, 7, 7n]) {
    test(`returns ${typeof result} ${result} as a number`, () => {
      expect(checked("read", result)).toBe(Number(result));
    });
  }

  test("turns a failed call into the errno that the call left", () => {
    expect(() => checked("close", libc.close(-1))).toThrow(new SyscallError("close", 9));
  });
});

test("an unsupported feature names itself, its requirements and its cause", () => {
  const cause = new SyscallError("memfd_secret", 38);
  const error = new UnsupportedFeatureError("memfd_secret", "Linux 5.14", cause);
  expect(error).toMatchObject({
    name: "UnsupportedFeatureError",
    feature: "memfd_secret",
    needs: "Linux 5.14",
    message: "memfd_secret is not available: needs Linux 5.14",
    cause,
  });
});
