import {
  create,
  createFileRegistry,
  type DescMethod,
  type DescMethodUnary,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const PACKAGE = "opentelemetry.proto.collector.logs.v1";
const REQUEST = "ExportLogsServiceRequest";
const RESPONSE = "ExportLogsServiceResponse";

/**
 * `LogsService.Export` of the OpenTelemetry protocol (opentelemetry-proto,
 * collector/logs/v1/logs_service.proto), by its names only: OTLP's own package encodes the
 * messages, whose fields are unknown here and pass as they are.
 */
export const exportLogs: DescMethodUnary = methodOf();

function methodOf(): DescMethodUnary {
  const registry = createFileRegistry(
    create(FileDescriptorSetSchema, {
      file: [
        {
          name: "logs_service.proto",
          package: PACKAGE,
          syntax: "proto3",
          messageType: [{ name: REQUEST }, { name: RESPONSE }],
          service: [
            {
              name: "LogsService",
              method: [
                {
                  name: "Export",
                  inputType: `.${PACKAGE}.${REQUEST}`,
                  outputType: `.${PACKAGE}.${RESPONSE}`,
                },
              ],
            },
          ],
        },
      ],
    }),
  );
  const method = registry.getService(`${PACKAGE}.LogsService`)?.methods[0];
  if (method !== undefined && isUnary(method)) return method;
  throw new TypeError("describe LogsService: no such method");
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}
