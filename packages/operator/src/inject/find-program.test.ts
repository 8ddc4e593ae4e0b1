import { describe, expect, test } from "bun:test";
import type { ImageConfig } from "../image/image-config.ts";
import type { Container } from "../pod/pod.ts";
import { decideSmall, injectedContainer } from "./testdata/injected-container.ts";

const empty: Readonly<
  Record<string, readonly [container: Partial<Container>, image?: ImageConfig]>
> = {
  "of the pod is one empty word": [{ command: [""] }],
  "of the pod begins with an empty word": [{ command: ["", "/app"] }],
  "of the pod has its program among the arguments": [{ command: [""], args: ["/app"] }],
  "of the image is one empty word": [{}, { entrypoint: [], command: [""] }],
  "is of an image without an entrypoint, and the pod's first argument is empty": [
    { args: ["", "/app"] },
    { entrypoint: [], command: ["/app"] },
  ],
};

/** The kubelet takes `command: [""]` for a command, and starts no program either. */
describe("a container is refused whose command", () => {
  for (const [name, [container, image]] of Object.entries(empty)) {
    test(name, () => {
      const decision = decideSmall({ container, ...(image !== undefined && { image }) });
      const found = "its command begins with an empty word, which no program has as its name";
      expect(decision).toMatchObject({ kind: "deny", message: expect.stringContaining(found) });
    });
  }
});

test("an empty word behind the program stays", () => {
  const { env } = injectedContainer({ container: { command: ["/app", ""] } });
  expect(env).toContainEqual({ name: "SVC_ORIGINAL_CMD", value: '["/app",""]' });
});
