export { architecture, executablePath, exitProcess, onUncaught, processId } from "#native";
export { actAs } from "./act-as.ts";
export { argumentVector } from "./argument-vector.ts";
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
export { cString, type StringVector, stringVector } from "./c-strings.ts";
export { changeMode } from "./change-mode.ts";
export { copyFile } from "./copy-file.ts";
export { descendantsOf, ownChildren } from "./descendants.ts";
export { descriptorLimit, raiseDescriptorLimit } from "./descriptor-limit.ts";
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
} from "./descriptors.ts";
export { directoryNames } from "./directory-names.ts";
export { effectiveUserId } from "./effective-user.ts";
export {
  copyValue,
  type EnvironmentEntry,
  environmentEntries,
  valueBytes,
  valueText,
  wipeEntry,
} from "./environment-block.ts";
export { environmentStart } from "./environment-start.ts";
export { type ExecFilterOptions, execFilter } from "./exec-filter.ts";
export { createExecPreparer, type ExecPreparer, type LeftOver } from "./exec-preparer.ts";
export { execProgram } from "./exec-program.ts";
export { sha256OfFile } from "./file-digest.ts";
export {
  type FileOwnership,
  fileOwnership,
  hasFileCapabilities,
  isMountedWithoutPrivileges,
  processStatus,
} from "./file-ownership.ts";
export { type FileSystemRoom, fileSystemRoom } from "./file-system-room.ts";
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
  readWholeFile,
  writeAt,
} from "./files.ts";
export { type FoundProgram, findProgram } from "./find-program.ts";
export { bootNanoseconds, monotonicNanoseconds } from "./kernel-clocks.ts";
export { acceptConnection, listenAt } from "./listening-socket.ts";
export { lockDescriptor, lockFile } from "./lock-file.ts";
export { lockAllMemory, memoryLockLimit } from "./lock-memory.ts";
export { makeFolder, makeFolders } from "./make-folder.ts";
export { type Mapping, mapDescriptor } from "./mapping.ts";
export { monotonicMicroseconds } from "./monotonic-clock.ts";
export { openInRoot } from "./open-in-root.ts";
export { openProcess } from "./open-process.ts";
export {
  makeSocketPair,
  receiveDescriptor,
  type SocketPair,
  sendDescriptor,
} from "./pass-descriptor.ts";
export { entryStatus, type PathKind, type PathStatus, pathStatus } from "./path-status.ts";
export { folderOf, pathIn } from "./paths.ts";
export { pause } from "./pause.ts";
export { pollEvents } from "./poll-events.ts";
export {
  adoptOrphans,
  allowDumps,
  forbidDumps,
  isDumpable,
  parentPid,
  setParentDeathSignal,
  setProcessName,
  stopSelf,
} from "./process-controls.ts";
export { processLives, signalProcess } from "./process-lives.ts";
export { type ProcessMemory, processMemory } from "./process-memory.ts";
export { statField } from "./process-stat.ts";
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
} from "./ptrace.ts";
export { ReadableWait } from "./readable-wait.ts";
export { releaseProgramPages } from "./release-program-pages.ts";
export { removeTree } from "./remove-tree.ts";
export { renamePath } from "./rename-path.ts";
export {
  answerWithDescriptor,
  continueCall,
  installListener,
  type Notification,
  receiveNotification,
  setNoNewPrivileges,
  wakeInTurn,
} from "./seccomp.ts";
export {
  createPlainMemory,
  createSecretMemory,
  type MapOptions,
  mapSecretMemory,
  type SecretMemory,
  type SecretMemoryKind,
  sizeAndMap,
} from "./secret-memory.ts";
export { sendDatagram } from "./send-datagram.ts";
export { signalName } from "./signal-names.ts";
export {
  blockedSignals,
  blockSignals,
  isIgnored,
  resetReservedSignal,
  type SignalSet,
  sendSignal,
  setBlockedSignals,
  setIgnored,
  signalSet,
} from "./signals.ts";
export { type SocketPeer, socketPeer, socketPeerProcess } from "./socket-peer.ts";
export { type SpawnOptions, spawnProcess } from "./spawn-process.ts";
export { asSyscallError, SyscallError } from "./syscall-error.ts";
export { type SystemCallTable, systemCallTable } from "./system-call-numbers.ts";
export { makeTemporaryFolder } from "./temporary-folder.ts";
export { foregroundGroup, hideInput, processGroup, setForegroundGroup } from "./terminal.ts";
export { UnsupportedFeatureError } from "./unsupported-feature-error.ts";
export { readVdso, sectionHeadersEnd } from "./vdso.ts";
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
} from "./wait-child.ts";
export { yieldProcessor } from "./yield-processor.ts";
