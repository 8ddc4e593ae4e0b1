import { accepted, type Parser, refused } from "@svc/settings";

/** The kinds of names in Kubernetes, all of RFC 1123. */
interface NameRule {
  readonly what: string;
  readonly most: number;
  /** A subdomain is labels with dots between them. */
  readonly form: "label" | "subdomain";
}

const label = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const forms = {
  label: new RegExp(`^${label}$`),
  subdomain: new RegExp(`^${label}(?:\\.${label})*$`),
} as const;

/** Parses the name of a namespace. */
export const parseNamespaceName = parseName({
  what: "the name of a Kubernetes namespace",
  most: 63,
  form: "label",
});

/**
 * Parses the name of a Helm release. Helm itself also takes dots; the names of pods are made of it, and
 * a pod whose name has a dot has no DNS name of its own.
 */
export const parseReleaseName = parseName({
  what: "the name of a Helm release",
  most: 53,
  form: "label",
});

/** Parses the text before the numbers in the names of a StatefulSet's pods. */
export const parsePodPrefix = parseName({
  what: "the name of the first pod without -0",
  most: 61,
  form: "label",
});

/** Parses the name of a Kubernetes Secret. */
export const parseSecretName = parseName({
  what: "the name of a Kubernetes Secret",
  most: 253,
  form: "subdomain",
});

/** Parses the name of a service account. */
export const parseServiceAccountName = parseName({
  what: "the name of a service account",
  most: 253,
  form: "subdomain",
});

function parseName({ what, most, form }: NameRule): Parser<string> {
  const dots = form === "label" ? "" : " and .";
  const characters = form === "label" ? "a-z, 0-9 and -" : "a-z, 0-9, -";
  const wanted = `${what}: at most ${most} of ${characters}${dots}, with a letter or digit at both ends`;
  return (text) => {
    if (text.length <= most && forms[form].test(text)) return accepted(text);
    const lower = text.toLowerCase();
    const repairs = lower !== text && lower.length <= most && forms[form].test(lower);
    return refused(wanted, repairs ? { hint: `write ${lower}` } : {});
  };
}
