import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { run, runTool } from './run.ts'

/** Paths of installed browsers. chromium-headless-shell is first, because it uses less CPU time. */
const CHROMIUM_PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * Finds a Chromium for the end-to-end tests: CHROMIUM_PATH, an installed browser, Playwright's
 * download, or a Debian package, which is installed if the script runs as root.
 */
export async function findChromium(): Promise<string> {
  const installedPath = findInstalledPath()
  if (installedPath) return installedPath
  console.log('No Chromium found, trying Playwright’s download')
  await runTool('playwright', ['install', 'chromium'], { quiet: true })
  const downloadedPath = findInstalledPath()
  if (downloadedPath) return downloadedPath
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await run('apt-get', ['update'], { quiet: true })
    // Older Debian releases have no chromium-headless-shell.
    for (const name of ['chromium-headless-shell', 'chromium']) {
      console.log(`Installing ${name} with apt-get`)
      const { output } = await run('apt-get', ['install', '-y', '--no-install-recommends', name], { quiet: true })
      const packagedPath = findInstalledPath()
      if (packagedPath) return packagedPath
      console.log(output)
    }
  }
  throw new Error('No Chromium for the end-to-end tests: install one (apt-get install chromium) or set CHROMIUM_PATH')
}

function findInstalledPath(): string | undefined {
  const candidates = [process.env.CHROMIUM_PATH, ...CHROMIUM_PATHS, chromium.executablePath()]
  return candidates.find((path) => path && existsSync(path))
}
