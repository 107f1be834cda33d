import { describe, expect, it } from 'vitest';
import {
  folderTitle,
  isTrustable,
  originTitle,
  rejectionText,
  waitingCount,
  type WaitingMemory,
  whyItWaits,
} from '../../src/views/maintenance/inbox/inbox-model.ts';
import { PARTS } from '../../src/views/maintenance/maintenance-url-state.ts';

const waiting = (label: string, more: Partial<WaitingMemory> = {}): WaitingMemory =>
  ({
    tier: 'l4',
    pinned: false,
    origin: label,
    waits_for: { id: 1, label, kind: 'client', project: 'atlas', since: '' },
    ...more,
  }) as WaitingMemory;

describe('the inbox', () => {
  it('names origins in words, imports without their id', () => {
    expect(originTitle('client:claude-code')).toBe('Client claude-code');
    expect(originTitle('import:a#b.jsonl#0123456789abcdef')).toBe('Import of a#b.jsonl');
    expect(originTitle('hook:team:atlas')).toBe('Hook in project team:atlas');
    expect(originTitle('client:')).toBe('Client without a name');
    expect(originTitle('explorer')).toBe('Explorer');
  });

  it('offers to trust no label that clients share', () => {
    expect(isTrustable('client:[withheld]')).toBe(false);
    expect(isTrustable('library:[withheld]')).toBe(false);
    expect(isTrustable('client:claude-code')).toBe(true);
    expect(isTrustable('import:[withheld]#0123456789abcdef')).toBe(true);
  });

  it('says why a memory waits', () => {
    expect(whyItWaits(waiting('client:x', { tier: 'l0' }))).toBe(
      'Client x stored it and always loads it in the project atlas.',
    );
    expect(whyItWaits(waiting('client:x', { pinned: true, origin: 'explorer' }))).toBe(
      'Client x changed it and pinned it in the project atlas.',
    );
    expect(whyItWaits(waiting('hook:atlas'))).toBe('Hook in project atlas.');
  });

  it('names folders by their project, and counts those that wait', () => {
    const digest = '0123456789abcdef';
    const folder = { project: 'atlas', title: 'clone', digest, label: '', since: '', confirmed: false };
    expect(folderTitle(folder)).toBe('Project atlas in the folder clone (0123456789abcdef)');
    expect(folderTitle({ ...folder, title: '' })).toBe('Project atlas in a folder (0123456789abcdef)');
    expect(waitingCount({ total: 2 })).toBe(2);
    expect(waitingCount({ total: 0, folders: [folder, { ...folder, confirmed: true }] })).toBe(1);
  });

  it('says what a rejection has done', () => {
    const none = { deleted: [], restored: [], demoted: [] };
    expect(rejectionText({ ...none, deleted: ['a'] })).toBe('Rejected and deleted');
    expect(rejectionText({ ...none, restored: ['a'] })).toBe('Rejected; it is as it was before the change');
    expect(rejectionText({ ...none, demoted: ['a'] })).toBe('Kept; hooks no longer show it unasked');
    expect(rejectionText(none)).toBe('It did not wait any more');
  });

  it('is a part of the maintenance view', () => {
    expect(PARTS.map(({ id }) => id)).toContain('inbox');
  });
});
