import { defineConfig } from '@playwright/test'

/**
 * Each context of a whole Chromium has a window of its own, in which the address bar draws its
 * suggestions in a page; and each page starts the process of one that may follow. Nobody sees
 * either: docs/decisions/2026-11-22-tests-on-two-cores.md.
 */
const UNSEEN = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess']
/** What Playwright switches off itself: what is said last counts alone. */
const SWITCHED_OFF_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

/**
 * The files that take longest. They start first: one that starts last would run alone at the end.
 */
const longest = /\/(accounts|admin|failures|lists|live|proof|public|purchase|purchase-life)\.test\.ts$/

/**
 * Drives the built product, started as `npm start` starts it, on data that is prepared once. The
 * tests of one file share a product and run one after another; three files run in parallel, because
 * they wait for blocks more than they compute. Tests are not retried:
 * docs/decisions/2026-11-22-tests-wait-for-states.md.
 */
export default defineConfig({
  testDir: '.',
  outputDir: '../.cache/journeys',
  globalSetup: './prepare-data.ts',
  // Limits only end what hangs. Tests wait for a state and pass on a busy machine too, however long
  // it takes.
  timeout: 600_000,
  expect: { timeout: 120_000 },
  fullyParallel: false,
  workers: 3,
  projects: [
    { name: 'long', testMatch: longest },
    { name: 'short', testIgnore: longest },
  ],
  retries: 0,
  use: {
    actionTimeout: 120_000,
    viewport: { width: 1440, height: 900 },
    // Tracing each run would cost a quarter of all the time. `--retries 1` records a trace of the
    // second run.
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
        // Without a window Chromium would move each letter to a whole pixel, and lines would be as
        // long as nobody sees them.
        '--font-render-hinting=none',
        `--disable-features=${[...SWITCHED_OFF_BY_PLAYWRIGHT, ...UNSEEN].join()}`,
      ],
    },
  },
})
