import { parseArgs } from 'node:util'
import { type EndpointName, endpoints, userFilters, userSorts } from '@tocsin/protocol'
import { describeMachine } from '../scripts/describe-machine.ts'
import { computePercentile } from './percentile.ts'

/**
 * Measures every GET call of the admin area over HTTP on a running product, one request at a time.
 * Usage: node --import tsx bench/admin-reads.ts --url http://localhost:3000 --email … --password …
 *   [--runs 5]
 * Start the product with TRUSTED_PROXIES=1 on a database that `npm run seed` has filled
 * (docs/operating.md).
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:3000' },
    email: { type: 'string', default: 'admin@tocsin.local' },
    password: { type: 'string', default: '' },
    runs: { type: 'string', default: '5' },
  },
})
const runCount = Number(values.runs)
const GOAL_MS = 200
let requestCount = 0

const cookie = await logIn()
const userId = await readFirstId('/api/admin/users?limit=50')
const queries: Partial<Record<EndpointName, string[]>> = {
  listUsers: [
    ...userSorts.map((sort) => `sort=${sort}`),
    ...userSorts.filter((sort) => sort !== 'newest').map((sort) => `sort=${sort}&cursor=5000`),
    ...userFilters.map((filter) => `filter=${filter}`),
    ...['okafor', 'user4711@', '0x', '0xabc', 'no-such-name'].map((search) => `search=${search}`),
    'sort=seen&filter=expired',
    'sort=paid&filter=expired',
  ],
  countUsers: ['', ...userFilters.map((filter) => `filter=${filter}`), 'search=okafor', 'search=0x'],
  pageAlerts: ['', 'search=volume', 'search=A7', 'priority=critical', 'priority=critical&search=volume'],
  listPayments: [
    '',
    ...['credited', 'pending', 'unmatched', 'overpaid', 'refunded'].map((state) => `state=${state}`),
    'plan=24h',
    'search=okafor',
    'search=0xabcdef',
  ],
  businessReach: ['', 'index=500000'],
  listAudit: ['', 'action=role_changed', `actor=${userId}`],
  listSecurityEvents: ['', 'category=sign-in'],
  listUnmatchedPayments: ['state=open', 'state=resolved'],
  listAdminOrders: ['flag=over&state=open'],
  listLetters: ['', 'state=open'],
}
/**
 * Calls that are not measured, because they need an object that the seeded database lacks. Exports
 * are not measured either, because they stream a file.
 */
const skippedEndpoints = ['findLetter', 'findMessage', 'findAnnouncement']

const results: { name: string; median: number; most: number }[] = []
for (const [name, endpoint] of Object.entries(endpoints)) {
  const isAdminRead = endpoint.access === 'admin' && endpoint.method === 'GET'
  if (!isAdminRead || skippedEndpoints.includes(name) || /export/i.test(name)) continue
  for (const query of queries[name as EndpointName] ?? ['']) {
    const path = endpoint.path.replace(':id', userId) + (query && `?${query}`)
    results.push({ name: path.replace(userId, ':id'), ...(await measureEndpoint(path)) })
  }
}
console.log(describeMachine())
for (const { name, median, most } of results.sort((a, b) => b.most - a.most)) {
  const verdict = most > GOAL_MS ? `  over ${GOAL_MS} ms` : ''
  console.log(`median ${median.toFixed(0).padStart(5)} ms, most ${most.toFixed(0).padStart(5)} ms  ${name}${verdict}`)
}
const slowCount = results.filter(({ most }) => most > GOAL_MS).length
console.log(`${results.length} calls, ${slowCount} over ${GOAL_MS} ms`)

async function logIn(): Promise<string> {
  const answer = await fetch(`${values.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: values.url },
    body: JSON.stringify({ email: values.email, password: values.password }),
  })
  const cookies = answer.headers.getSetCookie().map((one) => one.split(';')[0])
  if (!answer.ok || cookies.length === 0) throw new Error(`The sign-in returned ${answer.status}`)
  return cookies.join('; ')
}

async function readFirstId(path: string): Promise<string> {
  const answer = await fetch(values.url + path, { headers: { cookie } })
  const list: unknown = await answer.json()
  const [first] = Array.isArray(list) ? list.slice(-1) : []
  if (typeof first?.id !== 'string') throw new Error('The database has no users')
  return first.id
}

async function measureEndpoint(path: string): Promise<{ median: number; most: number }> {
  const times: number[] = []
  for (let run = 0; run < runCount; run++) {
    requestCount += 1
    // Send each request from another network, because of the rate limits.
    const network = `10.${(requestCount >> 16) & 255}.${(requestCount >> 8) & 255}.${requestCount & 255}`
    const beganAtMs = performance.now()
    const answer = await fetch(values.url + path, { headers: { cookie, 'x-forwarded-for': network } })
    await answer.arrayBuffer()
    times.push(performance.now() - beganAtMs)
    // Stop if the server rejects the query: the response is fast, and nothing would be measured.
    if (answer.status !== 200) throw new Error(`${answer.status} ${path}`)
  }
  return { median: computePercentile(times, 0.5), most: computePercentile(times, 1) }
}
