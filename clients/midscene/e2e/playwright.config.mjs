import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  testMatch: 'nights.spec.mjs',
  outputDir: 'out/results',
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  reporter: 'line',
  use: {
    baseURL: process.env.E2E_PAGES,
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
});
