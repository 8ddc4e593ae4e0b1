import {
  closeDescriptor,
  openProcess,
  parentPid,
  processId,
  SIGTERM,
  SyscallError,
  sendSignal,
  setParentDeathSignal,
} from "@svc/kernel";
import { runtime } from "../engine/runtime.ts";
import type { Logger } from "../log.ts";

/**
 * Counts the end of the process that started the wrapper as a SIGTERM: the program ends as it
 * always does, and nothing is left of both (docs/decisions/0058).
 *
 * A pidfd becomes readable when the whole process has ended. PR_SET_PDEATHSIG(2const) tells the end
 * of the thread that forked, which may be one of many: it is taken if there is no pidfd (Linux
 * 5.3).
 */
export function endWithParent(log: Logger, parent: number): void {
  let watch: Disposable | undefined;
  // The watch calls it now and then for nothing.
  const check = () => {
    if (parentPid() === parent) return;
    watch?.[Symbol.dispose]();
    log.info("the wrapper's parent has ended (--end-with-parent): the wrapper ends as by SIGTERM", {
      parent,
    });
    sendSignal(processId(), SIGTERM);
  };
  watch = watchProcess(parent, check);
  if (watch === undefined) setParentDeathSignal(SIGTERM);
  // It may have ended before it was watched.
  check();
}

function watchProcess(pid: number, onNews: () => void): Disposable | undefined {
  try {
    const fd = openProcess(pid);
    const watch = runtime.watchReadable(fd, onNews);
    return {
      [Symbol.dispose]: () => {
        watch[Symbol.dispose]();
        closeDescriptor(fd);
      },
    };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return undefined;
  }
}
