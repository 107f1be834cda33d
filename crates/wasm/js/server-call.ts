/**
 * A call of any client, as a server reports it to the explorer. Texts may be truncated; `*_chars` are their lengths.
 */
export interface ServerCall {
  readonly id: number;
  readonly client: string;
  readonly session: string;
  readonly tool: string;
  readonly arguments: string;
  readonly arguments_chars: number;
  readonly answer: string;
  readonly answer_chars: number;
  readonly isError: boolean;
  readonly started: string;
  readonly duration_ms: number;
}
