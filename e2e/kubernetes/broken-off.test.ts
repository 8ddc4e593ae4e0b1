import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  BootstrapError,
  noEncryption,
  obtainKeys,
  parsePhase,
  RESERVATION_LIFE_MS,
  type SecretClient,
} from "@svc/bootstrap";
import { askKubernetes, type Kubernetes, startKubernetes } from "@svc/testing";
import { makeAccount, NAMESPACE, OUTPUT, secretClient } from "../harness/kubernetes/key-keeper.ts";
import { type StandInStore, shamir, standInStore } from "./stand-in-store.ts";

const TIMEOUT_MS = 240_000;
const keeping = { deadlineMs: 2000, intervalMs: 10 };
const started = new AsyncDisposableStack();
let kube: Kubernetes;
let secret: SecretClient;

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  await makeAccount(kube, "svc-init");
  secret = await secretClient({ kind: "kubeconfig", paths: [kube.kubeconfig] });
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
beforeEach(async () => {
  const path = `/api/v1/namespaces/${NAMESPACE}/secrets/${OUTPUT}`;
  await askKubernetes(kube, { method: "DELETE", path });
});

/**
 * The requests of a run, in order: look, reserve, look, try, announce, initialise, look, store,
 * look.
 */
const steps = [
  ...["read", "create", "read", "rehearse", "besideName", "replace"],
  ...["initialise", "read", "replace", "read"],
];
const INITIALISE = steps.indexOf("initialise");

/** Stands for a process that is killed: no part of a run may catch it. */
class Killed extends Error {}

type Accident = (act: () => Promise<unknown>, index: number) => Promise<unknown>;

/** The run's secret and store, in which each step goes through an accident. */
function through(store: StandInStore, accident: Accident) {
  const seen: string[] = [];
  const wrap = <A extends readonly unknown[], T>(
    name: string,
    act: (...words: A) => Promise<T>,
  ) => {
    return async (...words: A): Promise<T> => {
      seen.push(name);
      let result: { readonly value: T } | undefined;
      await accident(async () => {
        result = { value: await act(...words) };
      }, seen.length - 1);
      if (result === undefined) throw new TypeError(`${name}: the accident left no answer`);
      return result.value;
    };
  };
  const watched: SecretClient = {
    name: secret.name,
    read: wrap("read", secret.read),
    create: wrap("create", secret.create),
    replace: wrap("replace", secret.replace),
    rehearse: wrap("rehearse", secret.rehearse),
    besideName: wrap("besideName", secret.besideName),
    createBeside: wrap("createBeside", secret.createBeside),
  };
  return { secret: watched, initialise: wrap("initialise", store.initialise), seen };
}

function run(store: StandInStore, accident: Accident, holder = "run-1", now = Date.now) {
  const { standing, pod } = store;
  const { seen, ...broken } = through(store, accident);
  const encryption = noEncryption;
  const ended = obtainKeys({ ...broken, encryption, standing, pod, shamir, holder, keeping, now });
  return { ended, seen };
}

const none: Accident = (act) => act();

test("a run without accidents takes the steps that are broken off below", async () => {
  const { ended, seen } = run(standInStore(), none);
  await ended;
  expect(seen).toEqual(steps);
});

describe("killed", () => {
  for (const [index, step] of steps.entries()) {
    for (const moment of ["before", "after"] as const) {
      test(`${moment} step ${index + 1} (${step}), the next run finishes or says why not`, async () => {
        const store = standInStore();
        const accident: Accident = async (act, at) => {
          if (at === index && moment === "before") throw new Killed();
          await act();
          if (at === index) throw new Killed();
        };
        const killed: unknown = await run(store, accident).ended.catch((it: unknown) => it);
        expect(killed).toBeInstanceOf(Killed);
        const later = () => Date.now() + RESERVATION_LIFE_MS + 1000;
        const again = await run(store, none, "run-2", later).ended.catch((it: unknown) => it);
        expect(store.times()).toBe(1);
        // Keys that were lost between the store's answer and the Secret: only a reset, if asked
        // for, gets over it.
        const gap =
          (index === INITIALISE && moment === "after") ||
          index === INITIALISE + 1 ||
          (index === INITIALISE + 2 && moment === "before");
        if (gap) {
          expect(again).toBeInstanceOf(BootstrapError);
          expect(again).toMatchObject({ code: "OUTPUT_UNFINISHED" });
        } else {
          expect(again).toMatchObject({ outcome: index <= INITIALISE ? "created" : "unchanged" });
          expect(parsePhase(await secret.read()).phase).toBe("initialised");
        }
      });
    }
  }
});

describe("without an answer", () => {
  for (const [index, step] of steps.entries()) {
    if (step === "initialise") continue;
    for (const what of ["request", "answer"] as const) {
      test(`the ${what} of step ${index + 1} (${step}) is lost, and the run finishes`, async () => {
        const store = standInStore();
        const accident: Accident = async (act, at) => {
          if (at !== index) return act();
          if (what === "answer") await act();
          throw new BootstrapError("KUBERNETES_UNREACHABLE", "lost");
        };
        expect((await run(store, accident).ended).outcome).toBe("created");
        expect(store.times()).toBe(1);
        expect(parsePhase(await secret.read()).phase).toBe("initialised");
      });
    }
  }
});
