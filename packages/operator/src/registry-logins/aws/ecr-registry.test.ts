import { describe, expect, test } from "bun:test";
import { ecrApiOf, ecrRegistryOf, stsOf } from "./ecr-registry.ts";

/**
 * As test tables of kubernetes/cloud-provider-aws, cmd/ecr-credential-provider, and AWS's list of
 * endpoints have them.
 */
const registries: Readonly<Record<string, readonly [region: string, api: string]>> = {
  "123456789012.dkr.ecr.us-east-2.amazonaws.com": ["us-east-2", "api.ecr.us-east-2.amazonaws.com"],
  "123456789012.dkr.ecr-fips.us-gov-west-1.amazonaws.com": [
    "us-gov-west-1",
    "ecr-fips.us-gov-west-1.amazonaws.com",
  ],
  "123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn": [
    "cn-north-1",
    "api.ecr.cn-north-1.amazonaws.com.cn",
  ],
  "123456789012.dkr-ecr.us-east-2.on.aws": ["us-east-2", "ecr.us-east-2.api.aws"],
  "123456789012.dkr-ecr-fips.us-east-2.on.aws": ["us-east-2", "ecr-fips.us-east-2.api.aws"],
  "123456789012.dkr-ecr.cn-north-1.on.amazonwebservices.com.cn": [
    "cn-north-1",
    "ecr.cn-north-1.api.amazonwebservices.com.cn",
  ],
  "123456789012.dkr.ecr.eusc-de-east-1.amazonaws.eu": [
    "eusc-de-east-1",
    "api.ecr.eusc-de-east-1.amazonaws.eu",
  ],
  "123456789012.dkr.ecr.us-isob-east-1.sc2s.sgov.gov": [
    "us-isob-east-1",
    "api.ecr.us-isob-east-1.sc2s.sgov.gov",
  ],
};
const others = [
  "123.dkr.ecr.us-east-2.amazonaws.com",
  "123456789012.dkr.ecr.us-east-2.amazonaws.com.evil.test",
  "123456789012.dkr.ecr.us-east-2.amazonaws.org",
  "123456789012.dkr.ecr.us-east-2.amazonaws.com:8443",
  "123456789012.dkr.ecr.us.east.amazonaws.com",
  "x.123456789012.dkr.ecr.us-east-2.amazonaws.com",
  "bucket.s3.us-east-2.amazonaws.com",
  "public.ecr.aws",
];

describe("a registry of ECR has its region and its API:", () => {
  for (const [registry, [region, api]] of Object.entries(registries)) {
    test(registry, () => expect(ecrRegistryOf(registry)).toEqual({ region, api }));
  }
});

describe("another name is not one of ECR's:", () => {
  for (const registry of others) {
    test(registry, () => expect(ecrRegistryOf(registry)).toBeUndefined());
  }
});

test("servers of a region are in the domain of its partition", () => {
  expect(["eu-central-1", "cn-north-1", "us-iso-east-1"].map(stsOf)).toEqual([
    "sts.eu-central-1.amazonaws.com",
    "sts.cn-north-1.amazonaws.com.cn",
    "sts.us-iso-east-1.c2s.ic.gov",
  ]);
  expect(ecrApiOf("cn-north-1")).toBe("api.ecr.cn-north-1.amazonaws.com.cn");
});
