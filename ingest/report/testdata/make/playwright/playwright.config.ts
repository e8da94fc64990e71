import { defineConfig } from '@playwright/test';

const shape = process.env.SHAPE;
export default defineConfig({
  reporter: process.env.ALLURE ? [['allure-playwright', { resultsDir: process.env.ALLURE, outputFolder: process.env.ALLURE }]] : undefined,
  testDir: '.', timeout: shape === 'flaky' ? 500 : 20_000, workers: 1,
  retries: shape === 'flaky' ? 2 : 0,
  globalSetup: shape === 'setup' ? './broken-setup.ts' : undefined,
  projects: shape === 'projects' ? [{ name: 'chromium' }, { name: 'webkit' }] : undefined,
});
