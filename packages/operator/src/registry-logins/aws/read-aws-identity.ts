import type { EnvironmentReading } from "../environment-reading.ts";
import type { AwsIdentity, ContainerIdentity } from "./aws-identity.ts";
import { AwsKeys } from "./aws-keys.ts";

/** The variables of AWS's SDKs that are read, and their purpose. */
export const awsVariables = {
  AWS_ACCESS_KEY_ID: "Static keys of an IAM user.",
  AWS_SECRET_ACCESS_KEY: "Static keys of an IAM user.",
  AWS_SESSION_TOKEN: "Static keys that end.",
  AWS_ROLE_ARN: "The role of IRSA.",
  AWS_WEB_IDENTITY_TOKEN_FILE: "The token of IRSA.",
  AWS_ROLE_SESSION_NAME: "The name of IRSA's session; `svc-operator` if it is not set.",
  AWS_CONTAINER_CREDENTIALS_FULL_URI: "The agent of EKS Pod Identity.",
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "The token of EKS Pod Identity.",
  AWS_EC2_METADATA_DISABLED: "`true` keeps the operator from asking the instance metadata.",
  AWS_EC2_METADATA_SERVICE_ENDPOINT: "Another address of the instance metadata.",
  AWS_REGION: "The region of STS, and of registries that have their own names.",
  AWS_DEFAULT_REGION: "The same, if AWS_REGION is not set.",
  AWS_ENDPOINT_URL_STS: "Another server than the region's for STS.",
  AWS_ENDPOINT_URL_ECR: "Another server than the region's for ECR's API.",
} as const;

/** Reads the identity in the order of AWS's SDKs: keys, IRSA, Pod Identity, the node's. */
export function readAwsIdentity(reading: EnvironmentReading): AwsIdentity {
  const common = {
    region: regionIn(reading),
    servers: {
      sts: reading.endpoint("AWS_ENDPOINT_URL_STS"),
      ecr: reading.endpoint("AWS_ENDPOINT_URL_ECR"),
    },
  };
  return (
    keysIn(reading, common) ??
    webIdentityIn(reading, common) ??
    containerIn(reading, common) ??
    instanceIn(reading, common)
  );
}

type Common = Pick<AwsIdentity, "region" | "servers">;

function regionIn(reading: EnvironmentReading): string | undefined {
  const name = reading.text("AWS_REGION") === undefined ? "AWS_DEFAULT_REGION" : "AWS_REGION";
  const region = reading.text(name);
  if (region === undefined || /^[a-z]{2,4}(?:-[a-z]+)+-\d+$/.test(region)) return region;
  // It becomes a part of the name of a server that gets a token.
  reading.refuse(name, "the name of a region, such as eu-central-1", region);
  return undefined;
}

function keysIn(reading: EnvironmentReading, common: Common): AwsIdentity | undefined {
  const pair = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] as const;
  const found = reading.together(pair);
  if (found === undefined) return undefined;
  const [accessKeyId = "", secretAccessKey = ""] = found;
  const sessionToken = reading.secret("AWS_SESSION_TOKEN");
  return {
    ...common,
    kind: "keys",
    keys: new AwsKeys({ accessKeyId, secretAccessKey, sessionToken }),
  };
}

function webIdentityIn(reading: EnvironmentReading, common: Common): AwsIdentity | undefined {
  const [roleArn, tokenFile] =
    reading.together(["AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE"]) ?? [];
  if (roleArn === undefined || tokenFile === undefined) return undefined;
  const sessionName = reading.text("AWS_ROLE_SESSION_NAME") ?? "svc-operator";
  return { ...common, kind: "web-identity", roleArn, tokenFile, sessionName };
}

function containerIn(reading: EnvironmentReading, common: Common): AwsIdentity | undefined {
  const url = reading.endpoint("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  const tokenFile = reading.text("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const container: ContainerIdentity | undefined = url && { kind: "container", url, tokenFile };
  return container && { ...common, ...container };
}

function instanceIn(reading: EnvironmentReading, common: Common): AwsIdentity {
  const disabled = reading.text("AWS_EC2_METADATA_DISABLED")?.toLowerCase() === "true";
  if (disabled) return { ...common, kind: "none" };
  const server = reading.endpoint("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  return { ...common, kind: "instance", server: server ?? new URL("http://169.254.169.254/") };
}
