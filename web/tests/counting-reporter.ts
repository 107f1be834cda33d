/** Prints a line per test of the explorer, and last the summary line that `cargo xtask test` reads. */
import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node';

interface Failure {
  readonly message: string;
  readonly stack?: string | undefined;
}

export class CountingReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    const millis = Math.round(test.diagnostic()?.duration ?? 0);
    console.log(
      `${state === 'passed' ? '✔' : '✖'} ${test.module.relativeModuleId.split('/').at(-1)}: ${test.fullName} (${millis} ms)`,
    );
    for (const error of errors ?? []) console.log(`  ${shown(error).replaceAll('\n', '\n  ')}`);
  }

  /** Measurements of the tests. */
  onUserConsoleLog({ content }: { readonly content: string }): void {
    process.stdout.write(content);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly Failure[], _reason: TestRunEndReason): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const broken = modules.flatMap((module) => module.errors());
    for (const error of [...broken, ...unhandled]) console.log(`✖ ${shown(error)}`);
    const passed = states.filter((state) => state === 'passed').length;
    // Tests that did not run and files with errors count as failed.
    const failed = states.length - passed + broken.length + unhandled.length;
    console.log(`${passed} passed, ${failed} failed`);
  }
}

/** Message and stack of an error. The stack of a test that took too long does not contain its message. */
function shown({ message, stack = '' }: Failure): string {
  return stack.includes(message) ? stack : `${message}\n${stack}`.trimEnd();
}
