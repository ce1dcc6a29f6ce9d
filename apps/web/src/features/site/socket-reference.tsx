import { CodeBlock } from '../../ui/code-block.tsx'
import { Panel } from '../../ui/panel.tsx'
import type { JsonSchema, SocketDescription } from './api-document.ts'
import { listSchemaRows } from './schema-rows.ts'
import { SchemaTable } from './schema-table.tsx'

const closeReasons: Record<string, string> = {
  entitlementEnded: 'The plan has ended',
  sessionEnded:
    'The session has ended, the API key was revoked or has expired, or the wallet is no longer valid for the account',
  tooManySockets:
    'The account has too many open sockets. The oldest page is disconnected first or, if no page is open, the oldest program',
  restart: 'The server is restarting, or cannot serve this socket at the moment: reconnect',
  policy: 'Policy violation: a malformed message, too many messages, or no authentication within a minute',
}

/** Reference of the WebSocket stream: messages in both directions and close codes. */
export function SocketReference({ socket }: { socket: SocketDescription }) {
  const address = `${window.location.origin.replace(/^http/, 'ws')}${socket.path}`
  return (
    <div className="grid gap-4 lg:grid-cols-2 lg:grid-rows-[auto_1fr]">
      <Panel title="Connect from a page">
        <p className="max-w-170 text-body text-2">
          The browser sends the session’s cookie and the site’s Origin. Send <code>authenticate</code> with a wallet
          that this session has verified.
        </p>
        <CodeBlock code={createPageExample(address)} copyLabel="Copy TypeScript" className="mt-4" />
      </Panel>
      <Panel title="Connect from a program" className="lg:row-span-2">
        <p className="max-w-170 text-body text-2">
          Without a cookie and Origin, the server sends a <code>challenge</code>. Respond with <code>auth</code> and a
          Sign-In with Ethereum message over the challenge, signed by a wallet that is linked to an account with an
          active plan. Each challenge accepts one response. A wrong response gets <code>authentication_failed</code>{' '}
          with the reason, and no alerts. With <code>format: 'summary'</code>, alerts are sent as{' '}
          <code>market_alert</code> and the plan as <code>subscription_update</code>.
        </p>
        <CodeBlock code={createProgramExample(address)} copyLabel="Copy TypeScript" className="mt-4" />
      </Panel>
      <Panel title="Resume after a disconnect">
        <p className="max-w-170 text-body text-2">
          Send the last log index that you have seen, and the <code>logId</code> of the last <code>live</code> message.
          The server sends exactly the alerts after that index, in order, followed by <code>live</code>. With{' '}
          <code>recovered: false</code> the gap could not be filled (more than 1,000 alerts, more than 5,000 of an
          account within a minute, or another log): load the alerts again over the API. An alert is sent immediately
          with its signature, and again with its path and transaction, marked <code>isUpdate</code>; show each id once.
          With <code>proofs: 'compact'</code> in your first message, only the path and transaction are sent, as{' '}
          <code>alert_proof</code>. A <code>heartbeat</code> is sent every 10 s. After the plan has ended, you still
          receive alerts that were issued before its end, followed by <code>authentication_failed</code>: do not
          reconnect.
        </p>
      </Panel>
      <Messages title="Client messages" schema={socket.clientMessages} />
      <Messages title="Server messages" schema={socket.serverMessages} />
      <Panel title="Close codes" flush className="lg:col-span-2">
        <dl>
          {Object.entries(socket.closeCodes).map(([name, code]) => (
            <div key={name} className="flex gap-6 border-b border-line-1 px-5 py-3 last:border-b-0 phone:px-4">
              <dt className="text-data">{code}</dt>
              <dd className="text-base text-2">{closeReasons[name] ?? name}</dd>
            </div>
          ))}
        </dl>
      </Panel>
    </div>
  )
}

function Messages({ title, schema }: { title: string; schema: JsonSchema }) {
  return (
    <Panel title={title} className="lg:col-span-2">
      <ul className="-mb-6 gap-10 lg:columns-2">
        {(schema.oneOf ?? schema.anyOf ?? [schema]).map((message) => {
          const type = String(message.properties?.type?.const ?? 'message')
          return (
            <li key={type} className="break-inside-avoid pb-6">
              <h3 className="mb-2 text-data font-semibold">{type}</h3>
              <SchemaTable rows={listSchemaRows(message).filter(({ name }) => !name.includes('.'))} />
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

function createPageExample(address: string): string {
  return `const socket = new WebSocket('${address}')
socket.onopen = () => {
  const type = 'authenticate'
  const request = { type, walletAddress, lastIndex, logId }
  socket.send(JSON.stringify(request))
}
socket.onmessage = ({ data }) => {
  const { type, alert } = JSON.parse(data)
  if (type !== 'new_alert') return
  console.log(alert.asset, alert.summary)
}`
}

function createProgramExample(address: string): string {
  return `import { privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import WebSocket from 'ws'

const wallet = privateKeyToAccount(process.env.BOT_KEY)
const socket = new WebSocket('${address}')
socket.on('message', async (text) => {
  const { type, alert, ...rest } = JSON.parse(String(text))
  if (type === 'new_alert') console.log(alert.summary)
  if (type === 'authentication_failed') throw new Error(rest.message)
  if (type !== 'challenge') return
  const { issuedAt, expiresAt, ...challenge } = rest
  const message = createSiweMessage({
    ...challenge,
    version: '1',
    address: wallet.address,
    issuedAt: new Date(issuedAt),
    expirationTime: new Date(expiresAt),
  })
  const answer = {
    type: 'auth',
    walletAddress: wallet.address,
    message,
    signature: await wallet.signMessage({ message }),
  }
  socket.send(JSON.stringify(answer))
})`
}
