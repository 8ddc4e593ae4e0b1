/** The parts of the name of a private registry of ECR. */
export interface EcrRegistry {
  readonly region: string;
  /** The server of ECR's API beside it. */
  readonly api: string;
}

/** ecrPrivateHostPattern of kubernetes/cloud-provider-aws, cmd/ecr-credential-provider. */
const pattern =
  /^\d{12}\.dkr[.-]ecr(-fips)?\.([a-zA-Z0-9][a-zA-Z0-9_-]*)\.(amazonaws\.(?:com(?:\.cn)?|eu)|on\.(?:aws|amazonwebservices\.com\.cn)|sc2s\.sgov\.gov|c2s\.ic\.gov|cloud\.adc-e\.uk|csp\.hci\.ic\.gov)$/;

/** Domains of registries that are reached by IPv6, too, and those of the APIs beside them. */
const dualStack: Readonly<Record<string, string>> = {
  "on.aws": "api.aws",
  "on.amazonwebservices.com.cn": "api.amazonwebservices.com.cn",
};

/** Reads a registry's name; undefined if it is not a private registry of ECR's. */
export function ecrRegistryOf(registry: string): EcrRegistry | undefined {
  const [, fips, region, domain] = pattern.exec(registry) ?? [];
  if (region === undefined || domain === undefined) return undefined;
  return { region, api: apiOf(region, domain, fips !== undefined) };
}

/** The server of ECR's API for a region, if the registry has its own name. */
export function ecrApiOf(region: string): string {
  return apiOf(region, domainOf(region), false);
}

/** The regional server of STS. */
export function stsOf(region: string): string {
  return `sts.${region}.${domainOf(region)}`;
}

/** As the SDKs' endpoint rules for ECR have them. */
function apiOf(region: string, domain: string, fips: boolean): string {
  const dual = dualStack[domain];
  if (dual !== undefined) return `${fips ? "ecr-fips" : "ecr"}.${region}.${dual}`;
  return fips ? `ecr-fips.${region}.${domain}` : `api.ecr.${region}.${domain}`;
}

/** Partitions by the beginnings of their regions; the others are in the first one. */
const partitions: readonly (readonly [prefix: string, domain: string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
];

function domainOf(region: string): string {
  return partitions.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "amazonaws.com";
}
