import type { ImagePlace } from "../../image/place-pattern.ts";
import { loginRefused } from "../login-failure.ts";
import type { LoginProvider } from "../login-provider.ts";
import type { LoginWay } from "../login-way.ts";
import { assumeRole } from "./assume-role.ts";
import type { AwsIdentity } from "./aws-identity.ts";
import type { AwsKeys } from "./aws-keys.ts";
import { containerKeys } from "./container-keys.ts";
import { type EcrApi, ecrLogin } from "./ecr-login.ts";
import { ecrApiOf, ecrRegistryOf, stsOf } from "./ecr-registry.ts";
import { instanceKeys } from "./instance-keys.ts";

/** Logs in to private registries of ECR. */
export function awsProvider(identity: AwsIdentity): LoginProvider {
  return {
    source: "aws",
    hint: "the repository's policy, or the one of the operator's role, has to allow ecr:BatchGetImage and ecr:GetDownloadUrlForLayer",
    keyOf: (place) => {
      const { url, region } = apiOf(place, identity) ?? {};
      return `${region} ${url?.host}`;
    },
    logIn: async (place, way) => {
      const api = apiOf(place, identity);
      if (api === undefined) throw noRegion(place, way);
      return ecrLogin(api, await keysOf(identity, api.region, way), way);
    },
  };
}

/**
 * The API beside the registry; that of the identity's region for a registry with its own name.
 */
function apiOf({ registry }: ImagePlace, { region, servers }: AwsIdentity): EcrApi | undefined {
  const named = ecrRegistryOf(registry);
  const wanted = named?.region ?? region;
  if (wanted === undefined) return undefined;
  const url = servers.ecr ?? new URL(`https://${named?.api ?? ecrApiOf(wanted)}/`);
  return { url, region: wanted };
}

function noRegion({ registry }: ImagePlace, { operation }: LoginWay): Error {
  const found = `${operation}: ${registry} is not a name of ECR's, and AWS_REGION is not set`;
  return loginRefused(found, { hint: "set AWS_REGION in the operator's environment" });
}

/** Keys of the identity. STS is asked in the cluster's region, which IRSA sets. */
async function keysOf(identity: AwsIdentity, region: string, way: LoginWay): Promise<AwsKeys> {
  switch (identity.kind) {
    case "keys":
      return identity.keys;
    case "web-identity": {
      const sts = `https://${stsOf(identity.region ?? region)}/`;
      return assumeRole(identity, identity.servers.sts ?? new URL(sts), way);
    }
    case "container":
      return containerKeys(identity, way);
    case "instance":
      return instanceKeys(identity.server, way);
    case "none":
      throw loginRefused(`${way.operation}: the operator has no identity of AWS`, {
        hint: "annotate the operator's service account with eks.amazonaws.com/role-arn, or make an EKS Pod Identity association for it, and start its pods again",
      });
  }
}
