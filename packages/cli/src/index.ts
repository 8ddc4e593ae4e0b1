export { type CliErrorCode, cliErrorCatalogue } from "./errors.ts";
