import { describe, expect, test } from "bun:test";
import { parseOperatorFlags } from "@svc/operator";
import { objectOf } from "../harness/kubernetes/helm.ts";
import { renderOperatorChart, withValues } from "../harness/kubernetes/operator-chart.ts";

const ECR = "123456789012.dkr.ecr.eu-central-1.amazonaws.com";
const policyRequest = { enabled: true, apiServer: [{ cidr: "192.0.2.1/32", port: 6443 }] };
const agent = { cidr: "169.254.170.23/32", port: 80 };

async function render(operator: object, settings: object = {}) {
  const objects = await renderOperatorChart(withValues({ operator, settings }));
  const template = Object(objectOf(objects, "Deployment")["spec"]).template;
  const [container] = template.spec.containers;
  const find = (kind: string) => objects.find((object) => object.kind === kind);
  return { container, template, find };
}

test("logins and their namespaces are flags that the operator takes", async () => {
  const settings = {
    registryLogins: { [ECR]: "aws", "*.azurecr.io": "azure" },
    registryLoginNamespaces: { [ECR]: ["shop", "bank"], "*.azurecr.io": "*" },
  };
  const { container } = await render({}, settings);
  const parsed = parseOperatorFlags(container.args, undefined);
  if (parsed.kind !== "process") throw new TypeError(JSON.stringify(parsed));
  const rules = parsed.process.logins.rules.map(({ pattern, source, namespaces }) => [
    ...[pattern.text, source, ...namespaces],
  ]);
  expect(rules.toSorted()).toEqual([
    ["*.azurecr.io", "azure", "*"],
    [ECR, "aws", "shop", "bank"],
  ]);
});

test("a cloud finds its annotation and its label, and the pod its variables", async () => {
  const extraEnv = [{ name: "GOOGLE_APPLICATION_CREDENTIALS", value: "/etc/google/config.json" }];
  const annotations = { "eks.amazonaws.com/role-arn": "arn:aws:iam::123456789012:role/svc" };
  const podLabels = { "azure.workload.identity/use": "true" };
  const { container, template, find } = await render({
    ...{ extraEnv, podLabels, serviceAccount: { annotations } },
  });
  expect(container.env).toEqual(extraEnv);
  expect(template.metadata.labels).toMatchObject(podLabels);
  expect(find("ServiceAccount")?.metadata).toMatchObject({ annotations });
});

test("logins without namespaces, or without their file, are refused with what to write", async () => {
  const settings = { registryLogins: { [ECR]: "aws", "registry.test": "docker-config" } };
  const failed = await render({}, settings).catch((error: unknown) => String(error));
  for (const text of [
    `registryLoginNamespaces: must name the namespaces that the login at ${ECR} is for`,
    "registryLoginNamespaces: must name the namespaces that the login at registry.test is for",
    "operator.settings.dockerConfig: must be the path of docker's configuration",
  ]) {
    expect(failed).toContain(text);
  }
});

describe("the network policy lets the operator", () => {
  const egressOf = async (networkPolicy: object) => {
    const { find } = await render({ networkPolicy: { ...policyRequest, ...networkPolicy } });
    return JSON.stringify(Object(find("NetworkPolicy")?.["spec"]).egress);
  };

  test("to no address of the link unless a value names it", async () => {
    const egress = await egressOf({});
    expect(egress).not.toContain("169.254.170.23");
    expect(egress).toContain('"except":["10.0.0.0/8","100.64.0.0/10","169.254.0.0/16"');
  });

  test("to a DNS that is not a pod if a value names it", async () => {
    const dns = "169.254.20.10/32";
    expect(await egressOf({})).not.toContain(dns);
    expect(await egressOf({ dnsAddresses: [dns] })).toContain(
      '{"ipBlock":{"cidr":"169.254.20.10/32"}}],"ports":[{"protocol":"UDP","port":53}',
    );
  });

  test("to the agent of EKS Pod Identity if a value names it", async () => {
    expect(await egressOf({ identities: [agent] })).toContain(
      '{"to":[{"ipBlock":{"cidr":"169.254.170.23/32"}}],"ports":[{"protocol":"TCP","port":80}]}',
    );
  });
});
