import { describe, expect, test } from "bun:test";
import { annotationTable } from "./annotation-table.ts";
import { parseAnnotations } from "./parse-annotations.ts";

const parse = (annotations: Record<string, string>, labels: Record<string, string> = {}) =>
  parseAnnotations({ annotations, labels }, "svc.internal");
const messages = (parsed: ReturnType<typeof parse>) =>
  parsed.kind === "problems"
    ? parsed.problems.map(({ message, hint }) => (hint ? `${message} (${hint})` : message))
    : parsed.kind;

describe("a pod", () => {
  const asked = { "svc.internal/inject": "true" };
  test("asks by annotation", () => expect(parse(asked).kind).toBe("asked"));
  test("asks by label", () => expect(parse({}, asked).kind).toBe("asked"));
  test("asks by both", () => expect(parse(asked, asked).kind).toBe("asked"));
  test("asks under the prefix that is set, not under another", () => {
    expect(parseAnnotations({ annotations: asked }, "secrets.test").kind).toBe("none");
  });
  test("does not ask with false, with any other annotations", () => {
    const annotations = { "svc.internal/inject": "false", "svc.internal/rotation": "x" };
    expect(parse(annotations)).toEqual({ kind: "none", forgotten: Object.keys(annotations) });
  });
  test("does not ask with an empty text, as a template leaves it", () => {
    expect(parse({ "svc.internal/inject": "" }).kind).toBe("none");
  });
  test("reports that annotation and label disagree", () => {
    expect(messages(parse(asked, { "svc.internal/inject": "false" }))).toEqual([
      'svc.internal/inject: must be the same as annotation and as label, or only one of them: the label says "false"',
    ]);
  });
  test("names a typing error in the request itself", () => {
    expect(messages(parse({ "svc.internal/Inject": "true" }))).toEqual([
      "svc.internal/Inject: must be an annotation that the operator knows: there is none of this name (did you mean svc.internal/inject?)",
    ]);
  });
});

const refusals: Readonly<Record<string, readonly [text: string, message: string]>> = {
  "vault-adress": [
    "x",
    "svc.internal/vault-adress: must be an annotation that the operator knows: there is none of this name (did you mean svc.internal/vault-address?)",
  ],
  "something-else": [
    "x",
    "svc.internal/something-else: must be an annotation that the operator knows: there is none of this name",
  ],
  ebpf: ["True", 'svc.internal/ebpf: must be "true" or "false": got "True" (write "true")'],
  "health-port": ["65536", 'svc.internal/health-port: must be a port from 1 to 65535: got "65536"'],
  containers: [
    "app,Web",
    'svc.internal/containers: must be the name of a container (item 2): got "Web"',
  ],
  config: [
    "A",
    'svc.internal/config: must be the name of an object in the pod\'s namespace: got "A"',
  ],
  "token-secret": [
    "a/b/c",
    'svc.internal/token-secret: must be NAME or NAME/KEY of a Secret, by default with the key "token": got "a/b/c"',
  ],
  "wrapper-image": [
    "a b",
    'svc.internal/wrapper-image: must be an image, such as registry.example/svc-wrapper:1.0.0: got "a b"',
  ],
  "vault-auth-path": [
    "a//b",
    'svc.internal/vault-auth-path: must be the path of an auth method, such as kubernetes or auth/kubernetes: got "a//b"',
  ],
  "renewal-interval": [
    "30",
    'svc.internal/renewal-interval: must be a duration such as 30s, 5m or 1h30m: got "30" (a number needs a unit: 30s)',
  ],
  "vault-ca-bundle": [
    "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----",
    "svc.internal/vault-ca-bundle: must be certificates as PEM text, -----BEGIN CERTIFICATE----- and so on: it holds a private key",
  ],
};

describe("an annotation is refused by name", () => {
  for (const [name, [text, message]] of Object.entries(refusals)) {
    test(`${name} ${JSON.stringify(text)}`, () => {
      const parsed = parse({ "svc.internal/inject": "true", [`svc.internal/${name}`]: text });
      expect(messages(parsed)).toEqual([message]);
    });
  }
});

test("annotations outside the prefix are ignored", () => {
  const others = { "svc.internal.test/x": "y", "svc.internalx/z": "1", plain: "2" };
  expect(parse({ "svc.internal/inject": "true", ...others }).kind).toBe("asked");
});

test("every row has its own name, and one that Kubernetes takes", () => {
  const names = Object.values(annotationTable).flatMap(({ name, aliases = [] }) => [
    name,
    ...aliases,
  ]);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z][a-z-]{0,61}[a-z]$/);
});
