import { expect } from "bun:test";
import { as, get, having, post } from "../asks.ts";
import { type ContractCase, expectReply, inOrder, oneRequest } from "../contract-case.ts";
import { empty, errors, secret, written } from "../replies.ts";
import { send } from "../server.ts";

const PATH = "secret/data/bad";
const NOT_JSON = errors(400, expect.stringMatching(/^failed to decode JSON input: /));

/** Bodies that are not JSON object: only the beginning of the text is part of the contract. */
const BODIES: readonly (readonly [name: string, body: string])[] = [
  ["half an object", '{"data":{"k":"v"'],
  ["a word", "nonsense"],
  ["a bare word in an object", '{"data":nope}'],
  ["a comma too many", '{"data":{"k":1},}'],
  ["text after the end", '{"data":{"k":1}} more'],
];

/** Bodies of another kind, whose whole text clients see. */
const KINDS: readonly (readonly [kind: string, body: string])[] = [
  ["array", "[1]"],
  ["string", '"x"'],
  ["bool", "true"],
];

/** Methods and bodies that no client should send. */
export const badRequestCases: readonly ContractCase[] = [
  ...BODIES.map(([name, body]) =>
    oneRequest(`a body that is ${name} is 400`, post(PATH, body), NOT_JSON),
  ),
  ...KINDS.map(([kind, body]) =>
    oneRequest(
      `a body that is of kind ${kind} is 400`,
      post(PATH, body),
      errors(
        400,
        `failed to decode JSON input: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
      ),
    ),
  ),
  oneRequest(
    "a number that is too large is 400",
    post(PATH, '{"data":{"k":1e400}}'),
    errors(
      400,
      "failed to decode JSON input: json: cannot unmarshal number 1e400 into Go value of type float64",
    ),
  ),
  oneRequest("a bad body without a token is 400 too", as(null, post(PATH, "{")), NOT_JSON),
  inOrder("the content type does not matter for JSON", [
    [
      having({ "Content-Type": "text/plain" }, post("secret/data/typed", { data: { k: 1 } })),
      written({}),
    ],
    [
      having(
        { "Content-Type": "application/x-www-form-urlencoded" },
        post("secret/data/typed", { data: { k: 2 } }),
      ),
      written({ version: 2 }),
    ],
    [get("secret/data/typed"), secret({ k: 2 }, { version: 2 })],
  ]),
  oneRequest(
    "a form has no data object",
    having({ "Content-Type": "application/x-www-form-urlencoded" }, post(PATH, "k=v")),
    errors(400, "no data provided"),
  ),
  oneRequest("HEAD of a secret is 405", { method: "HEAD", path: PATH }, empty(405)),
  oneRequest(
    "OPTIONS is 400",
    { method: "OPTIONS", path: PATH },
    errors(400, "cannot handle internal-only request operation"),
  ),
  oneRequest(
    "an unknown path below sys is 404",
    get("sys/nothing"),
    errors(404, "1 error occurred:\n\t* unsupported path\n\n"),
  ),
  oneRequest(
    "an unknown path of the token store is 404",
    get("auth/token/nothing"),
    errors(404, "1 error occurred:\n\t* unsupported path\n\n"),
  ),
  {
    name: "a body of more than 32 MiB is 413",
    run: async (server) => {
      const wrapped = (length: number) => `{"data":{"k":"${"a".repeat(length - 17)}"}}`;
      const limit = 33_554_432;
      const fits = await send(server, post("secret/data/large", wrapped(limit)));
      expect(fits.status).toBe(200);
      const large = errors(413, "http: request body too large");
      await expectReply(server, post("secret/data/large", wrapped(limit + 1)), large);
    },
  },
  {
    name: "a path outside of /v1/ is 404",
    run: async (server) => {
      const response = await fetch(`${server.address}/v2/secret/data/a`);
      expect({ status: response.status, body: await response.json() }).toEqual(errors(404));
    },
  },
];
