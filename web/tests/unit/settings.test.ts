import { describe, expect, it } from 'vitest';
import type { ListedToken } from '../../src/source/server-settings.ts';
import {
  accessText,
  expiryText,
  rightsText,
  type TokenForm,
  tokenOf,
} from '../../src/views/settings/settings-model.ts';

const TOKEN: ListedToken = { name: 'laptop', read_only: false, explorer: false };
const FORM: TokenForm = { name: ' laptop ', toolsets: [], readOnly: false, user: '', explorer: false, expires: '' };

describe('settings', () => {
  it('describes what a token allows', () => {
    expect(rightsText(TOKEN)).toBe('the server’s toolsets');
    expect(rightsText({ ...TOKEN, toolsets: ['memory', 'domain'], read_only: true, user: 'ada' })).toBe(
      'memory, domain · read-only · memories of ada only',
    );
    expect(rightsText({ ...TOKEN, explorer: true })).toContain('opens the explorer');
  });

  it('distinguishes an expiry to come from one that has passed', () => {
    const now = Date.parse('2026-11-25T12:00:00Z');
    expect(expiryText(TOKEN, now)).toBe('never');
    expect(expiryText({ ...TOKEN, expires: '2027-01-31T12:00:00Z' }, now)).toBe('31 Jan 2027');
    expect(expiryText({ ...TOKEN, expires: '2026-01-31T12:00:00Z' }, now)).toBe('expired 31 Jan 2026');
  });

  it('names how a client was let in', () => {
    expect(accessText({ kind: 'token', token: 'laptop' })).toBe('laptop');
    expect(accessText({ kind: 'stdio' })).toBe('standard input');
  });

  it('leaves out of a new token what is not limited, and what a user cannot have', () => {
    expect(tokenOf(FORM, [])).toEqual({ name: 'laptop', read_only: false, explorer: false });
    const form = { ...FORM, user: 'ada', toolsets: ['graph', 'memory'], explorer: true, expires: '90d' };
    expect(tokenOf(form, ['memory', 'domain'])).toEqual({
      name: 'laptop',
      toolsets: ['memory'],
      read_only: false,
      user: 'ada',
      explorer: false,
      expires: '90d',
    });
  });
});
