import { get, post, remove } from "../asks.ts";
import { type ContractCase, inOrder, oneRequest } from "../contract-case.ts";
import { empty, envelope, errors, MISSING, secret, TIME, written } from "../replies.ts";

const DONE = empty(204);
const version = (more: object = {}) => ({
  created_time: TIME,
  deletion_time: "",
  destroyed: false,
  ...more,
});
const metadata = (more: object) =>
  envelope({
    data: {
      cas_required: false,
      created_time: TIME,
      current_metadata_version: 0,
      current_version: 1,
      custom_metadata: null,
      delete_version_after: "0s",
      max_versions: 0,
      metadata_cas_required: false,
      oldest_version: 0,
      updated_time: TIME,
      versions: { 1: version() },
      ...more,
    },
  });
const keys = (...names: readonly string[]) => envelope({ data: { keys: names } });
const config = (more: object) =>
  envelope({
    data: {
      cas_required: false,
      delete_version_after: "0s",
      max_versions: 0,
      metadata_cas_required: false,
      ...more,
    },
  });

/** Metadata, lists and the settings of the mount. */
export const kvMetadataCases: readonly ContractCase[] = [
  oneRequest("metadata of a missing secret is 404", get("secret/metadata/none"), MISSING),
  inOrder("metadata shows every version", [
    [post("secret/data/meta/a", { data: {} }), written({})],
    [get("secret/metadata/meta/a"), metadata({})],
    [post("secret/data/meta/a", { data: {} }), written({ version: 2 })],
    [post("secret/delete/meta/a", { versions: [1] }), DONE],
    [post("secret/destroy/meta/a", { versions: [2] }), DONE],
    [
      get("secret/metadata/meta/a"),
      metadata({
        current_version: 2,
        versions: { 1: version({ deletion_time: TIME }), 2: version({ destroyed: true }) },
      }),
    ],
  ]),
  inOrder("settings of a secret hold for its next versions", [
    [post("secret/data/meta/b", { data: {} }), written({})],
    [
      post("secret/metadata/meta/b", {
        max_versions: 1,
        cas_required: true,
        delete_version_after: "90m",
        custom_metadata: { owner: "team", count: 1 },
      }),
      DONE,
    ],
    [
      post("secret/data/meta/b", { data: {} }),
      errors(400, "check-and-set parameter required for this call"),
    ],
    [
      post("secret/data/meta/b", { data: { k: 1 }, options: { cas: 1 } }),
      written({
        version: 2,
        custom_metadata: { owner: "team", count: "1" },
        deletion_time: TIME,
      }),
    ],
    [
      get("secret/metadata/meta/b"),
      metadata({
        cas_required: true,
        current_metadata_version: 1,
        current_version: 2,
        custom_metadata: { owner: "team", count: "1" },
        delete_version_after: "1h30m0s",
        max_versions: 1,
        oldest_version: 2,
        versions: { 2: version({ deletion_time: TIME }) },
      }),
    ],
    [
      get("secret/data/meta/b"),
      secret(
        { k: 1 },
        { version: 2, custom_metadata: { owner: "team", count: "1" }, deletion_time: TIME },
      ),
    ],
  ]),
  inOrder("metadata may come before the first version", [
    [post("secret/metadata/meta/c", { max_versions: 3 }), DONE],
    [
      get("secret/metadata/meta/c"),
      metadata({ current_metadata_version: 1, current_version: 0, max_versions: 3, versions: {} }),
    ],
    [get("secret/data/meta/c"), MISSING],
  ]),
  inOrder("an empty metadata write creates nothing", [
    [post("secret/metadata/meta/d", {}), DONE],
    [get("secret/metadata/meta/d"), MISSING],
  ]),
  oneRequest(
    "max_versions that is not a number is 400",
    post("secret/metadata/meta/x", { max_versions: "x" }),
    errors(
      400,
      `error converting input for field "max_versions": '' cannot parse value as 'int': strconv.ParseInt: invalid syntax`,
    ),
  ),
  oneRequest(
    "delete_version_after that is not a duration is 400",
    post("secret/metadata/meta/x", { delete_version_after: "soon" }),
    errors(
      400,
      'error converting input for field "delete_version_after": time: invalid duration "soon"',
    ),
  ),
  oneRequest(
    "metadata of a folder cannot be written",
    post("secret/metadata/meta/", {}),
    errors(400, "cannot write to a path ending in '/'"),
  ),
  inOrder("deleting metadata deletes every version", [
    [post("secret/data/meta/e", { data: {} }), written({})],
    [remove("secret/metadata/meta/e"), DONE],
    [get("secret/data/meta/e"), MISSING],
    [get("secret/metadata/meta/e"), MISSING],
    [remove("secret/metadata/meta/e"), DONE],
    [post("secret/data/meta/e", { data: {} }), written({})],
  ]),
  inOrder("a list shows one level, folders with a slash, deleted secrets too", [
    [post("secret/data/list/b", { data: {} }), written({})],
    [post("secret/data/list/a/deep/er", { data: {} }), written({})],
    [post("secret/data/list/a", { data: {} }), written({})],
    [remove("secret/data/list/b"), DONE],
    [get("secret/metadata/list?list=true"), keys("a", "a/", "b")],
    [get("secret/metadata/list/?list=true"), keys("a", "a/", "b")],
    [get("secret/metadata/list/a?list=true"), keys("deep/")],
    [get("secret/metadata/list/a/deep/er?list=true"), MISSING],
  ]),
  oneRequest("a list of nothing is 404", get("secret/metadata/nothing?list=true"), MISSING),
  oneRequest("list=false is a read", get("secret/metadata/?list=false"), MISSING),
  oneRequest("list=x is 400", get("secret/metadata/?list=x"), errors(400)),
  oneRequest(
    "data cannot be listed",
    get("secret/data/?list=true"),
    errors(405, "1 error occurred:\n\t* unsupported operation\n\n"),
  ),
  inOrder("settings of the mount hold for its secrets", [
    [get("secret/config"), config({})],
    [post("secret/config", { max_versions: 1, cas_required: true }), DONE],
    [get("secret/config"), config({ max_versions: 1, cas_required: true })],
    [
      post("secret/data/meta/f", { data: {} }),
      errors(400, "check-and-set parameter required for this call"),
    ],
    [post("secret/data/meta/f", { data: {}, options: { cas: 0 } }), written({})],
    [post("secret/data/meta/f", { data: {}, options: { cas: 1 } }), written({ version: 2 })],
    [get("secret/data/meta/f?version=1"), MISSING],
    [post("secret/config", { delete_version_after: "1h" }), DONE],
    [
      post("secret/data/meta/f", { data: {}, options: { cas: 2 } }),
      written({ version: 3, deletion_time: TIME }),
    ],
    [
      post("secret/config", { max_versions: 0, cas_required: false, delete_version_after: 0 }),
      DONE,
    ],
    [get("secret/config"), config({})],
  ]),
];
