import { as, get, post } from "../asks.ts";
import { type ContractCase, expectReply, oneRequest } from "../contract-case.ts";
import { makeToken } from "../make-token.ts";
import { envelope, errors, UNSUPPORTED } from "../replies.ts";
import { about, auth, CREATE, capped } from "../token-replies.ts";

/** A creation by the root token: the request, and the differences in the answer. */
const created = (
  name: string,
  wanted: object,
  more: object,
  warnings: unknown = null,
): ContractCase => oneRequest(name, post(CREATE, wanted), envelope({ auth: auth(more), warnings }));
const ROOT = { policies: ["root"], token_policies: ["root"] };

/** Making tokens. */
export const tokenCreationCases: readonly ContractCase[] = [
  created(
    "a token gets the policies it asks for and default",
    { policies: ["app"], ttl: "1h" },
    {},
  ),
  created("without policies a token gets its parent's", { ttl: 3600 }, ROOT),
  created(
    "a root token without ttl never expires",
    {},
    { ...ROOT, lease_duration: 0, renewable: false },
  ),
  created("seconds may be digits", { policies: ["app"], ttl: "10" }, { lease_duration: about(10) }),
  created(
    "without ttl a token lives 768 hours",
    { policies: ["app"] },
    { lease_duration: about(2_764_800) },
  ),
  created(
    "a ttl beyond the maximum is capped",
    { policies: ["app"], ttl: "1000h" },
    { lease_duration: about(2_764_800) },
    capped("1000h", "768h"),
  ),
  created(
    "an explicit maximum caps the ttl",
    { policies: ["app"], ttl: "1h", explicit_max_ttl: "90s" },
    { lease_duration: about(90) },
    capped("1h", "1m30s"),
  ),
  created(
    "default can be declined",
    { policies: ["app"], ttl: "1h", no_default_policy: true },
    { policies: ["app"], token_policies: ["app"] },
  ),
  created(
    "a policy that does not exist is warned of",
    { policies: ["no-such"], ttl: "1h" },
    { policies: ["default", "no-such"], token_policies: ["default", "no-such"] },
    ['Policy "no-such" does not exist'],
  ),
  created(
    "metadata and orphans",
    { policies: ["app"], ttl: "1h", meta: { a: "b" }, no_parent: true },
    { metadata: { a: "b" }, orphan: true },
  ),
  created(
    "the answer has the number of uses",
    { policies: ["app"], ttl: "1h", num_uses: 3 },
    { num_uses: 3 },
  ),
  created(
    "renewable can be declined",
    { policies: ["app"], ttl: "1h", renewable: false },
    { renewable: false },
  ),
  oneRequest(
    "a ttl that is not a duration is 400",
    post(CREATE, { ttl: "x" }),
    errors(400, 'time: invalid duration "x"'),
  ),
  oneRequest(
    "a negative ttl is 400",
    post(CREATE, { ttl: -1 }),
    errors(400, "ttl must be positive"),
  ),
  oneRequest(
    "a negative number of uses is 400",
    post(CREATE, { num_uses: -1 }),
    errors(400, "number of uses cannot be negative"),
  ),
  oneRequest(
    "a renewable that is not a boolean is 400",
    post(CREATE, { renewable: "maybe" }),
    errors(
      400,
      `Field validation failed: error converting input for field "renewable": '' cannot parse value as 'bool': strconv.ParseBool: invalid syntax`,
    ),
  ),
  oneRequest("creation cannot be read", get(CREATE), UNSUPPORTED),
  {
    name: "a child's policies are a subset of its parent's, and only root makes orphans",
    run: async (server) => {
      const maker = await makeToken(server, { policies: ["maker"], ttl: "1h" });
      const ask = (wanted: object) => as(maker, post(CREATE, wanted));
      const own = { policies: ["default", "maker"], token_policies: ["default", "maker"] };
      await expectReply(server, ask({ ttl: "1h" }), envelope({ auth: auth(own) }));
      const wider = errors(400, "child policies must be subset of parent");
      await expectReply(server, ask({ policies: ["app"] }), wider);
      const orphan = errors(400, "root or sudo privileges required to create orphan token");
      await expectReply(server, ask({ policies: ["maker"], no_parent: true }), orphan);
    },
  },
];
