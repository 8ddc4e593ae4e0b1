import { expect, test } from "bun:test";
import { parseOperatorFlags } from "./parse-operator-flags.ts";

const IMAGE = "--wrapper-image=registry.test/svc:1";
const ADDRESS = "--hints-vault-address=https://vault.test:8200";

function parsed(...flags: readonly string[]) {
  const result = parseOperatorFlags([IMAGE, ...flags], "svc-system");
  return result.kind === "process" ? result.process.hints : result;
}

function problems(...flags: readonly string[]): readonly string[] {
  const result = parseOperatorFlags([IMAGE, ...flags], "svc-system");
  return result.kind === "problems" ? result.problems.map(({ message }) => message) : [];
}

test("without an address there are no hints", () => {
  expect(parsed()).toBeUndefined();
  expect(parsed("--hints-vault-role=other")).toBeUndefined();
});

test("an address is enough, and everything else is the default", () => {
  expect(parsed(ADDRESS)).toEqual({
    address: "https://vault.test:8200",
    namespace: undefined,
    role: "svc-version-hints",
    method: "kubernetes",
    mountPath: "kubernetes",
    authorityFile: undefined,
    tokenFile: "/etc/svc/hints/token",
  });
});

test("the mount is by default the method's name", () => {
  expect(parsed(ADDRESS, "--hints-vault-auth-method=jwt")).toMatchObject({ mountPath: "jwt" });
  expect(parsed(ADDRESS, "--hints-vault-auth-path=auth/team/k8s")).toMatchObject({
    method: "kubernetes",
    mountPath: "team/k8s",
  });
});

test("every contradiction is said at once", () => {
  const insecure = "--hints-vault-address=http://vault.test:8200";
  expect(problems(insecure, "--rotation-permits=false")).toEqual([
    "--hints-vault-address: must be left out if --rotation-permits is false: it is set",
    '--hints-vault-address: must be an https:// address: got "http://vault.test:8200"',
  ]);
  expect(problems("--hints-vault-namespace=team", "--hints-vault-ca-file=/ca.pem")).toEqual([
    "--hints-vault-namespace: must be set together with --hints-vault-address: that one is not set",
    "--hints-vault-ca-file: must be set together with --hints-vault-address: that one is not set",
  ]);
});

test.each([
  ["of the operator's own machine", "http://127.0.0.1:8200", []],
  ["that its namespace is permitted", "http://vault.test:8200", ["svc-system"]],
  ["that every namespace is permitted", "http://vault.test:8200", ["*"]],
])("a vault without TLS %s", (_, address, namespaces) => {
  const flags = namespaces.map((name) => `--insecure-vault-namespaces=${name}`);
  expect(parsed(`--hints-vault-address=${address}`, ...flags)).toMatchObject({ address });
});

test("another namespace's permission is not enough", () => {
  const address = "--hints-vault-address=http://vault.test:8200";
  expect(problems(address, "--insecure-vault-namespaces=shop")).toHaveLength(1);
});
