import { defineConfig } from '@playwright/test'

/**
 * The journeys drive the built product, started as `npm start` starts it, on data that is prepared once. Those of one file share a product and come one after another; three files
 * run side by side, for they wait for blocks more than they compute. One that fails is tried once more on a new product, and named if it then passes: docs/decisions/2026-11-21-journeys-second-try.md.
 */
export default defineConfig({
  testDir: '.',
  outputDir: '../.cache/journeys',
  globalSetup: './prepare-data.ts',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  fullyParallel: false,
  workers: 3,
  retries: 1,
  use: {
    actionTimeout: 15_000,
    viewport: { width: 1440, height: 900 },
    // Tracing each first try would cost a quarter of all the time.
    trace: 'on-first-retry',
    launchOptions: {
      ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--no-first-run',
      ],
    },
  },
})
