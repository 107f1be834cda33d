import { describe, expect, it } from 'vitest';
import { type StorageApi, StorageKeeper } from '../../src/source/browser/storage-keeper.ts';

/** A browser that agrees when it is asked, if `agrees`. */
function browser(agrees: boolean, isPersistent = false) {
  const state = { asked: 0, isPersistent, hasRecords: true, known: [] as boolean[] };
  const api: StorageApi = {
    persisted: async () => state.isPersistent,
    persist: async () => {
      state.asked += 1;
      state.isPersistent = agrees;
      return agrees;
    },
  };
  const keeper = new StorageKeeper({
    api,
    hasRecords: async () => state.hasRecords,
    onknown: (known) => state.known.push(known),
  });
  return { state, keeper };
}

describe('the storage of the page', () => {
  it('is asked for when there are records, once', async () => {
    const { state, keeper } = browser(false);
    state.hasRecords = false;
    await keeper.check(true);
    expect(state.asked).toBe(0);
    state.hasRecords = true;
    await Promise.all([keeper.check(true), keeper.check(true)]);
    await keeper.check(true);
    expect(state.asked).toBe(1);
    expect(state.known).toEqual([false]);
  });

  it('is not asked for by a tab that may not, nor if the browser keeps it already', async () => {
    const follower = browser(true);
    await follower.keeper.check(false);
    expect(follower.state.asked).toBe(0);
    expect(follower.state.known).toEqual([false]);
    const persistent = browser(true, true);
    await persistent.keeper.check(true);
    expect(persistent.state.asked).toBe(0);
    expect(persistent.state.known).toEqual([true]);
  });

  it('is reported as kept after the browser has agreed, also in another tab', async () => {
    const { state, keeper } = browser(true);
    await keeper.check(true);
    expect(state.known).toEqual([false, true]);
    const other = browser(false);
    await other.keeper.check(false);
    other.state.isPersistent = true;
    await other.keeper.check(false);
    expect(other.state.known).toEqual([false, true]);
  });

  it('stays unknown where the browser cannot say', async () => {
    const known: boolean[] = [];
    const options = { hasRecords: async () => true, onknown: (isKnown: boolean) => known.push(isKnown) };
    const failing = { persisted: async () => Promise.reject(new Error('denied')) };
    for (const api of [undefined, {}, failing]) {
      const keeper = new StorageKeeper({ ...options, api });
      await keeper.check(true);
      expect(await keeper.ask()).toBe(false);
    }
    expect(known).toEqual([]);
  });
});
