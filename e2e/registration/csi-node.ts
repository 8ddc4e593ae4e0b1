import { chmodSync, cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDriver, prepareDriver } from "@svc/agent";
import { publishVolume } from "@svc/agent/testdata";
import { temporaryFolder } from "@svc/testing";
import { startRecordingAgent } from "../harness/agent/registration-stage.ts";

const DRIVER = "csi.svc.internal";
const bundle = join(import.meta.dirname, "../../dist/bundle/opt/svc");

/** An agent's CSI driver, and a kubelet's folder for it. */
export interface CsiNode extends AsyncDisposable {
  /**
   * Publishes a pod's volume as the kubelet does, with a token or without one; returns its folder.
   */
  readonly publish: (podUid: string, token?: string) => Promise<string>;
  /** Ends the agent, and starts another one. */
  readonly restart: () => Promise<void>;
  /** The agent's log and audit trail. */
  readonly told: () => string;
}

/** Starts one that gives tokens for the audience `vault`. */
export async function startCsiNode(): Promise<CsiNode> {
  const folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const kubelet = join(folder.path, "k");
  mkdirSync(join(kubelet, "plugins_registry"), { recursive: true });
  const wrapperSocket = prepareDriver(kubelet);
  cpSync(bundle, join(kubelet, "plugins", DRIVER, "incoming"), { recursive: true });
  const lines: string[] = [];
  const say = (...words: readonly unknown[]) => void lines.push(JSON.stringify(words));
  const start = async () => {
    const registrations = await startRecordingAgent({ path: wrapperSocket });
    const stop = await openDriver({
      settings: { csiKubeletFolder: kubelet, csiTokenAudience: "vault" },
      ...{ node: "node-1", log: say, reporter: { reportOwn: say } },
    });
    return async () => {
      await stop();
      await registrations.stop();
    };
  };
  let stop = await start();
  const socket = join(kubelet, "plugins", DRIVER, "csi.sock");
  return {
    publish: (podUid, token) => publish({ folder: folder.path, kubelet, socket }, podUid, token),
    restart: async () => {
      await stop();
      stop = await start();
    },
    told: () => lines.join("\n"),
    [Symbol.asyncDispose]: async () => {
      await stop();
      folder[Symbol.dispose]();
    },
  };
}

interface Place {
  readonly folder: string;
  readonly kubelet: string;
  readonly socket: string;
}

async function publish(
  { folder, kubelet, socket }: Place,
  podUid: string,
  token: string | undefined,
): Promise<string> {
  const volume = join(kubelet, "pods", podUid, "volumes/kubernetes.io~csi/svc-bundle");
  mkdirSync(volume, { recursive: true });
  writeFileSync(join(volume, "vol_data.json"), JSON.stringify({ driverName: DRIVER }));
  await publishVolume(socket, { podUid, target: join(volume, "mount"), token });
  // The path of a socket has 107 bytes at most.
  const short = join(folder, podUid.slice(0, 8));
  symlinkSync(join(volume, "mount"), `${short}.new`);
  renameSync(`${short}.new`, short);
  return short;
}
