import { expect, test } from "bun:test";
import { statusError } from "./status-error.ts";

const errorOf = (retryAfter: string) =>
  statusError(
    { status: 429, headers: new Headers({ "Retry-After": retryAfter }), bytes: new Uint8Array() },
    "read image a",
  );

// RFC 9110, section 10.2.3.
const rows: Readonly<Record<string, (nowMs: number) => string>> = {
  "a number of seconds": () => "60",
  "a date": (nowMs) => new Date(nowMs + 60_000).toUTCString(),
  "seconds since 1970": (nowMs) => String(Math.round(nowMs / 1000) + 60),
};
for (const [name, header] of Object.entries(rows)) {
  test(`Retry-After with ${name} says when to ask again`, () => {
    const waitMs = errorOf(header(Date.now())).retryAfterMs ?? 0;
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(61_000);
  });
}

for (const header of ["", "soon", "-1", "1e3", "9".repeat(40)]) {
  test(`Retry-After with "${header}" is as good as none`, () => {
    const { retryAfterMs, message } = errorOf(header);
    expect(retryAfterMs).toBeUndefined();
    expect(message).toBe(
      "read image a: status 429 (toomanyrequests): the limit of requests is reached",
    );
  });
}
