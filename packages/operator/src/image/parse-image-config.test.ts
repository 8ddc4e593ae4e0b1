import { expect, test } from "bun:test";
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
    const bytes = Buffer.from(JSON.stringify({ config: { Cmd: ["/app"], ExposedPorts } }));
    const image = parseImageConfig(bytes, digestOf(bytes), "read image a");
    expect(image.ports?.toSorted((a, b) => a - b)).toEqual(ports as number[]);
    expect(parseSharedImage(JSON.stringify(image))).toEqual(image);
  });
}
