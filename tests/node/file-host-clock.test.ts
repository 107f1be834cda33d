import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockThroughSuspensions } from '../../node/src/file-host-clock.ts';

/** A machine whose clocks the test sets. */
function machine(resolutionMillis = 10) {
  const times = { now: 1000, day: 1_700_000_000_000, uptime: 90_000 };
  let readings = 0;
  const clock = clockThroughSuspensions({
    now: () => times.now,
    timeOfDay: () => times.day,
    uptime: () => {
      readings += 1;
      return Math.floor(times.uptime / resolutionMillis) * resolutionMillis;
    },
  });
  return {
    clock,
    readings: () => readings,
    works(millis: number) {
      times.now += millis;
      times.day += millis;
      times.uptime += millis;
    },
    isSuspended(millis: number, { setsTimeBack = false } = {}) {
      if (!setsTimeBack) times.day += millis;
      times.uptime += millis;
    },
    setsTime(millis: number) {
      times.day += millis;
    },
  };
}

test('the clock runs while the machine works, and rarely reads the uptime', () => {
  const { clock, works, readings } = machine();
  const start = clock();
  for (let step = 1; step <= 1000; step += 1) {
    works(0.5);
    assert.equal(clock() - start, step * 0.5);
  }
  assert.ok(readings() <= 12, `${readings()} readings in 500 ms`);
});

test('an uptime in whole seconds does not make the clock run faster', () => {
  const { clock, works } = machine(1000);
  const start = clock();
  for (let step = 1; step <= 6000; step += 1) {
    works(7);
    assert.equal(clock() - start, step * 7);
  }
});

test('a suspension is noticed at once', () => {
  const { clock, works, isSuspended } = machine();
  const start = clock();
  works(1);
  isSuspended(60_000);
  assert.ok(Math.abs(clock() - start - 60_001) <= 10);
  works(1);
  isSuspended(2000);
  assert.ok(Math.abs(clock() - start - 62_002) <= 20);
});

test('a suspension after which the time of day was set back is noticed soon', () => {
  const { clock, works, isSuspended } = machine();
  const start = clock();
  isSuspended(60_000, { setsTimeBack: true });
  works(51);
  assert.ok(Math.abs(clock() - start - 60_051) <= 10);
});

test('setting the time of day is no suspension', () => {
  const { clock, works, setsTime } = machine();
  const start = clock();
  for (const millis of [3_600_000, -7_200_000, 50]) {
    setsTime(millis);
    works(1);
    clock();
  }
  assert.equal(clock() - start, 3);
});
