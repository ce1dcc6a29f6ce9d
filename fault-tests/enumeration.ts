import { writeSync } from 'node:fs'
import { productionCost } from '@tocsin/server/features/accounts/password.ts'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { PASSWORD, pickComparable, type Site, startSite } from '@tocsin/server/test/support/test-site.ts'
import { compareTimes } from '@tocsin/testkit'
import { ownEnvironment } from '../scripts/own-environment.mjs'

/**
 * Tests for account enumeration and password spraying: `node --import tsx
 * fault-tests/enumeration.ts [tries]`. The default is 500 tries of each kind.
 *
 * 1. Calls that take an email address, for known and unknown addresses in turns: the responses must
 * be identical, and the response times must not differ significantly (Mann-Whitney, p > 0.01).
 * 2. Pairs of calls, such as a sign-up and a login with its password: the second response must not
 * differ either.
 * 3. 10,000 passwords from 1,000 networks within a minute of the server's clock: the server must
 * log an alarm, and must not evaluate more attempts per account and per network than its limits
 * allow.
 *
 * Takes about five minutes on an idle machine. The exit code is 1 if any check failed.
 */
ownEnvironment()
const ATTEMPT_COUNT = Number(process.argv[2] ?? 500)
const PAIRS = 10_000
const NETWORKS = 1_000
const ACCOUNTS = 500

const printLine = (text: string) => writeSync(1, `${text}\n`)
const failures: string[] = []

async function compareKnownWithUnknown(site: Site): Promise<void> {
  printLine(`Known against unknown addresses, ${ATTEMPT_COUNT} of each`)
  for (let index = 0; index < ATTEMPT_COUNT; index++) {
    const accountFields = {
      email: `known${index}@example.com`,
      name: 'Known',
      password: PASSWORD,
      role: 'user',
    } as const
    await createAccount(site.ctx, { ...accountFields, verified: index % 2 === 0 })
  }
  const calls = [
    { path: 'login', concurrency: 1, rest: { password: 'a wrong password' } },
    { path: 'register', concurrency: 4, rest: { password: PASSWORD, name: 'Somebody' } },
    { path: 'forgot-password', concurrency: 10, rest: {} },
    { path: 'resend-verification', concurrency: 10, rest: {} },
  ]
  for (const { path, concurrency, rest } of calls) {
    const answers = new Set<string>()
    const sendRequest = async (kind: 0 | 1, index: number) => {
      const email = `${kind === 0 ? 'known' : `unknown-${path}`}${index}@example.com`
      answers.add(JSON.stringify(pickComparable(await site.post(path, { email, ...rest }))))
    }
    const { medianMs, p } = await compareTimes(sendRequest, { samples: ATTEMPT_COUNT, concurrency })
    const [knownText, unknownText] = medianMs.map((ms) => `${ms.toFixed(2)} ms`)
    printLine(
      `  ${path.padEnd(20)} known ${knownText}, unknown ${unknownText}, p ${p.toFixed(3)}, ${answers.size} distinct responses`,
    )
    if (answers.size !== 1) failures.push(`${path}: ${[...answers].join(' or ')}`)
    if (p <= 0.01) failures.push(`${path}: response times differ (p ${p})`)
    // Reset the rate limits for the next call.
    site.clock.advance(3_600_000)
  }
}

const STRANGERS_PASSWORD = 'a password of a stranger'

type Call = { path: string; rest: object }
const signUp: Call = { path: 'register', rest: { password: STRANGERS_PASSWORD, name: 'Stranger' } }
const logIn: Call = { path: 'login', rest: { password: STRANGERS_PASSWORD } }
const guessPassword: Call = { path: 'login', rest: { password: 'another password' } }
const forgotPassword: Call = { path: 'forgot-password', rest: {} }
const resendVerification: Call = { path: 'resend-verification', rest: {} }

/**
 * Pairs of calls. The first call changes state for an address. The response to the second call must
 * not reveal whether the address has an account.
 */
const pairs: [Call, Call][] = [
  [signUp, logIn],
  [signUp, guessPassword],
  [signUp, signUp],
  [signUp, resendVerification],
  [signUp, forgotPassword],
  [forgotPassword, logIn],
  [forgotPassword, signUp],
  [resendVerification, logIn],
  [resendVerification, signUp],
  [logIn, signUp],
]

/**
 * Checks that both responses of each pair, and the time of the second response, do not differ
 * between known and unknown addresses.
 */
async function comparePairs(site: Site): Promise<void> {
  const samples = Math.min(Math.floor(ATTEMPT_COUNT / 2), 100)
  printLine(`Pairs of calls at known and unknown addresses, ${samples} of each`)
  for (const [pairIndex, [first, second]] of pairs.entries()) {
    const name = `${first.path}, then ${second === guessPassword ? 'login with another password' : second.path}`
    const answers = new Set<string>()
    // Of the addresses `known…`, those with even numbers have verified accounts.
    const getAddress = (kind: 0 | 1, index: number) =>
      kind === 0 ? `known${2 * index}@example.com` : `pair${pairIndex}-${index}@example.com`
    const requestAnswer = async ({ path, rest }: Call, email: string) =>
      JSON.stringify(pickComparable(await site.post(path, { email, ...rest })))
    const firstAnswers = new Map<string, string>()
    for (const kind of [0, 1] as const) {
      const prepareAccount = async (index: number) => {
        const email = getAddress(kind, index)
        firstAnswers.set(email, await requestAnswer(first, email))
      }
      for (let from = 0; from < samples; from += 10) {
        await Promise.all(
          Array.from({ length: Math.min(10, samples - from) }, (_, step) => prepareAccount(from + step)),
        )
      }
    }
    const { p } = await compareTimes(
      async (kind, index) => {
        const email = getAddress(kind, index)
        answers.add(`${firstAnswers.get(email)} ${await requestAnswer(second, email)}`)
      },
      { samples, concurrency: second.path === 'login' ? 1 : 4 },
    )
    printLine(`  ${name.padEnd(48)} p ${p.toFixed(3)}, ${answers.size} distinct responses`)
    if (answers.size !== 1) failures.push(`${name}: ${[...answers].join(' or ')}`)
    // Bonferroni correction for ten comparisons.
    if (p <= 0.001) failures.push(`${name}: response times differ (p ${p})`)
    // Let the sign-ups of this pair expire.
    site.clock.advance(25 * 3_600_000)
  }
}

async function testPasswordSpraying(site: Site): Promise<void> {
  const evaluatedCounts = { account: new Map<string, number>(), network: new Map<string, number>() }
  const countAttempt = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  let alarmAfterMs: number | null = null
  const startedAt = site.clock.now().getTime()
  site.ctx.logger.error = () => {
    alarmAfterMs ??= site.clock.now().getTime() - startedAt
  }
  for (let attemptIndex = 0; attemptIndex < PAIRS; attemptIndex++) {
    // Spread the attempts over one minute of the server's clock, regardless of the real time.
    if (attemptIndex % (PAIRS / 60) < 1) site.clock.advance(999)
    const email = `spray${attemptIndex % ACCOUNTS}@example.com`
    const network = attemptIndex % NETWORKS
    const connection = { ip: `10.${100 + (network >> 8)}.${network & 255}.1` }
    const loginBody = { email, password: `guess ${attemptIndex}` }
    const { status } = await site.call('POST', '/api/auth/login', loginBody, {}, connection)
    if (status !== 401) continue
    countAttempt(evaluatedCounts.account, email)
    countAttempt(evaluatedCounts.network, connection.ip)
  }
  const [account, network] = [evaluatedCounts.account, evaluatedCounts.network].map((counts) =>
    Math.max(...counts.values()),
  )
  printLine(`${PAIRS} pairs from ${NETWORKS} networks at ${ACCOUNTS} accounts within a minute`)
  printLine(`  alarm after ${alarmAfterMs} ms; evaluated at most ${account} of an account, ${network} from a network`)
  if (alarmAfterMs === null) failures.push('no alarm was raised')
  if ((account ?? 0) > 20) failures.push(`${account} guesses at one account were evaluated within an hour`)
  if ((network ?? 0) > 100) failures.push(`${network} guesses from one network were evaluated within an hour`)
}

const site = await startSite(productionCost)
try {
  await compareKnownWithUnknown(site)
  await comparePairs(site)
  await testPasswordSpraying(site)
} finally {
  await site.stop()
}
for (const failure of failures) printLine(`FAILED: ${failure}`)
printLine(failures.length === 0 ? 'All checks passed.' : `${failures.length} checks failed.`)
process.exitCode = failures.length === 0 ? 0 : 1
