import { defineConfig } from '@playwright/test'

/**
 * Chromium features that cost CPU time and have no effect on tests: the address bar renders its
 * suggestions in its own page, and each page starts a spare renderer process. See
 * docs/decisions/2026-11-22-tests-on-two-cores.md.
 */
const DISABLED_FOR_SPEED = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess']
/**
 * A Chromium feature that delays timers after a click until the next frame, but not the commands of
 * Playwright. React Hook Form moves the focus to an invalid field in a timer. The timer ran between
 * the two commands of `fill`, and the text was typed into the invalid field. See
 * docs/decisions/2026-11-22-tests-wait-for-states.md.
 */
const DISABLED_FOR_ORDER = ['DeferRendererTasksAfterInput']
/**
 * Features that Playwright itself disables. The list is repeated here, because Chromium uses only
 * the last `--disable-features`.
 */
const DISABLED_BY_PLAYWRIGHT = [
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
 * Disables the optimizing compilers of V8. Pages of tests are too short-lived for them to pay off,
 * and they took 7 % of the CPU time: docs/decisions/2026-11-24-processor-time-of-tests.md.
 */
const NO_OPTIMIZER_FLAG = '--js-flags=--no-opt --no-maglev'

/**
 * Matches the slowest test files. They start first, because a slow file that starts last would run
 * alone at the end.
 */
const slowFilesPattern =
  /\/(accounts|admin|failures|lists|live|proof|public|purchase|purchase-life|stored-text)\.test\.ts$/

/**
 * End-to-end tests of the built product, started as `npm start` does, on data that is prepared
 * once. The tests of a file share a product and run in order. Three files run in parallel on two
 * cores, because they mostly wait for blocks. Tests are not retried: see
 * docs/decisions/2026-11-22-tests-wait-for-states.md.
 */
export default defineConfig({
  testDir: '.',
  outputDir: '../.cache/e2e',
  globalSetup: './prepare-data.ts',
  // Timeouts only end tests that hang. They are generous, because tests wait for a state and must
  // also pass on a busy machine.
  timeout: 600_000,
  expect: { timeout: 120_000 },
  fullyParallel: false,
  workers: 3,
  projects: [
    { name: 'long', testMatch: slowFilesPattern },
    { name: 'short', testIgnore: slowFilesPattern },
  ],
  retries: 0,
  use: {
    actionTimeout: 120_000,
    viewport: { width: 1440, height: 900 },
    // Drawing the frames of animations took 15 % of the browser's CPU time:
    // docs/decisions/2026-11-27-processor-time-of-browser-tests.md. Tests of animations, and
    // whole-path.test.ts, enable them again.
    contextOptions: { reducedMotion: 'reduce' },
    // Block service workers, because `page.route` does not see what they fetch. e2e/offline.test.ts
    // allows them.
    serviceWorkers: 'block',
    // Tracing every run would add a quarter to the total time. `--retries 1` records a trace of the
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
        // Headless Chromium hints fonts to whole pixels by default, which changes the length of
        // lines.
        '--font-render-hinting=none',
        NO_OPTIMIZER_FLAG,
        `--disable-features=${[...DISABLED_BY_PLAYWRIGHT, ...DISABLED_FOR_SPEED, ...DISABLED_FOR_ORDER].join()}`,
      ],
    },
  },
})
