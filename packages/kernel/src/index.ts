export { architecture, executablePath, exitProcess, onUncaught, processId } from "#native";
export { BpfMap } from "./bpf/bpf-map.ts";
export { type BpfLoadOptions, BpfObject } from "./bpf/bpf-object.ts";
export { BpfRing } from "./bpf/bpf-ring.ts";
export {
  type BpfRefusal,
  type LoadedPrograms,
  type LoadProgramsOptions,
  loadPrograms,
} from "./bpf/load-programs.ts";
export { measurePrograms, type ProgramRuns } from "./bpf/program-runs.ts";
export { type RecordVisitor, type RingMemory, walkRing } from "./bpf/walk-ring.ts";
export {
  descriptorLimit,
  descriptorsLeft,
  raiseDescriptorLimit,
} from "./descriptors/descriptor-limit.ts";
export {
  closeDescriptor,
  duplicateFrom,
  makePipe,
  type Pipe,
  type ReadResult,
  readDescriptor,
  setCloseOnExec,
  setNonBlocking,
  writeDescriptor,
  writeIfPossible,
} from "./descriptors/descriptors.ts";
export { pollEvents } from "./descriptors/poll-events.ts";
export { ReadableWait } from "./descriptors/readable-wait.ts";
export {
  foregroundGroup,
  hideInput,
  processGroup,
  setForegroundGroup,
} from "./descriptors/terminal.ts";
export { changeMode } from "./files/change-mode.ts";
export { copyFile } from "./files/copy-file.ts";
export { directoryNames, namesInFolder } from "./files/directory-names.ts";
export { sha256OfFile } from "./files/file-digest.ts";
export {
  type FileOwnership,
  fileOwnership,
  hasFileCapabilities,
  isMountedWithoutPrivileges,
  processStatus,
} from "./files/file-ownership.ts";
export { type FileSystemRoom, fileSystemRoom } from "./files/file-system-room.ts";
export { hasWriters } from "./files/file-writers.ts";
export {
  type DescriptorFacts,
  descriptorFacts,
  type FileKind,
  fileKind,
  fileStamp,
  isTerminal,
  openEmptied,
  openForReading,
  openRegularFile,
  readAt,
  readLink,
  readWholeDescriptor,
  readWholeFile,
  writeAt,
} from "./files/files.ts";
export { type FoundProgram, findProgram } from "./files/find-program.ts";
export { lockDescriptor, lockFile } from "./files/lock-file.ts";
export { makeFolder, makeFolders } from "./files/make-folder.ts";
export {
  changeFileMode,
  changeFileOwner,
  createFile,
  cutFile,
  isOnlyUser,
  makeLink,
  openForWriting,
  sealFile,
  takeRoom,
} from "./files/new-file.ts";
export {
  type FileLook,
  isInMemory,
  lookAtDescriptor,
  lookIn,
  openFileIn,
  openFolder,
  openFolderIn,
} from "./files/open-in-folder.ts";
export { openInRoot } from "./files/open-in-root.ts";
export { entryStatus, type PathKind, type PathStatus, pathStatus } from "./files/path-status.ts";
export { folderOf, pathIn } from "./files/paths.ts";
export { removeTree } from "./files/remove-tree.ts";
export { renamePath } from "./files/rename-path.ts";
export { makeTemporaryFolder } from "./files/temporary-folder.ts";
export { cString, type StringVector, stringVector } from "./libc/c-strings.ts";
export { ENOENT } from "./libc/errno.ts";
export { asSyscallError, SyscallError } from "./libc/syscall-error.ts";
export { type SystemCallTable, systemCallTable } from "./libc/system-call-numbers.ts";
export { UnsupportedFeatureError } from "./libc/unsupported-feature-error.ts";
export { giveMemoryBack } from "./memory/give-memory-back.ts";
export { lockAllMemory, memoryLockLimit } from "./memory/lock-memory.ts";
export { type Mapping, mapDescriptor } from "./memory/mapping.ts";
export {
  createPlainMemory,
  createScratchMemory,
  createSecretMemory,
  type MapOptions,
  mapSecretMemory,
  type SecretMemory,
  type SecretMemoryKind,
  sizeAndMap,
  withRoom,
} from "./memory/secret-memory.ts";
export {
  detachMount,
  type MemoryBounds,
  type MemoryFileSystem,
  mountFolder,
  mountMemory,
  takeOwnMounts,
} from "./mounts/own-mounts.ts";
export { actAs } from "./process/act-as.ts";
export { argumentSpace } from "./process/argument-space.ts";
export { argumentVector } from "./process/argument-vector.ts";
export { childStatus } from "./process/child-status.ts";
export { descendantsOf, ownChildren, ownDescendants } from "./process/descendants.ts";
export { effectiveUserId } from "./process/effective-user.ts";
export {
  copyValue,
  type EnvironmentEntry,
  environmentEntries,
  valueBytes,
  valueText,
  wipeEntry,
} from "./process/environment-block.ts";
export { environmentStart } from "./process/environment-start.ts";
export { execProgram } from "./process/exec-program.ts";
export { bootNanoseconds, monotonicNanoseconds } from "./process/kernel-clocks.ts";
export { monotonicMicroseconds } from "./process/monotonic-clock.ts";
export { openProcess } from "./process/open-process.ts";
export { pause } from "./process/pause.ts";
export { type ProcView, viewOfProc } from "./process/proc-view.ts";
export {
  adoptOrphans,
  allowDumps,
  forbidDumps,
  isDumpable,
  ownPid,
  parentPid,
  setParentDeathSignal,
  setProcessName,
  stopSelf,
} from "./process/process-controls.ts";
export { processLives, signalProcess } from "./process/process-lives.ts";
export { statField } from "./process/process-stat.ts";
export { type SpawnOptions, spawnProcess } from "./process/spawn-process.ts";
export {
  type ChildChange,
  nextChildChange,
  openChildSignals,
  type SoonOptions,
  type SoonStop,
  type TraceeStop,
  waitForStop,
  waitForStopSoon,
  waitForStopWithin,
} from "./process/wait-child.ts";
export { yieldProcessor } from "./process/yield-processor.ts";
export {
  SIGCHLD,
  SIGCONT,
  SIGHUP,
  SIGKILL,
  SIGPIPE,
  SIGSTOP,
  SIGTERM,
  SIGTRAP,
  SIGTTOU,
  SIGURG,
  SIGXFSZ,
} from "./signals/signal-numbers.ts";
export {
  blockedSignals,
  blockSignals,
  hearOfChildren,
  isIgnored,
  resetReservedSignal,
  type SignalSet,
  sendSignal,
  setBlockedSignals,
  setIgnored,
  signalSet,
} from "./signals/signals.ts";
export { connectAt } from "./sockets/connect-at.ts";
export { acceptConnection, listenAt } from "./sockets/listening-socket.ts";
export {
  makeSocketPair,
  type ReceivedMessage,
  receiveDescriptor,
  receiveMessage,
  type SocketPair,
  sendDescriptor,
  sendMessage,
} from "./sockets/pass-descriptor.ts";
export { sendDatagram } from "./sockets/send-datagram.ts";
export { type SocketPeer, socketPeer, socketPeerProcess } from "./sockets/socket-peer.ts";
export { type ExecFilterOptions, execFilter } from "./tracing/exec-filter.ts";
export { createExecPreparer, type ExecPreparer, type LeftOver } from "./tracing/exec-preparer.ts";
export { type ProcessMemory, processMemory } from "./tracing/process-memory.ts";
export {
  type EnteredSystemCall,
  enteredSystemCall,
  interruptTracee,
  leaveStopped,
  peekWord,
  pokeBytes,
  readRegisters,
  readSignalMask,
  releaseTracee,
  resumeToSystemCall,
  resumeTracee,
  seizeProcess,
  setTraceScope,
  startedProcess,
  systemCallStop,
  type TraceScope,
  traceEvent,
  writeRegisters,
  writeSignalMask,
} from "./tracing/ptrace.ts";
export {
  answerWithDescriptor,
  continueCall,
  installListener,
  type Notification,
  receiveNotification,
  setNoNewPrivileges,
  wakeInTurn,
} from "./tracing/seccomp.ts";
export { readVdso, sectionHeadersEnd } from "./tracing/vdso.ts";
