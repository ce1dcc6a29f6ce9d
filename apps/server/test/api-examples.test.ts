import { type Endpoint, type EndpointName, endpoints, exampleIds, examples } from '@tocsin/protocol'
import { useTestChain, useTestDatabase } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiCall } from '../../web/src/features/site/api-document.ts'
import { formatSnippet } from '../../web/src/features/site/call-snippets.ts'

// Runs the TypeScript examples of the API reference against a server, so that a test fails if an
// example no longer works.

const database = useTestDatabase()
const chain = useTestChain()
let server: TestServer
/** Real ids that replace the ids in the examples. */
let realIds: Record<string, string>
/**
 * The admin's cookies. They are replaced as in a browser, because a confirmation issues a new
 * session cookie.
 */
const cookies = new Map<string, string>()

beforeAll(async () => {
  server = await startTestServer({ database, chain })
  const admin = await server.signInAdmin()
  const { user } = await admin.call('currentUser')
  const content = endpoints.createAlert.body.parse(examples.createAlert?.body)
  const { alert } = await admin.call('createAlert', { body: content })
  await admin.call('confirm', { body: { password: server.firstAdmin.password } })
  keepCookies(admin.cookie().split('; '))
  realIds = { [exampleIds.account]: user?.id ?? '', [exampleIds.alert]: alert.id }
})
afterAll(() => server?.close())

/** Calls that are tested last, because they end the session. */
const lastNames: EndpointName[] = ['endOtherSessions', 'changePassword', 'endUserSessions', 'logout']
const names = Object.keys(endpoints) as EndpointName[]
const orderedNames = [...names.filter((name) => !lastNames.includes(name)), ...lastNames]

test.each(orderedNames)('API example: the code of %s works', async (name) => {
  const { method, path, access, params, query, body } = endpoints[name]
  const example = examples[name] ?? {}
  // A call without an example has no required input.
  expect(params.safeParse(example.params ?? {}).error).toBeUndefined()
  expect(query.safeParse(example.query ?? {}).error).toBeUndefined()
  if (method !== 'GET') expect(body.safeParse('body' in example ? example.body : undefined).error).toBeUndefined()

  const answer = await runExample({ method, path, access }, example)
  const text = await answer.text()
  const { code } = answer.ok || answer.status === 302 ? { code: null } : JSON.parse(text)
  expect(code === null || expectedRefusals[name]?.includes(code), `${answer.status} ${text}`).toBe(true)
})

/** The errors that are expected of examples that cannot succeed on a new server. */
const expectedRefusals: { [N in EndpointName]?: string[] } = {
  resetPassword: ['token_invalid'],
  walletSignIn: ['challenge_invalid'],
  confirmWallet: ['challenge_invalid'],
  proveWallet: ['challenge_invalid'],
  completeSignIn: ['not_signed_in'],
  cancelFactorReset: ['token_invalid'],
  cancelOwnFactorReset: ['not_found'],
  requestFactorReset: ['own_account'],
  useEnrolmentCode: ['code_wrong'],
  issueEnrolmentCode: ['own_account'],
  changeRole: ['own_account'],
  cancelUserFactorReset: ['not_found'],
  passkeySignIn: ['passkey_refused'],
  confirmPasskey: ['passkey_refused'],
  addPasskey: ['passkey_refused'],
  renamePasskey: ['not_found'],
  removePasskey: ['not_found'],
  confirmFactor: ['code_wrong'],
  confirmTotp: ['code_wrong', 'challenge_invalid'],
  removeTotp: ['not_found'],
  replaceRecoveryCodes: ['not_found'],
  createFirstAdmin: ['token_invalid'],
  changeDestination: ['not_found'],
  testTelegramBot: ['kind_not_offered'],
  renewPush: ['not_found', 'endpoint_refused'],
  setEscalation: ['not_found'],
  // The alert is not broadcast yet.
  acknowledgeAlert: ['not_found'],
  acknowledgeByLink: ['not_found'],
  unsubscribe: ['not_found'],
  deleteDestination: ['not_found'],
  confirmDestination: ['not_found'],
  testDestination: ['not_found'],
  rotateDestinationSecret: ['not_found'],
  listChannelDeliveries: ['not_found'],
  redeliver: ['not_found'],
  changeAlertView: ['not_found'],
  deleteAlertView: ['not_found'],
  revokeApiKey: ['not_found'],
  unlinkIdentity: ['not_found'],
  unlinkWallet: ['not_found'],
  endSession: ['not_found'],
  endUserSession: ['not_found'],
  unmarkAllRead: ['not_found'],
  // The example sends no session, and the alert is recent.
  alertSignal: ['not_found'],
  alertBundle: ['not_found'],
  alertProgress: ['not_found'],
  alertAt: ['not_found'],
  openSharedAlert: ['not_found'],
  // There are no alerts with predictions yet.
  logMessage: ['not_found'],
  logCandles: ['not_found'],
  findWalletUser: ['not_found'],
  createWalletUser: ['wallet_not_proved'],
  findReceipt: ['not_found'],
  subscribe: ['wallet_not_proved'],
  createOrder: ['wallet_not_proved'],
  findOrder: ['not_found'],
  reportOrderTransaction: ['not_found'],
  cancelOrder: ['not_found'],
  deleteAccount: ['last_admin'],
  quoteCoupon: ['coupon_invalid'],
  redeemCoupon: ['coupon_invalid'],
  endCoupon: ['not_found'],
  endAnnouncement: ['not_found'],
  recordRefund: ['not_found'],
  changeScheduledAlert: ['not_found'],
  cancelScheduledAlert: ['not_found'],
  createMessage: ['segment_changed'],
  cancelMessage: ['not_found'],
  // The two-admin rule is off.
  proposeChange: ['two_admins_off'],
  approveChange: ['not_found'],
  cancelChange: ['not_found'],
  extendSubscription: ['no_active_subscription'],
  cancelSubscription: ['no_active_subscription'],
  suspendUser: ['own_account'],
  resolveUnmatchedPayment: ['not_found'],
  resolveOrder: ['not_found'],
  // No feed is configured yet.
  testFeed: ['endpoint_refused'],
}

type Example = (typeof examples)[EndpointName]

/** Runs the code of an example, and returns the response to its only call. */
async function runExample({ method, path, access }: Pick<Endpoint, 'method' | 'path' | 'access'>, example: Example) {
  const otherCallFields = {
    id: '',
    summary: '',
    isRecent: false,
    scope: null,
    isCostly: false,
    parameters: [],
    body: null,
    response: null,
  }
  // Convert the example to JSON and back, because the API reference reads it from /openapi.json.
  const shownExample: ApiCall['example'] = JSON.parse(JSON.stringify(example))
  const inBraces = path.replace(/:(\w+)/g, '{$1}')
  const call: ApiCall = { ...otherCallFields, method, path: inBraces, access, example: shownExample }
  const code = formatSnippet('TypeScript', server.url, call)
  const answers: Response[] = []
  const printedLines: string[] = []
  const globals = {
    fetch: async (address: string, options?: RequestInit) => {
      const answer = await fetch(address, { ...options, redirect: 'manual' })
      answers.push(answer.clone())
      return answer
    },
    console: { log: (line: string) => printedLines.push(line) },
    process: { env: { SESSION_COOKIE: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } },
  }
  const program = new AsyncFunction(...Object.keys(globals), withRealIds(code))
  const failure = await program(...Object.values(globals)).catch((error: unknown) => error)
  const [answer] = answers
  if (!answer) throw new Error(`The code made no call: ${failure}\n${code}`)
  expect(failure === undefined, `${code}\n${failure}`).toBe(answer.ok)
  const setCookies = answer.headers.getSetCookie()
  keepCookies(setCookies)
  const setsSession = answer.ok && setCookies.length > 0 && !path.endsWith('/logout')
  if (setsSession) expect(printedLines, code).toContain('SESSION_COOKIE:')
  return answer
}

const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...surroundings: unknown[]) => Promise<unknown>

function keepCookies(lines: readonly string[]) {
  for (const line of lines) {
    const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? []
    if (value) cookies.set(name, value)
  }
}

function withRealIds(text: string): string {
  return Object.entries(realIds).reduce((replaced, [example, realId]) => replaced.replaceAll(example, realId), text)
}
