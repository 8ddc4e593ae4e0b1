import { AGENT_TOKEN_PATH } from "../world/secrets.ts";
import { changed, type Stories } from "./story.ts";

const agent = { isRequired: false, refuses: "none", outages: [], slowestMs: 20 } as const;

/** Stories about the kernel agent. */
export const agentStories: Stories = {
  "an agent that has the program": {
    login: { kind: "file" },
    agent: { ...agent, isRequired: true },
  },
  "an agent, and a program that may not be executed": {
    login: { kind: "file" },
    agent: { ...agent, isRequired: true },
    refusals: [{ call: "execve", error: "EACCES" }],
    loose: /another tier/,
  },
  "an agent that refuses the program": {
    login: { kind: "file" },
    agent: { ...agent, refuses: "programs" },
  },
  "an agent that has to have the program, and refuses it": {
    login: { kind: "file" },
    agent: { ...agent, refuses: "programs", isRequired: true },
    loose: /another tier/,
  },
  "an agent that refuses the wrapper": {
    login: { kind: "file" },
    agent: { ...agent, refuses: "streams" },
  },
  "an agent that is away at first": {
    login: { kind: "file" },
    agent: { ...agent, outages: [{ fromMs: 0, toMs: 6000 }] },
    loose: /score 15|missing points/,
  },
  "an agent that goes away and comes back": {
    login: { kind: "file" },
    agent: { ...agent, outages: [{ fromMs: 4000, toMs: 7000 }] },
    loose: /score 15|missing points/,
  },
  "an agent that is gone when the program is to be replaced": {
    login: { kind: "file" },
    settings: { SVC_START_DEADLINE: "4s" },
    agent: { ...agent, isRequired: true, outages: [{ fromMs: 5000, toMs: 90_000 }] },
    actions: [{ kind: "change", atMs: 3000 }],
    stopAtMs: 18_000,
  },
  "a rotation beside an agent": {
    login: { kind: "file" },
    agent: { ...agent, isRequired: true },
    actions: [changed],
  },
  "an agent that refuses the next program": {
    login: { kind: "file" },
    agent: { ...agent, isRequired: true, refuses: "later programs" },
    actions: [changed],
    stopAtMs: 18_000,
  },
  // The first requests wait until 4 s, and the agent has gone before.
  "an agent that leaves between the registration and the start": {
    login: { kind: "file" },
    settings: { VAULT_CLIENT_TIMEOUT: "4s" },
    outages: [{ fromMs: 0, toMs: 2000, part: 1, kind: "silent" }],
    agent: { ...agent, isRequired: true, outages: [{ fromMs: 2000, toMs: 9000 }] },
    stopAtMs: 26_000,
    loose: /score 15|missing points|checks_total|the secrets were checked/,
  },
  "an agent over the network": {
    login: { kind: "file" },
    agent,
    settings: {
      SVC_EBPF_AGENT_ADDR: "",
      SVC_EBPF_NODE_IP: "10.0.0.1",
      SVC_EBPF_AGENT_TOKEN_FILE: AGENT_TOKEN_PATH,
      SVC_EBPF_AGENT_SERVER_NAME: "svc-agent",
      SVC_POD_UID: "5d5a3a36-7f6e-4f5c-9a55-0b6d5c2d9e11",
      SVC_POD_NAME: "web-1",
    },
  },
  "an agent that is slow": {
    login: { kind: "file" },
    agent: { ...agent, fastestMs: 3000, slowestMs: 3001 },
    loose: /another tier|score 15|missing points|is being registered/,
  },
  "an agent that is slow, and only detects": {
    login: { kind: "file" },
    agent: { ...agent, fastestMs: 3000, slowestMs: 3001, keepsTier: true },
    loose: /is being registered/,
  },
  "an agent that is always away": {
    login: { kind: "file" },
    settings: { SVC_START_DEADLINE: "5s" },
    agent: { ...agent, isRequired: true, outages: [{ fromMs: 0, toMs: 90_000 }] },
  },
};
