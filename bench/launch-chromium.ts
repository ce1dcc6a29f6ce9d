import { type Browser, chromium } from '@playwright/test'
import { findChromium } from '../scripts/find-chromium.ts'

/**
 * Starts the browser of a measurement. Call this before anything else is started that must be
 * stopped: it fails if the machine has no Chromium.
 */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  })
}
