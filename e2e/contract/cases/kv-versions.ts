import { get, post, remove } from "../asks.ts";
import { type ContractCase, inOrder, oneRequest } from "../contract-case.ts";
import { empty, errors, MISSING, secret, TIME, UNSUPPORTED, written } from "../replies.ts";

const DONE = empty(204);

/** Deleting, undeleting and destroying versions. */
export const kvVersionCases: readonly ContractCase[] = [
  inOrder("deleted versions come back by undelete", [
    [post("secret/data/versions/a", { data: { k: 1 } }), written({})],
    [post("secret/data/versions/a", { data: { k: 2 } }), written({ version: 2 })],
    [post("secret/delete/versions/a", { versions: [1] }), DONE],
    [get("secret/data/versions/a?version=1"), secret(null, { deletion_time: TIME }, 404)],
    [get("secret/data/versions/a"), secret({ k: 2 }, { version: 2 })],
    [post("secret/undelete/versions/a", { versions: [1, 9] }), DONE],
    [get("secret/data/versions/a?version=1"), secret({ k: 1 }, {})],
  ]),
  inOrder("versions may be digits in one text, and PUT does as POST", [
    [post("secret/data/versions/b", { data: { k: 1 } }), written({})],
    [remove("secret/data/versions/b"), DONE],
    [{ method: "PUT", path: "secret/undelete/versions/b", body: { versions: "1,2" } }, DONE],
    [get("secret/data/versions/b"), secret({ k: 1 }, {})],
  ]),
  inOrder("destroyed versions never come back", [
    [post("secret/data/versions/c", { data: { k: 1 } }), written({})],
    [post("secret/destroy/versions/c", { versions: [1] }), DONE],
    [get("secret/data/versions/c"), secret(null, { destroyed: true }, 404)],
    [post("secret/undelete/versions/c", { versions: [1] }), DONE],
    [get("secret/data/versions/c"), secret(null, { destroyed: true }, 404)],
  ]),
  ...(["delete", "undelete", "destroy"] as const).flatMap((action) => [
    oneRequest(
      `${action} of a secret that does not exist is 204`,
      post(`secret/${action}/versions/none`, { versions: [1] }),
      DONE,
    ),
    oneRequest(
      `${action} without versions is 400`,
      post(`secret/${action}/versions/none`, {}),
      errors(400, `${action === "destroy" ? "no" : "No"} version number provided`),
    ),
    oneRequest(`${action} cannot be read`, get(`secret/${action}/versions/none`), UNSUPPORTED),
    oneRequest(
      `${action} of a version that is not a number is 400`,
      post(`secret/${action}/versions/none`, { versions: ["x"] }),
      errors(
        400,
        'Field validation failed: error converting input for field "versions": decoding failed ' +
          "due to the following error(s):\n\n'[0]' cannot parse value as 'int': " +
          "strconv.ParseInt: invalid syntax",
      ),
    ),
  ]),
  inOrder("only the newest ten versions are kept", [
    ...Array.from(
      { length: 11 },
      (_, index) =>
        [
          post("secret/data/versions/many", { data: { k: index + 1 } }),
          written({ version: index + 1 }),
        ] as const,
    ),
    [get("secret/data/versions/many?version=1"), MISSING],
    [get("secret/data/versions/many?version=2"), secret({ k: 2 }, { version: 2 })],
  ]),
];
