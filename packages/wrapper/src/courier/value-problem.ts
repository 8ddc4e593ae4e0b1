/** Why a value is refused. */
export interface ValueProblem {
  readonly what: string;
  readonly hint: string;
}

// The forms in which the common injectors leave what they did not resolve.
const references = [
  /^(?:>>)?(?:vault|bao):/,
  /^\$\{(?:vault|bao):/,
  /^<no value>$/,
  /^op:\/\//,
  /^arn:aws:secretsmanager:/,
  /^gcp:secretmanager:/,
  /^azure:keyvault:/,
] as const;

/** Looks at one value. The value itself is in no message. */
export function valueProblem(
  value: string | null,
  allowReferences: boolean,
): ValueProblem | undefined {
  if (value === null) {
    return { what: "the value is null", hint: "store a string, number, boolean, object or array" };
  }
  if (value.includes("\0")) {
    return {
      what: "the value holds a NUL byte",
      hint: "environment variables and the secret region end at NUL: store it as base64",
    };
  }
  if (!allowReferences && references.some((form) => form.test(value))) {
    return {
      what: "the value is still a reference",
      hint: "store the value itself, or set SVC_ALLOW_REFERENCES=true",
    };
  }
  return undefined;
}
