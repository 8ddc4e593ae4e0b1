import {
  foregroundGroup,
  processGroup,
  processId,
  SIGCONT,
  SIGSTOP,
  sendSignal,
  setForegroundGroup,
} from "@svc/kernel";

/** The controlling terminal while the program has it. */
export interface TerminalControl {
  /** The program's group stopped: the shell's job stops with it. */
  onStopped(): void;
  /** The shell has continued the job. Returns whether the program's group has SIGCONT now. */
  onContinued(): boolean;
  /** The program has ended: the terminal goes back to the wrapper's group. */
  release(): void;
}

const noTerminal: TerminalControl = {
  onStopped: () => undefined,
  onContinued: () => false,
  release: () => undefined,
};

/**
 * Gives the terminal to the program's group if the wrapper's had it, as a shell does for a job.
 * Then Ctrl-C reaches the program once, from the terminal, and the wrapper has nothing to forward.
 */
export function giveTerminal(programGroup: number): TerminalControl {
  const ours = processGroup();
  const fd = [0, 1, 2].find((candidate) => foregroundGroup(candidate) === ours);
  if (fd === undefined) return noTerminal;
  setForegroundGroup(fd, programGroup);
  return {
    onStopped: () => {
      // PID 1 has no shell behind it that could continue it.
      if (processId() === 1) return;
      setForegroundGroup(fd, ours);
      // The whole group, as the terminal would have: the shell waits until all of its job stopped.
      sendSignal(0, SIGSTOP);
    },
    onContinued: () => {
      if (foregroundGroup(fd) === ours) setForegroundGroup(fd, programGroup);
      return sendSignal(-programGroup, SIGCONT);
    },
    release: () => {
      if (foregroundGroup(fd) === programGroup) setForegroundGroup(fd, ours);
    },
  };
}
