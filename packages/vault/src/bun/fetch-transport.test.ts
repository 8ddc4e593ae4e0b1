import { afterAll, describe, expect, test } from "bun:test";
import { startTransportStage } from "../../test/transport-stage.ts";
import { transportTable } from "../../test/transport-table.ts";
import { transport } from "./fetch-transport.ts";

const running = startTransportStage();
afterAll(() => running[Symbol.dispose]());

describe("Bun's transport", () => {
  for (const { name, actual, expected } of transportTable) {
    test(name, async () => expect(await actual(transport, running.stage)).toEqual(expected));
  }
});
