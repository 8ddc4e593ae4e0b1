import { type Fields, isFields, textIn } from "../../image/json-fields.ts";
import { loginRefused } from "../login-failure.ts";
import type { LoginWay } from "../login-way.ts";
import { parseEndpoint } from "../parse-endpoint.ts";
import { fieldsOf } from "../read-answer.ts";
import { readLoginFile } from "../read-login-file.ts";

/** A file with credentials of Google, of one of the kinds that are read. */
export type CredentialsFile = ExternalAccount | ServiceAccountKey;

/** Workload Identity Federation: a token of another issuer is exchanged (AIP-4117). */
export interface ExternalAccount {
  readonly kind: "external_account";
  readonly audience: string;
  readonly subjectTokenType: string;
  readonly tokenUrl: URL;
  readonly tokenFile: string;
  /** The field of the file with the token; undefined if the file is the token. */
  readonly tokenField: string | undefined;
  readonly impersonationUrl: URL | undefined;
}

/** A service account with its private key. */
export interface ServiceAccountKey {
  readonly kind: "service_account";
  readonly email: string;
  readonly keyId: string | undefined;
  readonly privateKeyPem: string;
  readonly tokenUrl: URL;
}

const VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";
const hint =
  "make the file with gcloud iam workload-identity-pools create-cred-config --credential-source-file, and mount it";

/**
 * Reads the file that GOOGLE_APPLICATION_CREDENTIALS names.
 *
 * @throws ImageError `LOGIN_REFUSED`
 */
export async function readCredentialsFile(path: string, way: LoginWay): Promise<CredentialsFile> {
  const { operation } = way;
  const text = await readLoginFile({ path, named: VARIABLE, operation, hint });
  return parseCredentialsFile(text, `${operation}: read ${path} of ${VARIABLE}`);
}

/**
 * Parses such a file.
 *
 * @throws ImageError `LOGIN_REFUSED`, with the first field that is wrong and nothing of the file
 */
export function parseCredentialsFile(text: string, operation: string): CredentialsFile {
  const fields = fieldsOf(text, operation, hint);
  const reading = new FileReading(fields, operation);
  switch (fields["type"]) {
    case "external_account":
      return externalAccount(fields, reading);
    case "service_account":
      return {
        kind: "service_account",
        email: reading.text("client_email"),
        keyId: textIn(fields, "private_key_id"),
        privateKeyPem: reading.text("private_key"),
        tokenUrl: reading.url("token_uri", "https://oauth2.googleapis.com/token"),
      };
    default:
      throw reading.refuse("type", "external_account or service_account");
  }
}

function externalAccount(fields: Fields, reading: FileReading): ExternalAccount {
  const source = isFields(fields["credential_source"]) ? fields["credential_source"] : {};
  const format = isFields(source["format"]) ? source["format"] : {};
  const tokenFile = textIn(source, "file");
  // Programs, URLs and AWS's metadata are not asked for the token: the kubelet writes it into a
  // file.
  if (tokenFile === undefined)
    throw reading.refuse("credential_source.file", "the path of a token");
  const isJson = format["type"] === "json";
  const impersonates = fields["service_account_impersonation_url"] !== undefined;
  return {
    kind: "external_account",
    audience: reading.text("audience"),
    subjectTokenType: reading.text("subject_token_type"),
    tokenUrl: reading.url("token_url", "https://sts.googleapis.com/v1/token"),
    tokenFile,
    tokenField: isJson ? (textIn(format, "subject_token_field_name") ?? "access_token") : undefined,
    impersonationUrl: impersonates
      ? reading.url("service_account_impersonation_url", "")
      : undefined,
  };
}

/** Fields of the file, or the requirement for each. */
class FileReading {
  readonly #fields: Fields;
  readonly #operation: string;

  constructor(fields: Fields, operation: string) {
    this.#fields = fields;
    this.#operation = operation;
  }

  text(name: string): string {
    const text = textIn(this.#fields, name);
    if (text === undefined) throw this.refuse(name, "a text");
    return text;
  }

  url(name: string, otherwise: string): URL {
    const url = parseEndpoint(textIn(this.#fields, name) ?? otherwise);
    if (url === undefined) throw this.refuse(name, "an https URL");
    return url;
  }

  refuse(name: string, wanted: string): Error {
    return loginRefused(`${this.#operation}: its field ${name} has to be ${wanted}`, { hint });
  }
}
