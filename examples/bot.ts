// A bot in twenty lines. Its wallet must be linked to an account with a running plan (Settings,
// Wallets). Run: TOCSIN_URL=ws://localhost:3000/ws BOT_KEY=0x... node --import tsx examples/bot.ts
import { byProgram, openAlertStream } from '@tocsin/client'
import { privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'

const url = process.env.TOCSIN_URL ?? 'ws://localhost:3000/ws'
const key = process.env.BOT_KEY
if (!key) throw new Error('Set BOT_KEY to the private key of the wallet')
const wallet = privateKeyToAccount(`0x${key.replace(/^0x/, '')}`)

openAlertStream({
  url,
  WebSocket,
  authenticate: byProgram(wallet),
  onAlert: ({ logIndex, priority, asset, summary }) => console.log(logIndex, priority, asset, summary),
  onUpdate: ({ logIndex, avalancheTx }) => console.log(logIndex, 'anchored in', avalancheTx),
  onState: (state) => console.log(state),
  onRefused: (reason) => console.log('refused:', reason),
})
