import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'
import { ownEnvironment } from '../../scripts/own-environment.mjs'

// Runs Lighthouse with its mobile preset (a slow phone on a slow network) against the built product
// with new demo data:
// npm --prefix bench/lighthouse install && node bench/lighthouse/run.mjs [runs [path ...]]
// Reports the median run of each page, and the longest task of all runs. CHROME_PATH selects
// another browser, TOCSIN_START another start script.

const runs = Number(process.argv[2] ?? 3)
const onlyPaths = process.argv.slice(3)
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const start = process.env.TOCSIN_START ?? join(root, 'scripts/start.mjs')
const READY_TIMEOUT_MS = 600_000
const LONG_TASK_MS = 100

const goals = [
  { path: '/', performance: 98, lcpMs: 1500, longTasks: true },
  { path: '/documentation', performance: 0 },
  { path: '/api-reference', performance: 0 },
  { path: '/contact-support', performance: 0 },
  // This page is the last one, because the browser stays signed in.
  { path: '/dashboard', performance: 95, signIn: true },
]

async function startProduct() {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-lighthouse-'))
  const [port, chainPort] = await Promise.all([freePort(), freePort()])
  const env = ownEnvironment({ PORT: String(port), LOCAL_CHAIN_PORT: String(chainPort), DATA_DIR: dataDir })
  const child = spawn(process.execPath, [start], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const output = await waitFor(child, 'Ctrl-C stops everything')
  const words = output.split(/\s+/)
  const email = 'jonas@tocsin.local'
  return {
    url: `http://localhost:${port}`,
    trader: { email, password: words[words.indexOf(email) + 1] },
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGINT')
      await gone
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

function waitFor(child, text) {
  return new Promise((resolve, reject) => {
    let output = ''
    const timer = setTimeout(() => reject(new Error(`Not ready in time. Output:\n${output}`)), READY_TIMEOUT_MS)
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (!output.includes(text)) return
      clearTimeout(timer)
      resolve(output)
    })
    child.once('exit', (code) => reject(new Error(`The product ended with ${code}:\n${output}`)))
  })
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/**
 * Signs in as the demo's trader in the measured browser, connects and proves the Demo Wallet and
 * buys a plan. Lighthouse keeps cookies and local storage, so later pages show the plan's alerts.
 */
async function signInWithPlan(chromePort, { url, trader }) {
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${chromePort}`)
  const [context] = browser.contexts()
  const page = await context.newPage()
  const headers = { origin: url }
  const answer = await page.request.post(`${url}/api/auth/login`, { headers, data: trader })
  if (!answer.ok()) throw new Error(`Sign-in returned ${answer.status()}`)
  await page.goto(`${url}/dashboard`)
  const wallet = page.getByRole('dialog').filter({ hasText: 'Play money' })
  const accept = (name) => wallet.getByRole('button', { name, exact: true }).click()
  await page.getByRole('main').getByRole('button', { name: 'Connect Wallet' }).click()
  await accept('Connect')
  await page.getByRole('button', { name: 'Select Plan: 24 hours, 30 ITO' }).click()
  await page.getByRole('button', { name: 'Verify wallet and pay 30 ITO' }).click()
  await accept('Sign')
  await accept('Confirm')
  await page.getByRole('heading', { name: 'Subscription active' }).waitFor()
  await page.reload()
  await page.getByText('Live', { exact: true }).first().waitFor()
  await page.close()
  await browser.close()
}

async function measure(url, chromePort) {
  const result = await lighthouse(url, {
    port: chromePort,
    output: 'json',
    logLevel: 'error',
    onlyCategories: ['performance', 'accessibility', 'best-practices', 'seo'],
  })
  const { categories, audits, runWarnings, environment } = result.lhr
  for (const warning of runWarnings) console.log(`  ${warning}`)
  for (const issue of audits['inspector-issues']?.details?.items ?? [])
    console.log('  issue', JSON.stringify(issue).slice(0, 300))
  if (categories.performance.score === null) {
    // Lighthouse occasionally misses the first paint. Such a run is invalid and is repeated.
    for (const { id, errorMessage } of Object.values(audits))
      if (errorMessage) console.log(`  repeated: ${id} ${errorMessage}`)
    return measure(url, chromePort)
  }
  const percent = (name) => Math.round(categories[name].score * 100)
  const tasks = audits['long-tasks']?.details?.items ?? []
  return {
    performance: percent('performance'),
    accessibility: percent('accessibility'),
    bestPractices: percent('best-practices'),
    seo: percent('seo'),
    fcpMs: Math.round(audits['first-contentful-paint'].numericValue),
    lcpMs: Math.round(audits['largest-contentful-paint'].numericValue),
    tbtMs: Math.round(audits['total-blocking-time'].numericValue),
    cls: audits['cumulative-layout-shift'].numericValue,
    longestTaskMs: Math.round(Math.max(0, ...tasks.map(({ duration }) => duration))),
    benchmarkIndex: environment.benchmarkIndex,
    finalUrl: result.lhr.finalDisplayedUrl,
    failed: Object.values(categories).flatMap(({ id, auditRefs }) =>
      id === 'performance'
        ? []
        : auditRefs
            .filter(({ id: audit, weight }) => weight > 0 && audits[audit].score !== null && audits[audit].score < 1)
            .map(({ id: audit }) => `${audit} ${audits[audit].displayValue ?? ''}`.trim()),
    ),
  }
}

function judge(goal, found) {
  const problems = found.failed.map((audit) => `${audit} fails`)
  if (found.performance < goal.performance)
    problems.push(`performance ${found.performance} is below ${goal.performance}`)
  if (goal.lcpMs && found.lcpMs >= goal.lcpMs) problems.push(`LCP ${found.lcpMs} ms is not under ${goal.lcpMs} ms`)
  if (goal.longTasks && found.longestTaskMs > LONG_TASK_MS) problems.push(`a task takes ${found.longestTaskMs} ms`)
  if (goal.lcpMs && found.cls > 0) problems.push(`layout shift: CLS ${found.cls}`)
  if (!found.finalUrl.endsWith(goal.path)) problems.push(`it ended on ${found.finalUrl}`)
  return problems
}

// chromium-headless-shell is preferred: it has no browser window that would add to the measured CPU
// time.
const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome']
const chromePath = process.env.CHROME_PATH ?? browsers.find((path) => existsSync(path))

const product = await startProduct()
let chrome
let failed = 0
try {
  chrome = await launch({
    ...(chromePath ? { chromePath } : {}),
    chromeFlags: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
  console.log(
    `${new Date().toISOString().slice(0, 10)}, Lighthouse 12.8.2, mobile preset, median of ${runs}, ${chromePath ?? 'the installed Chrome'}`,
  )
  for (const goal of goals.filter(({ path }) => onlyPaths.length === 0 || onlyPaths.includes(path))) {
    if (goal.signIn) await signInWithPlan(chrome.port, product)
    const measurements = []
    for (let run = 0; run < runs; run += 1) {
      measurements.push(await measure(product.url + goal.path, chrome.port))
    }
    const median = measurements.sort((a, b) => a.performance - b.performance)[Math.floor(runs / 2)]
    const { failed: _failed, finalUrl: _url, ...figures } = median
    const worst = { ...median, longestTaskMs: Math.max(...measurements.map(({ longestTaskMs }) => longestTaskMs)) }
    console.log(goal.path, JSON.stringify(figures))
    console.log(
      `  performance ${measurements.map(({ performance }) => performance).join(', ')}; longest task of all ${worst.longestTaskMs} ms`,
    )
    for (const problem of judge(goal, worst)) {
      failed += 1
      console.log(`  ${problem}`)
    }
  }
} finally {
  chrome?.kill()
  await product.stop()
}
process.exitCode = failed > 0 ? 1 : 0
