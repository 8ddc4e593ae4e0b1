import { describe, expect, test } from "bun:test";
import { digestOf } from "./digest.ts";
import { parseImageConfig } from "./parse-image-config.ts";
import { parseSharedImage } from "./parse-shared-image.ts";

const rows: Readonly<
  Record<string, readonly [exposed: unknown, ports: readonly number[] | undefined]>
> = {
  "of TCP": [{ "8199/tcp": {}, "80": {} }, [80, 8199]],
  "but none of UDP, no range and no nonsense": [
    { "53/udp": {}, "1-2/tcp": {}, "70000/tcp": {}, "0": {}, x: {} },
    undefined,
  ],
  "if it names some": [undefined, undefined],
  "if they are a map": [["80"], undefined],
};
for (const [name, [ExposedPorts, ports]] of Object.entries(rows)) {
  test(`an image has its ports, ${name}, also for other replicas`, () => {
    const bytes = Buffer.from(
      JSON.stringify({ config: { Cmd: ["/app"], ExposedPorts, StopSignal: "SIGQUIT" } }),
    );
    const image = parseImageConfig(bytes, digestOf(bytes), "read image a");
    expect(image.ports?.toSorted((a, b) => a - b)).toEqual(ports as number[]);
    expect(image.stopSignal).toBe("SIGQUIT");
    expect(parseSharedImage(JSON.stringify(image))).toEqual(image);
  });
}

/** Containerd's CRI: it reads a list with one empty word as an absent entrypoint. */
const commands: Readonly<
  Record<
    string,
    readonly [given: object, entrypoint: readonly string[], command: readonly string[]]
  >
> = {
  "of one empty word is absent": [{ Entrypoint: [""], Cmd: ["/app"] }, [], ["/app"]],
  "without a word is absent": [{ Entrypoint: [], Cmd: ["/app"] }, [], ["/app"]],
  "that is null is absent": [{ Entrypoint: null, Cmd: ["/app"] }, [], ["/app"]],
  "of two words keeps an empty one": [{ Entrypoint: ["", "x"] }, ["", "x"], []],
  "is apart from the command, which keeps an empty word": [
    { Entrypoint: ["/app"], Cmd: [""] },
    ["/app"],
    [""],
  ],
};

describe("an image's entrypoint", () => {
  for (const [name, [config, entrypoint, command]] of Object.entries(commands)) {
    test(name, () => {
      const bytes = Buffer.from(JSON.stringify({ config }));
      const image = parseImageConfig(bytes, digestOf(bytes), "read image a");
      expect(image).toMatchObject({ entrypoint, command });
    });
  }
});
