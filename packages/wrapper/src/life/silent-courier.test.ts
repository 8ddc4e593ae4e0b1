import { expect, test } from "bun:test";
import { lateCourier, silentCourier } from "./silent-courier.ts";

const rows = [
  ["made a mistake", silentCourier(), "the courier ended without a word"],
  ["was killed, for memory perhaps", silentCourier(9), "the courier was ended by SIGKILL"],
  ["took too long", lateCourier(2000), "the courier did not answer in 2000 ms, and was ended"],
] as const;
for (const [what, failure, message] of rows) {
  test(`a courier that ${what} has a code that asks for no report`, () => {
    expect(failure).toMatchObject({ code: "COURIER_ENDED", message });
  });
}
