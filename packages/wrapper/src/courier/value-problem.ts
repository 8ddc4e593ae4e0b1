import type { SecretBytes } from "@svc/secret-bytes";

/** Why a value is refused. */
export interface ValueProblem {
  readonly what: string;
  readonly hint: string;
}

// The forms of unresolved references of the common injectors.
const referenceStarts = [
  ...["vault:", ">>vault:", "$" + "{vault:"],
  ...["bao:", ">>bao:", "$" + "{bao:"],
  ...["op://", "arn:aws:secretsmanager:", "gcp:secretmanager:", "azure:keyvault:"],
];
const emptyReference = "<no value>";
const transitStart = "vault:v";
const digits = [..."0123456789"];
const COLON = 0x3a;

export interface ValueRules {
  /** True lets values through that still look like a reference. */
  readonly allowReferences: boolean;
  /** True for the content of a file; false by default. */
  readonly mayHaveNul?: boolean;
}

/** Judges one value without opening it. */
export function valueProblem(
  value: SecretBytes | null,
  { allowReferences, mayHaveNul = false }: ValueRules,
): ValueProblem | undefined {
  if (value === null) {
    return { what: "the value is null", hint: "store a string, number, boolean, object or array" };
  }
  if (!mayHaveNul && value.includes(0)) {
    return {
      what: "the value holds a NUL byte",
      hint: "environment variables and the secret region end at NUL: store it as base64",
    };
  }
  if (!allowReferences && isReference(value)) {
    return {
      what: "the value is still a reference",
      hint: "store the value itself, or set SVC_ALLOW_REFERENCES=true",
    };
  }
  return undefined;
}

function isReference(value: SecretBytes): boolean {
  // Each form but the empty one has a colon; one look instead of a dozen.
  if (!value.includes(COLON)) return value.equals(emptyReference);
  const looksLikeOne =
    value.equals(emptyReference) || referenceStarts.some((start) => value.startsWith(start));
  return looksLikeOne && !isTransitCiphertext(value);
}

/** `vault:v12:…`: a value that Transit has encrypted. The program decrypts it. */
function isTransitCiphertext(value: SecretBytes): boolean {
  let start = transitStart;
  for (;;) {
    if (start !== transitStart && value.startsWith(`${start}:`)) return true;
    const digit = digits.find((next) => value.startsWith(start + next));
    if (digit === undefined) return false;
    start += digit;
  }
}
