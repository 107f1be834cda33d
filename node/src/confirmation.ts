/**
 * Calls that a person must confirm (protocol 2026-07-28): the answer to such a call is a question, and the client
 * repeats the call with the person's answer. What was asked is in a signed text that the client sends back, so that
 * nothing is kept between the two calls and a yes counts only for the call, the question and the token that it was
 * given to.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type CallToolResult,
  type InputRequiredResult,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { INVALID_PARAMS, ProtocolError } from './protocol-error.ts';
import type { Params } from './protocol-server.ts';
import { isObject } from './exact-json.ts';
import { questionDigest } from './question-digest.ts';

/** Maximum time for the answer of a person. */
const MAX_ANSWER_MILLIS = 15 * 60 * 1000;
/** The name of the question, and of its field. */
const CONFIRM = 'confirm';

const key = randomBytes(32);

/** A call by its tool and arguments, as JSON text, and who makes it. */
export interface ConfirmableCall {
  /** The token's holder; empty on stdio. */
  readonly holder: string;
  readonly tool: string;
  readonly args: string;
}

/** The state of confirmation of a request. */
export type Confirmation =
  /** The client cannot ask its user: the call is run without confirmation. */
  | { readonly kind: 'unavailable' }
  /** There is no answer yet, or it belongs to another call. */
  | { readonly kind: 'open' }
  /** A person has answered yes to the question with this digest. */
  | { readonly kind: 'accepted'; readonly digest: string }
  | { readonly kind: 'declined' };

/** Reads a person's answer from a request. */
export function confirmationOf(call: ConfirmableCall, { mcpReq }: ServerContext): Confirmation {
  const envelope = mcpReq.envelope as Params | undefined;
  if (!canAsk(envelope?.[CLIENT_CAPABILITIES_META_KEY])) return { kind: 'unavailable' };
  const state: unknown = mcpReq.requestState();
  if (state !== undefined && typeof state !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, '"requestState" must be the text that the server has sent');
  }
  if ((mcpReq.droppedInputResponseKeys ?? []).length > 0) {
    throw new ProtocolError(INVALID_PARAMS, 'each of "inputResponses" must be the answer to a request, a JSON object');
  }
  const response = inputResponse(mcpReq.inputResponses, CONFIRM);
  if (response.kind !== 'elicit') return { kind: 'open' };
  if (response.action !== 'accept' || response.content?.[CONFIRM] !== true) return { kind: 'declined' };
  const digest = state === undefined ? undefined : verified(state, call);
  return digest === undefined ? { kind: 'open' } : { kind: 'accepted', digest };
}

/** The answer to a call that must be confirmed. */
export function askedFor(question: string, call: ConfirmableCall): InputRequiredResult {
  return {
    resultType: 'input_required',
    inputRequests: {
      [CONFIRM]: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: question,
          requestedSchema: {
            type: 'object',
            properties: { [CONFIRM]: { type: 'boolean', title: 'Yes, do it' } },
            required: [CONFIRM],
          },
        },
      },
    },
    requestState: signed(questionDigest(question), call),
  };
}

/** The answer to a call that a person has declined. */
export function declinedResult(): CallToolResult {
  const error = {
    error: 'The user did not confirm this call. Nothing was changed',
    code: 'not_confirmed',
    hint: 'Do not repeat the call unless the user asks for it',
  };
  return { content: [{ type: 'text', text: JSON.stringify(error) }], isError: true };
}

/** Whether the client shows forms; an empty declaration means that it does. */
function canAsk(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined;
  return isObject(elicitation) && (elicitation['form'] !== undefined || elicitation['url'] === undefined);
}

function signed(digest: string, call: ConfirmableCall): string {
  const until = String(Date.now() + MAX_ANSWER_MILLIS);
  return `${until}.${digest}.${signature(until, digest, call)}`;
}

/** The digest in a signed text, if it was signed for this call by this server and is not too old. */
function verified(state: string, call: ConfirmableCall): string | undefined {
  const [until = '', digest = '', given = ''] = state.split('.');
  const expected = Buffer.from(signature(until, digest, call));
  const isOurs = given.length === expected.length && timingSafeEqual(Buffer.from(given, 'latin1'), expected);
  return isOurs && Number(until) >= Date.now() ? digest : undefined;
}

function signature(until: string, digest: string, { holder, tool, args }: ConfirmableCall): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([until, digest, holder, tool, args]))
    .digest('base64url');
}
