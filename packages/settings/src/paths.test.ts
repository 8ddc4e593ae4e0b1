import { parseFilePath } from "./file-path.ts";
import { parseKvPath } from "./kv-path.ts";
import { testParsers } from "./testdata/parser-table.ts";

testParsers({
  parseKvPath: {
    parse: parseKvPath,
    reads: [
      ["secret/data/app", { path: "secret/data/app" }],
      ["team/kv/data/app/db", { path: "team/kv/data/app/db" }],
      ["secret/data/app#3", { path: "secret/data/app", version: 3 }],
      ["secret/data/data/data", { path: "secret/data/data/data" }],
      ["secret/data/with space", { path: "secret/data/with space" }],
    ],
    refuses: [
      ["secret/app", "write secret/data/app"],
      ["/secret/data/app/", "write secret/data/app"],
      ["secret/metadata/app", "write secret/data/app"],
      ["secret", undefined],
      ["secret/data", undefined],
      ["secret/data/", undefined],
      ["/data/app", undefined],
      ["secret//data/app", undefined],
      ["secret/data/../../sys/seal"],
      ["secret/data/./app"],
      ["secret/data/a?list=true"],
      ["secret/data/*", "to deliver every field of a secret, map it with *=PREFIX_*"],
      ["secret/data/app#0", "the names of fields belong in the environment map"],
      ["secret/data/app#latest", "the names of fields belong in the environment map"],
      ["secret/data/app#", "the names of fields belong in the environment map"],
      ["secret/data/app#1#2", "the names of fields belong in the environment map"],
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
