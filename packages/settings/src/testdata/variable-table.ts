import { parseGoBoolean } from "../go-boolean.ts";
import { parseOneOf } from "../one-of.ts";
import { parsePlainText } from "../plain-text.ts";
import { flagOnly, variable } from "../variable.ts";
import { parseWords } from "../words.ts";

/** A small table with one row of each kind. */
export const table = {
  rotation: variable({
    name: "SVC_ROTATION",
    group: "g",
    type: "word",
    default: "restart",
    parse: parseOneOf(["restart", "sighup", "none"]),
    meaning: "",
  }),
  address: variable({
    name: "VAULT_ADDR",
    group: "g",
    type: "text",
    requiredness: "yes",
    parse: parsePlainText,
    meaning: "",
  }),
  paths: variable({
    name: "SVC_SECRET_PATHS",
    aliases: ["SECRET_PATHS"],
    group: "g",
    type: "text",
    parse: parsePlainText,
    meaning: "",
  }),
  strict: variable({
    name: "SVC_STRICT",
    group: "g",
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning: "",
  }),
  command: variable({
    name: "SVC_ORIGINAL_CMD",
    group: "g",
    type: "words",
    secret: true,
    parse: parseWords,
    meaning: "",
  }),
  token: variable({
    name: "VAULT_TOKEN",
    group: "g",
    type: "token",
    flag: false,
    parse: undefined,
    meaning: "",
  }),
  items: flagOnly({
    name: "--secrets",
    group: "g",
    type: "text",
    parse: parsePlainText,
    meaning: "",
  }),
  output: flagOnly({
    name: "--output",
    short: "o",
    group: "g",
    type: "word",
    parse: parseOneOf(["text", "json"]),
    meaning: "",
  }),
};
