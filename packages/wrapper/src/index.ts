export type { WrapperErrorCode } from "./error-catalogue.ts";
export { wrapperErrorCatalogue } from "./error-catalogue.ts";
