import { describe, expect, test } from "bun:test";
import type { LoginSource } from "../login-provider.ts";
import {
  cloudOf,
  type LoginRule,
  parseLoginPattern,
  rulesFor,
  rulesOf,
  starProblem,
} from "./login-rules.ts";

function ruleOf(text: string, source: LoginSource, ...namespaces: readonly string[]): LoginRule {
  const pattern = parseLoginPattern(text);
  if (pattern === undefined) throw new TypeError(`${text} is not a pattern`);
  return { pattern, source, namespaces };
}
const ECR = "123456789012.dkr.ecr.eu-central-1.amazonaws.com";

describe("a pattern is for an image, or not:", () => {
  const rows: readonly (readonly [pattern: string, source: LoginSource, image: string, boolean])[] =
    [
      [ECR, "aws", `${ECR}/team/app`, true],
      [ECR, "aws", `other.${ECR}/team/app`, false],
      [`${ECR}/team`, "aws", `${ECR}/team/app`, true],
      [`${ECR}/team`, "aws", `${ECR}/team`, true],
      [`${ECR}/team`, "aws", `${ECR}/teams/app`, false],
      [`${ECR}/team/`, "aws", `${ECR}/team/app`, true],
      ["*.dkr.ecr.*.amazonaws.com", "aws", `${ECR}/app`, true],
      // A customer's API gateway, with the customer's own answers.
      ["*.*.*.amazonaws.com", "aws", "x.execute-api.eu-central-1.amazonaws.com/app", false],
      ["*.*.*.*.amazonaws.com", "aws", "b.s3.eu-central-1.amazonaws.com/app", false],
      ["*.on.aws", "aws", "x.lambda-url.eu-central-1.on.aws/app", false],
      ["*.azurecr.io", "azure", "shop.azurecr.io/app", true],
      ["*.azurecr.io", "azure", "shop.azurecr.io:8443/app", false],
      ["*.azurecr.io", "azure", "shop.azurecr.io.evil.test/app", false],
      ["*.pkg.dev", "google", "europe-docker.pkg.dev/p/r/app", true],
      ["*.pkg.dev", "google", "europe-npm.pkg.dev/p/r/app", false],
      ["gcr.io", "google", "gcr.io/p/app", true],
      ["*.gcr.io", "google", "eu.gcr.io/p/app", true],
      ["*.gcr.io", "google", "gcr.io/p/app", false],
      // An administrator's word for one host is enough: registries may have their own names.
      ["images.shop.test", "azure", "images.shop.test/app", true],
      ["registry.test:5000", "docker-config", "registry.test:5000/app", true],
      ["registry.test", "docker-config", "registry.test:5000/app", false],
      ["*.shop.test", "docker-config", "a.shop.test/app", true],
    ];
  for (const [pattern, source, image, isFor] of rows) {
    test(`${pattern} and ${image}`, () => {
      const [registry = "", ...parts] = image.split("/");
      const found = rulesFor([ruleOf(pattern, source)], { registry, repository: parts.join("/") });
      expect(found).toHaveLength(isFor ? 1 : 0);
    });
  }
});

test("the most specific pattern comes first", () => {
  const rules = [
    ruleOf("*.azurecr.io", "azure"),
    ruleOf("shop.azurecr.io", "docker-config"),
    ruleOf("shop.azurecr.io/team", "azure"),
  ];
  const place = { registry: "shop.azurecr.io", repository: "team/app" };
  const texts = rulesFor(rules, place).map(({ pattern }) => pattern.text);
  expect(texts).toEqual(["shop.azurecr.io/team", "shop.azurecr.io", "*.azurecr.io"]);
});

test("a namespace has the rules that name it, and those for all", () => {
  const rules = [
    ruleOf("a.test", "docker-config", "shop"),
    ruleOf("b.test", "docker-config", "*"),
    ruleOf("c.test", "docker-config"),
  ];
  const hosts = (namespace: string) => rulesOf(rules, namespace).map(({ pattern }) => pattern.host);
  expect([hosts("shop"), hosts("bank")]).toEqual([["a.test", "b.test"], ["b.test"]]);
});

describe("a pattern is refused:", () => {
  for (const text of ["", "https://a.test", "a.test/x*", "a b", "user@a.test", "a.test?x", "/x"]) {
    test(JSON.stringify(text), () => expect(parseLoginPattern(text)).toBeUndefined());
  }
});

describe("a star that is for registries of strangers is refused:", () => {
  const rows: readonly (readonly [string, LoginSource, boolean])[] = [
    ["*", "aws", false],
    ["*.com", "docker-config", false],
    ["*.shop.test", "docker-config", true],
    ["*shop.test", "docker-config", false],
    ["*.shop.test", "aws", false],
    ["*.amazonaws.com", "aws", true],
    ["*.amazonaws.com", "azure", false],
    ["*.azurecr.io", "azure", true],
    ["*azurecr.io", "azure", false],
    ["*.gcr.io", "google", true],
  ];
  for (const [text, source, isGood] of rows) {
    test(`${text}=${source}`, () => {
      const pattern = parseLoginPattern(text);
      if (pattern === undefined) throw new TypeError(`${text} is not a pattern`);
      expect(starProblem(pattern, source) === undefined).toBe(isGood);
    });
  }
});

test("registries of clouds are known by their names", () => {
  const names = [ECR, "gcr.io", "us.gcr.io", "us-docker.pkg.dev", "a.azurecr.cn", "public.ecr.aws"];
  const found = names.map((name) => cloudOf(name));
  expect(found).toEqual(["aws", "google", "google", "google", "azure", undefined]);
});
