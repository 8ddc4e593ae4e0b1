import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askPodImages, ImageLookup, parseOperatorFlags } from "@svc/operator";
import { RegistryLogins, readProviders } from "@svc/operator/testdata";
import { CANARY_PREFIX } from "@svc/testing";
import { type Cloud, type CloudStage, cloudStage } from "../harness/registry/cloud-stage.ts";

const sources = ["aws", "google", "azure"] as const;
let stage: CloudStage;
beforeAll(async () => {
  stage = await cloudStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/**
 * The credentials that an operator with a cloud registry's flags finds for a pod of a namespace.
 */
function operatorFor(
  { registry, source }: Cloud,
  environment: Readonly<Record<string, string>> = stage.environment,
) {
  const flags = [
    "--wrapper-image=registry.test/svc:1",
    `--insecure-registries=${registry}=http`,
    `--registry-logins=${registry}/app=${source}`,
    `--registry-login-namespaces=${registry}/app=shop`,
  ];
  const parsed = parseOperatorFlags(flags, "svc-system");
  if (parsed.kind !== "process") throw new TypeError(JSON.stringify(parsed));
  const { logins, images } = parsed.process;
  const settings = { ...images.registries, authorities: {} };
  const { providers } = readProviders({
    ...{ sources: [source], settings, helperFolder: undefined, dockerConfig: undefined },
    environment: new Map(Object.entries(environment)),
  });
  const made = new RegistryLogins({ rules: logins.rules, providers, authorities: {} });
  const asked = askPodImages({
    lookup: new ImageLookup({ settings }),
    credentials: async () => ({ entries: [], problems: [] }),
    architectures: images.architectures,
    loginsOf: (namespace) => made.forNamespace(namespace),
  });
  return async (namespace: string) => {
    const image = `${registry}/app`;
    const pod = { metadata: {}, spec: { containers: [{ name: "app", image }] } };
    const signal = new AbortController().signal;
    return (await asked([image], { namespace, pod, signal })).get(image);
  };
}

function cloudOf(source: Cloud["source"]): Cloud {
  const found = stage.clouds.find((each) => each.source === source);
  if (found === undefined) throw new TypeError(`there is no cloud ${source}`);
  return found;
}

for (const source of sources) {
  describe(`an image without a command in a registry of ${source}`, () => {
    test("is read with the operator's identity", async () => {
      const answer = await operatorFor(cloudOf(source))("shop");
      expect(answer).toMatchObject({
        kind: "found",
        config: { entrypoint: ["/bin/app"], command: ["serve"] },
      });
    });

    test("is not read for a namespace that the login is not for", async () => {
      const ask = operatorFor(cloudOf(source));
      await ask("shop");
      const answer = await ask("bank");
      expect(answer?.kind).toBe("unreadable");
      expect(Object(answer).reason).toContain("no pull secret matches");
    });

    test("has one login for many pods", async () => {
      const ask = operatorFor(cloudOf(source));
      const count = () =>
        stage.servers.flatMap(({ seen }) => seen).filter((line) => !line.includes("/v2/")).length;
      await ask("shop");
      const before = count();
      await Promise.all(Array.from({ length: 20 }, () => ask("shop")));
      expect(count()).toBe(before);
    });

    test("is refused with the step and a hint if the cloud trusts another account", async () => {
      const tokens = await stage.writeTokens("system:serviceaccount:other:other");
      const ask = operatorFor(cloudOf(source), { ...stage.environment, ...tokens });
      const answer = await ask("shop");
      expect(answer?.kind).toBe("unreadable");
      const { reason } = Object(answer);
      expect(reason).toMatch(new RegExp(`^at 127.*: log in with ${source}: .*: status 40[013] `));
      expect(reason).toMatch(/trust policy|attribute condition|its subject/);
      expect(reason).not.toContain(CANARY_PREFIX);
    });
  });
}
