import { askLoginServer, type LoginHints } from "../ask-login-server.ts";
import { loginRefused } from "../login-failure.ts";
import type { LoginWay } from "../login-way.ts";
import { fieldsOf, tokenOf } from "../read-answer.ts";
import { type AwsKeys, issuedKeys } from "./aws-keys.ts";

const roleHint =
  "the node needs an instance profile with a role; better, give the operator's service account a separate role";
const hints: LoginHints = {
  refused: roleHint,
  unreachable:
    "pods reach the instance metadata if its hop limit is 2 and the network policy allows 169.254.169.254; better, give the operator's service account a role",
};
const FOLDER = "/latest/meta-data/iam/security-credentials/";

/**
 * Gets the keys of the node's role from the instance metadata, version 2 only (EC2 user guide, "Use
 * IMDSv2").
 *
 * @throws ImageError
 */
export async function instanceKeys(server: URL, way: LoginWay): Promise<AwsKeys> {
  const { text: session } = await askLoginServer(way, {
    step: "get a session of the instance metadata",
    url: new URL("/latest/api/token", server),
    method: "PUT",
    headers: { "X-aws-ec2-metadata-token-ttl-seconds": "60" },
    hints,
  });
  const operation = `${way.operation}: get keys of the instance metadata at ${server.host}`;
  const headers = {
    "X-aws-ec2-metadata-token": tokenOf(session.trim(), "session token", operation),
  };
  const read = (path: string, step: string) =>
    askLoginServer(way, { step, url: new URL(path, server), headers, hints });
  const { text: names } = await read(FOLDER, "get the role of the instance metadata");
  const role = names.split("\n", 1)[0]?.trim() ?? "";
  // The name becomes a part of a path (IAM: letters, digits and +=,.@_-).
  if (!/^[\w+=,.@-]{1,64}$/.test(role)) {
    throw loginRefused(`${operation}: the answer names no role`, { hint: roleHint });
  }
  const { text } = await read(`${FOLDER}${role}`, "get keys of the instance metadata");
  const fields = fieldsOf(text, operation);
  if (fields["Code"] !== "Success") {
    throw loginRefused(`${operation}: the answer is not a success`, { hint: roleHint });
  }
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
