import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  testMatch: 'pages.spec.mjs',
  outputDir: 'out/results',
  workers: 1,
  reporter: 'line',
  use: { launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] } },
});
