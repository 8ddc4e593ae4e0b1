/** Has a test process take its machine for one of arm64: to be loaded before anything else. */
Object.defineProperty(process, "arch", { value: "arm64" });
