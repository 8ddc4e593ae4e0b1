import { afterAll, describe, expect, test } from "bun:test";
import { callNumbers } from "../../scripts/generate/system-calls/call-numbers.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { changingStore, recorder } from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { ownHeader } from "./own-header.ts";

// Calls that have a replacement (docs/decisions/0112): the wrapper's whole life goes on without them.

const TERM = 15;
const errors = { EPERM: 1, ENOSYS: 38 };

const changing = changingStore();
afterAll(() => changing[Symbol.asyncDispose]());
expectNothingLeft();

const replaced = ["access", "getrandom", "memfd_create", "pipe2", "poll", "prlimit64"];
const numbers = callNumbers(ownHeader(), [...replaced, "statx", "waitid"]);

describe("a program gets its value and a new one, and ends, without", () => {
  for (const [name, number] of numbers) {
    for (const [error, errno] of Object.entries(errors)) {
      for (const delivery of ["auto", "env"]) {
        test(`${name}, by ${error}, delivered by ${delivery}`, async () => {
          await using wrapper = await startWrapper({
            program: [recorder],
            environment: { ...changing.environment, SVC_DELIVERY: delivery },
            startsAs: ["-n", `${number}=${errno}`],
          });
          await wrapper.prints(changing.value());
          await wrapper.prints(await changing.change());
          wrapper.kill(TERM);
          expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
        });
      }
    }
  }
});
