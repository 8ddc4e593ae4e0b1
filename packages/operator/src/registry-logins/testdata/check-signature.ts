import type { CloudRequest } from "./stand-in.ts";

/** The service that a signature is good for, and its owner. */
export interface SignatureRequest {
  readonly region: string;
  readonly service: string;
  /** The secret key of an access key; undefined if there is none. */
  readonly secretOf: (accessKeyId: string) => string | undefined;
  /** The time of the server, in milliseconds. */
  readonly nowMs?: number;
}

const FIVE_MINUTES_MS = 300_000;

/**
 * Checks a request's signature as AWS publishes it ("Create a signed AWS API request", Signature
 * Version 4), apart from the code that signs: canonical request, string to sign, derived key.
 *
 * @returns the problem, or undefined
 */
export function signatureProblem(
  request: CloudRequest,
  wanted: SignatureRequest,
): string | undefined {
  const header = request.headers.get("authorization") ?? "";
  const [, keyId = "", date = "", region, service, names = "", given] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      header,
    ) ?? [];
  if (given === undefined) return "the header Authorization";
  if (region !== wanted.region || service !== wanted.service) return "the credential scope";
  const secret = wanted.secretOf(keyId);
  if (secret === undefined) return "the access key";
  const signed = names.split(";");
  const needed = [...request.headers.keys()].filter((name) => name.startsWith("x-amz-"));
  if (![...needed, "host"].every((name) => signed.includes(name))) return "the signed headers";
  const time = request.headers.get("x-amz-date") ?? "";
  const skewMs = Math.abs((wanted.nowMs ?? Date.now()) - timeOf(time));
  if (!time.startsWith(date) || !(skewMs < FIVE_MINUTES_MS)) return "the time";
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonicalRequest(request, signed))];
  const key = [date, region, service, "aws4_request"].reduce<string | Buffer>(
    (chain, part) => hmac(chain, String(part)),
    `AWS4${secret}`,
  );
  return hmac(key, text.join("\n")).toString("hex") === given ? undefined : "the signature";
}

/** The first of the three steps. */
export function canonicalRequest(request: CloudRequest, signed: readonly string[]): string {
  const { method, url, headers, body } = request;
  const query = [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .toSorted();
  const lines = signed.map(
    (name) => `${name}:${(headers.get(name) ?? "").trim().replace(/ +/g, " ")}\n`,
  );
  return [
    ...[method, url.pathname, query.join("&"), lines.join("")],
    ...[signed.join(";"), sha256(body)],
  ].join("\n");
}

function timeOf(text: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return new Bun.CryptoHasher("sha256", key).update(text).digest();
}
