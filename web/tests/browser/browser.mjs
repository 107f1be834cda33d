/** Debian's Chromium, as tests start it. */
import { chromium } from 'playwright-core';

const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--enable-unsafe-swiftshader'];

export function launch() {
  return chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: ARGS });
}
