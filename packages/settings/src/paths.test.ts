import { parseFilePath } from "./file-path.ts";
import { parseKvPath } from "./kv-path.ts";
import { testParsers } from "./testdata/parser-table.ts";

const percent = "write %25 for a percent sign, and every other character as it is";
const oneSecret =
  "to deliver every field of a secret, map it with *=PREFIX_*; for * in a path write %2A";
const versions = "the names of fields belong in the environment map; for # in a path write %23";

testParsers({
  parseKvPath: {
    parse: parseKvPath,
    reads: [
      ["secret/data/app", { path: "secret/data/app" }],
      ["team/kv/data/app/db", { path: "team/kv/data/app/db" }],
      ["secret/data/app#3", { path: "secret/data/app", version: 3 }],
      ["secret/data/data/data", { path: "secret/data/data/data" }],
      ["secret/data/with space", { path: "secret/data/with space" }],
      ["secret/data/a%2Cb%3bc%23d%3Fe%2Af%25g", { path: "secret/data/a,b;c#d?e*f%g" }],
      ["secret/data/a%231#2", { path: "secret/data/a#1", version: 2 }],
      ["dynamic:database/creds/a%2Ab", { path: "database/creds/a*b", engine: "dynamic" }],
      ["secret/data/%252C", { path: "secret/data/%2C" }],
    ],
    refuses: [
      ["secret/app", "write secret/data/app"],
      ["secret/a%2Cb", "write secret/data/a%2Cb"],
      ["secret/data/50%", percent],
      ["secret/data/a%20b", percent],
      ["secret/data/a%2", percent],
      ["secret/data/a%GGb", percent],
      ["secret/data/%2E%2E", percent],
      ["dynamic:a/b%2F", percent],
      ["dynamic:a/b*", oneSecret],
      ["dynamic:a/b#1", "for # in a path write %23"],
      ["/secret/data/app/", "write secret/data/app"],
      ["secret/metadata/app", "write secret/data/app"],
      ["secret", undefined],
      ["secret/data", undefined],
      ["secret/data/", undefined],
      ["/data/app", undefined],
      ["secret//data/app", undefined],
      ["secret/data/../../sys/seal"],
      ["secret/data/./app"],
      ["secret/data/a?list=true", "for ? in a path write %3F"],
      ["secret/data/*", oneSecret],
      ["secret/data/app#0", versions],
      ["secret/data/app#latest", versions],
      ["secret/data/app#", versions],
      ["secret/data/app#1#2", versions],
      ["secret/data/app#01"],
      ["secret/data/app#99999999999999999999"],
      ["secret/data/a\nb"],
    ],
  },
  parseFilePath: {
    parse: parseFilePath,
    reads: [["/etc/svc/ca.pem", "/etc/svc/ca.pem"]],
    refuses: [["ca.pem"], ["./ca.pem"], ["~/ca.pem"], ["/etc/\u0000"], ["file:///etc/ca.pem"]],
  },
});
