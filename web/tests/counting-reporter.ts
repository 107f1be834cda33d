/** Prints a line per test of the explorer, and last the summary line that `cargo xtask test` reads. */
import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node';

export class CountingReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    const millis = Math.round(test.diagnostic()?.duration ?? 0);
    console.log(
      `${state === 'passed' ? '✔' : '✖'} ${test.module.relativeModuleId.split('/').at(-1)}: ${test.fullName} (${millis} ms)`,
    );
    for (const { message, stack } of errors ?? []) console.log(`  ${(stack ?? message).replaceAll('\n', '\n  ')}`);
  }

  /** Measurements of the tests. */
  onUserConsoleLog({ content }: { readonly content: string }): void {
    process.stdout.write(content);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[], _reason: TestRunEndReason): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const broken = modules.flatMap((module) => module.errors());
    for (const error of [...broken, ...unhandled])
      console.log(`✖ ${String((error as { stack?: string }).stack ?? error)}`);
    const passed = states.filter((state) => state === 'passed').length;
    // Tests that did not run and files with errors count as failed.
    const failed = states.length - passed + broken.length + unhandled.length;
    console.log(`${passed} passed, ${failed} failed`);
  }
}
