import { afterAll, expect, test } from "bun:test";
import { certificateAuthority, temporaryFolder } from "@svc/testing";
import { loadAuthorities } from "./load-authorities.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test("certificates are read by registry, in order", async () => {
  const [one, two] = await Promise.all([certificateAuthority("one"), certificateAuthority("two")]);
  const paths = [`${folder.path}/one.pem`, `${folder.path}/two.pem`] as const;
  await Bun.write(paths[0], one.certificatePem);
  await Bun.write(paths[1], two.certificatePem);
  expect(loadAuthorities({ "*": [paths[0]], "a.test": [paths[1], paths[0]] })).toEqual({
    authorities: {
      "*": [one.certificatePem],
      "a.test": [two.certificatePem, one.certificatePem],
    },
    problems: [],
  });
});

test("every invalid file is named, without its content", async () => {
  const key = `${folder.path}/key.pem`;
  await Bun.write(key, "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n");
  const { problems } = loadAuthorities({ "a.test": [key, "/nowhere.pem"] });
  expect(problems.map(({ message }) => message)).toEqual([
    `--registry-ca-files: must be PEM files of certificates: ${key}: there is no certificate in it`,
    "--registry-ca-files: must be PEM files of certificates: /nowhere.pem: it cannot be read (ENOENT)",
  ]);
});
