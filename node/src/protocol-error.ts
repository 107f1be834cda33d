/** JSON-RPC's and MCP's error codes. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
/** The code of refusals that JSON-RPC does not know. */
export const BAD_REQUEST = -32_000;
/** MCP's code for an unknown resource up to 2025-11-25; since 2026-07-28 it is {@link INVALID_PARAMS}. */
export const RESOURCE_NOT_FOUND = -32_002;

/** An error of the protocol. */
export class ProtocolError extends Error {
  readonly code: number;
  /** Details of the error. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: number, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
