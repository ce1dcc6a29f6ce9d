// A bot that needs only an API key: it reads alerts, verifies a proof, and streams with resume.
// Create a key with all scopes in Settings, API keys. In your own project:
//   npm install @tocsin/client ws
// Here: TOCSIN_URL=http://localhost:3000 TOCSIN_KEY=tocsin_... node --import tsx examples/bot.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { byApiKey, type Cursor, openAlertStream } from '@tocsin/client'
import { parseBundle, type Rpc, verifyBundle } from '@tocsin/client/proof'
import { WebSocket } from 'ws'

const { TOCSIN_URL = 'http://localhost:3000', TOCSIN_KEY = '', NODE_URL, CURSOR_FILE = 'bot-cursor.json' } = process.env

async function read(path: string) {
  const response = await fetch(TOCSIN_URL + path, { headers: { authorization: `Bearer ${TOCSIN_KEY}` } })
  const body = await response.json()
  if (response.ok) return body
  // A 429 response says in Retry-After how many seconds to wait.
  throw new Error(`${response.status} ${body.code}: ${body.message} ${response.headers.get('retry-after') ?? ''}`)
}

// Without a plan, fresh alerts are locked rows, which have no content.
const isReadable = ({ locked }: { locked?: true }) => !locked
const items = (await read('/api/alerts/recent?limit=20')).filter(isReadable)
for (const { logIndex, priority, asset, summary } of items) console.log('read', logIndex, priority, asset, summary)

/** The bundle is untrusted: set FIRST_SIGNER and ANCHOR_CONTRACT as the operator publishes them. */
async function verify(id: string) {
  const bundle = parseBundle(await read(`/api/alerts/${id}/bundle`))
  const { chainId, contract, rpcUrl } = bundle.anchor
  const { FIRST_SIGNER = bundle.firstSigner, ANCHOR_CONTRACT = contract } = process.env
  const trust = {
    firstSigner: FIRST_SIGNER as typeof contract,
    domain: { chainId, verifyingContract: ANCHOR_CONTRACT as typeof contract },
  }
  const rpc: Rpc = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    return (await (await fetch(NODE_URL ?? rpcUrl ?? '', { method: 'POST', headers, body })).json()).result
  }
  console.log('proof of', bundle.alert.logIndex, (await verifyBundle(bundle, { trust, rpc })).verdict)
}
const anchored = items.find(({ avalancheTx }: { avalancheTx: string | null }) => avalancheTx !== null)
if (anchored) await verify(anchored.id)

function loadCursor(): Cursor {
  try {
    return JSON.parse(readFileSync(CURSOR_FILE, 'utf8'))
  } catch {
    return {}
  }
}

const stream = openAlertStream({
  url: `${TOCSIN_URL.replace(/^http/, 'ws')}/ws?auth=key`,
  WebSocket,
  authenticate: byApiKey(TOCSIN_KEY),
  from: loadCursor(),
  onAlert: ({ logIndex, asset, summary }, isMissed) => {
    console.log(isMissed ? 'missed' : 'new', logIndex, asset, summary)
    writeFileSync(CURSOR_FILE, JSON.stringify(stream.cursor))
  },
  onProof: ({ logIndex, avalancheTx }) => console.log('anchored', logIndex, avalancheTx),
  onLive: ({ recovered }) => {
    if (!recovered) console.log('some missed alerts were not sent: read the list of alerts')
    console.log('live')
    writeFileSync(CURSOR_FILE, JSON.stringify(stream.cursor))
  },
  onRefused: (reason) => console.error('refused:', reason),
  onEnded: () => console.error('ended: the key or the plan ended'),
  onReplaced: () => {
    console.error('closed: the account has more than five open streams; trying again in a minute')
    setTimeout(() => stream.probe(), 60_000)
  },
})
