import { expect, test } from "bun:test";
import type { Container } from "../pod/pod.ts";
import { decideSmall, type SmallPod } from "./testdata/injected-container.ts";

function warningsOf(container: Partial<Container>, more: Omit<SmallPod, "container"> = {}) {
  const decision = decideSmall({ ...more, container: { command: ["/app"], ...container } });
  if (decision.kind !== "patch") throw new TypeError(JSON.stringify(decision));
  for (const text of decision.warnings) expect(text.length).toBeLessThanOrEqual(256);
  return decision.warnings;
}

const ENV = [{ name: "DB_PASSWORD", value: "x" }];
const stays = (place: string, name = "DB_PASSWORD") =>
  `container app: $(${name}) in ${place} stays as it is, because Kubernetes expands it before the value is fetched: have the program read ${name}, or start it by a shell: sh -c 'exec app "$${name}"'`;
const twice = (outcome: string) => `container app: its env has DB_PASSWORD, too: ${outcome}`;
const wins = "the vault's value takes precedence";
const every = { annotations: { "env-map": "*=*" } };
const from = [{ secretRef: { name: "s" } }];
const ofFrom =
  "container app: a variable of envFrom replaces no annotation (set it in env), and no value of the vault";

const rows: Readonly<
  Record<string, readonly [Partial<Container>, Omit<SmallPod, "container">, readonly string[]]>
> = {
  "a reference in args": [{ args: ["--password=$(DB_PASSWORD)"] }, {}, [stays("its command")]],
  "a reference in the command": [
    { command: ["/app", "$(DB_PASSWORD)"] },
    {},
    [stays("its command")],
  ],
  "a reference in env": [
    { env: [{ name: "URL", value: "pg://u:$(DB_PASSWORD)@db" }], args: ["$(DB_PASSWORD)"] },
    {},
    [stays("its command and its env URL")],
  ],
  "a reference that env resolves": [
    { env: ENV, args: ["$(DB_PASSWORD)"] },
    {},
    [
      "container app: $(DB_PASSWORD) in its command becomes the value of its env, not the vault's: Kubernetes expands it before the wrapper starts",
      twice(wins),
    ],
  ],
  "a variable of the same name": [{ env: ENV }, {}, [twice(wins)]],
  "a variable of the same name, beside the library's": [
    { env: ENV },
    { annotations: { delivery: "library" } },
    [twice("the library gives the vault's value, and the environment keeps this one")],
  ],
  "variables that are not seen": [{ envFrom: from as never }, {}, [ofFrom]],
  "a reference that a star may resolve": [
    { args: ["$(TOKEN)"] },
    every,
    [stays("its command", "TOKEN")],
  ],
  "a reference that a star with a prefix may resolve": [
    { args: ["$(DB_X)", "$(OTHER)"] },
    { annotations: { "env-map": "*=DB_*" } },
    [stays("its command", "DB_X")],
  ],
  "a map of the container's own": [
    { env: [{ name: "SVC_ENV_MAP", value: "a=OWN" }], args: ["$(OWN) $(DB_PASSWORD)"] },
    {},
    [stays("its command", "OWN")],
  ],
  "nothing of other references": [
    { args: ["$(OTHER)", "$$(DB_PASSWORD)", "$DB_PASSWORD"] },
    {},
    [],
  ],
  "nothing of references that the pod or a Service resolves, with a star": [
    {
      env: [{ name: "MODE", value: "x" }],
      args: ["$(MODE)", "$(DB_SERVICE_HOST)", "$(DB_PORT_5432_TCP)", "$(date)-$(a b)"],
    },
    { annotations: { "env-map": "*=PREFIX_*" } },
    [],
  ],
};
for (const [name, [container, more, expected]] of Object.entries(rows)) {
  test(`the author of a pod learns of ${name}`, () => {
    expect(warningsOf(container, more)).toEqual([...expected]);
  });
}

test("at most five names are spoken of", () => {
  const args = Array.from({ length: 20 }, (_, index) => `$(N${index})`);
  expect(warningsOf({ args }, every)).toHaveLength(5);
});
