import { get, patch, post, remove } from "../asks.ts";
import { type ContractCase, inOrder, oneRequest } from "../contract-case.ts";
import { empty, errors, secret, TIME, written } from "../replies.ts";

const MISMATCH = errors(400, "check-and-set parameter did not match the current version");
const NO_DATA = errors(400, "no data provided");
const cas = (path: string, value: unknown) =>
  post(path, { data: { k: 1 }, options: { cas: value } });
const notObject = (field: string, where: string, type: string) =>
  errors(
    400,
    `error converting input for field "${field}": '${where}' expected type 'map[string]interface {}', got unconvertible type '${type}'`,
  );

/** Writing data, with check-and-set and with patches. */
export const kvWriteCases: readonly ContractCase[] = [
  inOrder("PUT writes as POST does, and versions count up", [
    [{ method: "PUT", path: "secret/data/write/put", body: { data: { k: 1 } } }, written({})],
    [post("secret/data/write/put", { data: { k: 2 } }), written({ version: 2 })],
  ]),
  inOrder("cas 0 writes only a secret that does not exist", [
    [cas("secret/data/write/cas0", 0), written({})],
    [cas("secret/data/write/cas0", 0), MISMATCH],
  ]),
  inOrder("cas must be the current version, as a number or its digits", [
    [cas("secret/data/write/cas", 1), MISMATCH],
    [cas("secret/data/write/cas", null), written({})],
    [cas("secret/data/write/cas", 1), written({ version: 2 })],
    [cas("secret/data/write/cas", "2"), written({ version: 3 })],
    [cas("secret/data/write/cas", 2), MISMATCH],
    [cas("secret/data/write/cas", -1), MISMATCH],
  ]),
  oneRequest(
    "a cas that is not an integer is 400",
    cas("secret/data/write/x", 1.5),
    errors(400, "error parsing check-and-set parameter"),
  ),
  oneRequest(
    "a cas that is a word is 400",
    cas("secret/data/write/x", "x"),
    errors(400, "error parsing check-and-set parameter"),
  ),
  oneRequest("fields outside of data are refused", post("secret/data/write/x", { k: 1 }), NO_DATA),
  oneRequest("an empty object is refused", post("secret/data/write/x", {}), NO_DATA),
  oneRequest("no body is refused", post("secret/data/write/x"), NO_DATA),
  oneRequest("null is refused", post("secret/data/write/x", "null"), NO_DATA),
  oneRequest(
    "data that is a text is refused",
    post("secret/data/write/x", { data: "x" }),
    notObject("data", "", "string"),
  ),
  oneRequest(
    "data that is a number is refused",
    post("secret/data/write/x", { data: 5 }),
    notObject("data", "", "json.Number"),
  ),
  oneRequest(
    "data that is a list is refused",
    post("secret/data/write/x", { data: [1] }),
    notObject("data", "[0]", "json.Number"),
  ),
  oneRequest(
    "options that are a text are refused",
    post("secret/data/write/x", { data: {}, options: "x" }),
    notObject("options", "", "string"),
  ),
  inOrder("data may be empty, and null", [
    [post("secret/data/write/empty", { data: {} }), written({})],
    [get("secret/data/write/empty"), secret({}, {})],
    [post("secret/data/write/empty", { data: null }), written({ version: 2 })],
    [get("secret/data/write/empty"), secret(null, { version: 2 })],
  ]),
  ...["secret/data/", "secret/data/write/folder/"].map((path) =>
    oneRequest(
      `a write to a folder is refused: ${path}`,
      post(path, { data: {} }),
      errors(400, "cannot write to a path ending in '/'"),
    ),
  ),
  inOrder("a deleted secret can be written again", [
    [post("secret/data/write/again", { data: { k: 1 } }), written({})],
    [remove("secret/data/write/again"), empty(204)],
    [post("secret/data/write/again", { data: { k: 2 } }), written({ version: 2 })],
    [get("secret/data/write/again"), secret({ k: 2 }, { version: 2 })],
  ]),
  oneRequest(
    "deleting a secret that does not exist is 204",
    remove("secret/data/write/none"),
    empty(204),
  ),
  inOrder("a patch merges, and null takes away", [
    [post("secret/data/write/patch", { data: { a: 1, b: { c: 1 } } }), written({})],
    [
      patch("secret/data/write/patch", { data: { a: null, b: { d: 2 }, e: 3 } }),
      written({ version: 2 }),
    ],
    [get("secret/data/write/patch"), secret({ b: { c: 1, d: 2 }, e: 3 }, { version: 2 })],
    [patch("secret/data/write/patch", { data: {}, options: { cas: 1 } }), MISMATCH],
    [patch("secret/data/write/patch", {}), NO_DATA],
  ]),
  oneRequest(
    "a patch of nothing is 404 without a body",
    patch("secret/data/write/none", { data: { k: 1 } }),
    empty(404),
  ),
  inOrder("a patch of a deleted secret is 404 with its metadata", [
    [post("secret/data/write/patch-deleted", { data: { k: 1 } }), written({})],
    [remove("secret/data/write/patch-deleted"), empty(204)],
    [
      patch("secret/data/write/patch-deleted", { data: { k: 2 } }),
      { status: 404, body: { ...bodyOf(written({ deletion_time: TIME })) } },
    ],
  ]),
  oneRequest(
    "a patch without a content type is 400",
    { method: "PATCH", path: "secret/data/write/x", body: { data: {} } },
    errors(400, "mime: no media type"),
  ),
  oneRequest(
    "a patch of another kind is 415",
    {
      method: "PATCH",
      path: "secret/data/write/x",
      body: { data: {} },
      headers: { "Content-Type": "application/json" },
    },
    errors(
      415,
      "PATCH requires Content-Type of application/merge-patch+json, provided application/json",
    ),
  ),
  inOrder("499 texts under 499 names fit, 500 are too many", [
    [post("secret/data/write/many", { data: texts(499) }), written({})],
    [
      post("secret/data/write/many", { data: texts(500) }),
      errors(400, "refused JSON input due to high complexity: exceeded maximum number of strings"),
    ],
  ]),
];

function texts(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));
}

function bodyOf(reply: { readonly body: unknown }): object {
  return typeof reply.body === "object" && reply.body !== null ? reply.body : {};
}
