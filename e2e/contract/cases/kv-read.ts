import { get, post, remove } from "../asks.ts";
import { type ContractCase, inOrder, oneRequest } from "../contract-case.ts";
import { envelope, errors, MISSING, secret, TIME, written } from "../replies.ts";

const TYPES = {
  text: "line 1\nline 2 é \u2028 <&> \u0000",
  number: 1.5,
  yes: true,
  nothing: null,
  list: [1, "two", null],
  nested: { b: { c: 1 }, a: [] },
};

const NO_NUMBER = errors(
  400,
  'Field validation failed: error converting input for field "version": ' +
    "'' cannot parse value as 'int': strconv.ParseInt: invalid syntax",
);

const KV1_HINT = (verb: string): string =>
  "Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API " +
  `endpoints to use. If using the OpenBao CLI, use 'bao kv ${verb}' for this operation.`;
const ROOT_HINT = "Non-listing operations on the root of a K/V v2 mount are not supported.";

/** Reading data. */
export const kvReadCases: readonly ContractCase[] = [
  oneRequest(
    "a missing secret is 404 with an empty list of errors",
    get("secret/data/none"),
    MISSING,
  ),
  inOrder("values keep their JSON types", [
    [post("secret/data/read/types", { data: TYPES }), written({})],
    [get("secret/data/read/types"), secret(TYPES, {})],
  ]),
  inOrder("integers beyond 2^53 lose their last digits", [
    [post("secret/data/read/big", '{"data":{"n":12345678901234567890}}'), written({})],
    [get("secret/data/read/big"), secret({ n: 12345678901234567000 }, {})],
  ]),
  inOrder("a chosen version is read", [
    [post("secret/data/read/two", { data: { k: 1 } }), written({})],
    [post("secret/data/read/two", { data: { k: 2 } }), written({ version: 2 })],
    [get("secret/data/read/two?version=1"), secret({ k: 1 }, {})],
    [get("secret/data/read/two?version=2"), secret({ k: 2 }, { version: 2 })],
  ]),
  inOrder("version 0, an empty one and a negative one mean the current one", [
    [post("secret/data/read/current", { data: { k: 1 } }), written({})],
    [get("secret/data/read/current?version=0"), secret({ k: 1 }, {})],
    [get("secret/data/read/current?version="), secret({ k: 1 }, {})],
    [get("secret/data/read/current?version=-1"), secret({ k: 1 }, {})],
  ]),
  inOrder("a version that never was is 404, one that is not a number 400", [
    [post("secret/data/read/versions", { data: {} }), written({})],
    [get("secret/data/read/versions?version=9"), MISSING],
    [get("secret/data/read/versions?version=x"), NO_NUMBER],
  ]),
  inOrder("a deleted secret is 404 with its metadata", [
    [post("secret/data/read/deleted", { data: { k: 1 } }), written({})],
    [remove("secret/data/read/deleted"), { status: 204, body: null }],
    [get("secret/data/read/deleted"), secret(null, { deletion_time: TIME }, 404)],
  ]),
  inOrder("a path with blanks and other letters is one path", [
    [post("secret/data/read/a%20b%C3%A9", { data: { k: 1 } }), written({})],
    [get("secret/data/read/a%20b%C3%A9"), secret({ k: 1 }, {})],
  ]),
  ...(["read/v1", "a"] as const).map((path) =>
    oneRequest(
      `a path without data/ is 404 with a hint: ${path}`,
      get(`secret/${path}`),
      envelope({ warnings: [KV1_HINT("get")] }, 404),
    ),
  ),
  oneRequest(
    "a write without data/ is 404 with a hint",
    post("secret/a", { k: 1 }),
    envelope({ warnings: [KV1_HINT("put")] }, 404),
  ),
  oneRequest(
    "a delete without data/ is 404 with a hint",
    remove("secret/a"),
    envelope({ warnings: [KV1_HINT("delete")] }, 404),
  ),
  oneRequest(
    "data alone is 404 with a hint",
    get("secret/data"),
    envelope({ warnings: [ROOT_HINT] }, 404),
  ),
  oneRequest(
    "metadata alone is 404 with a hint",
    get("secret/metadata"),
    envelope({ warnings: [ROOT_HINT] }, 404),
  ),
  oneRequest("the empty name is 404", get("secret/data/"), MISSING),
  oneRequest(
    "a path without a mount is 404 and says so",
    get("nowhere/data/a"),
    errors(404, 'no handler for route "nowhere/data/a". route entry not found.'),
  ),
  oneRequest("a double slash is redirected to the clean path", get("secret/data//a"), {
    status: 307,
    body: '<a href="/v1/secret/data/a">Temporary Redirect</a>.\n\n',
  }),
];
