/** Names, arguments and answers of the tools, from the generated `pkg/types.ts`. */
import type { ToolError, Tools } from 'limbic-pkg/types.ts';

export type { ToolError };

export type ToolName = keyof Tools & string;
export type Input<T extends ToolName> = Tools[T]['input'];
export type Output<T extends ToolName> = Tools[T]['output'];

/** The result of a call. `text` is the core's JSON. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly text: string }
  | { readonly ok: false; readonly error: ToolError; readonly text: string };

/** A tool as MCP lists it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
  };
  readonly _limbic?: {
    readonly toolset: string;
    readonly access: 'read' | 'write' | 'destroy';
    readonly example?: unknown;
  };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The subset of JSON Schema that the tools use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly [key: string]: unknown;
}
