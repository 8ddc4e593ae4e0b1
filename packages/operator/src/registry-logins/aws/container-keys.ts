import { askLoginServer } from "../ask-login-server.ts";
import type { LoginWay } from "../login-way.ts";
import { fieldsOf } from "../read-answer.ts";
import { readTokenFile } from "../read-login-file.ts";
import type { ContainerIdentity } from "./aws-identity.ts";
import { type AwsKeys, issuedKeys } from "./aws-keys.ts";

const STEP = "get keys of the container credential provider";
const association =
  "the cluster needs an EKS Pod Identity association for the operator's namespace and service account, whose role trusts pods.eks.amazonaws.com with sts:AssumeRole and sts:TagSession";

/**
 * Gets keys of the EKS Pod Identity agent (AWS SDKs and Tools reference, "Container credential
 * provider").
 *
 * @throws ImageError
 */
export async function containerKeys(
  { url, tokenFile }: ContainerIdentity,
  way: LoginWay,
): Promise<AwsKeys> {
  const authorization =
    tokenFile === undefined
      ? undefined
      : await readTokenFile({
          path: tokenFile,
          named: "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
          operation: way.operation,
          hint: association,
        });
  const { text } = await askLoginServer(way, {
    step: STEP,
    url,
    headers: authorization === undefined ? {} : { Authorization: authorization },
    hints: {
      refused: association,
      unreachable: `the EKS Pod Identity agent has to run on the operator's node, and the network policy has to allow ${url.host}`,
      words: {
        AccessDeniedException: association,
        ExpiredTokenException: "the token file is out of date: the kubelet replaces it in time",
        ResourceNotFoundException: association,
      },
    },
  });
  const operation = `${way.operation}: ${STEP} at ${url.host}`;
  const fields = fieldsOf(text, operation);
  return issuedKeys(
    {
      accessKeyId: fields["AccessKeyId"],
      secretAccessKey: fields["SecretAccessKey"],
      sessionToken: fields["Token"],
      expiration: fields["Expiration"],
    },
    operation,
  );
}
