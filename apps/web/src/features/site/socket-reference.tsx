import { CodeBlock } from '../../ui/code-block.tsx'
import { Panel } from '../../ui/panel.tsx'
import type { JsonSchema, SocketDescription } from './api-document.ts'
import { listSchemaRows } from './schema-rows.ts'
import { SchemaTable } from './schema-table.tsx'

const closeWords: Record<string, string> = {
  entitlementEnded: 'The plan has ended',
  sessionEnded: 'The session has ended',
  tooManySockets: 'Too many sockets of this account; the oldest is closed',
  restart: 'The server restarts: connect again',
  policy: 'A rule was broken, such as too many messages',
}

/** The live stream: what is said both ways, and why it closes. */
export function SocketReference({ socket }: { socket: SocketDescription }) {
  const address = `${window.location.origin.replace(/^http/, 'ws')}${socket.path}`
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel title="Connect" className="lg:col-span-2">
        <p className="max-w-170 text-body text-2">
          Open the socket with a session cookie and the site’s Origin, name a wallet that this session has proved, and
          say the last log index that you have seen: you get exactly what came after it, in order, then{' '}
          <code>live</code>. An alert comes at once with its signature, and again with path and transaction.
        </p>
        <CodeBlock code={connectExample(address)} copyLabel="Copy TypeScript" className="mt-4" />
      </Panel>
      <Messages title="You send" schema={socket.clientMessages} />
      <Messages title="The server sends" schema={socket.serverMessages} />
      <Panel title="Why it closes" flush className="lg:col-span-2">
        <dl>
          {Object.entries(socket.closeCodes).map(([name, code]) => (
            <div key={name} className="flex gap-6 border-b border-line-1 px-5 py-3 last:border-b-0 phone:px-4">
              <dt className="text-data">{code}</dt>
              <dd className="text-base text-2">{closeWords[name] ?? name}</dd>
            </div>
          ))}
        </dl>
      </Panel>
    </div>
  )
}

function Messages({ title, schema }: { title: string; schema: JsonSchema }) {
  return (
    <Panel title={title}>
      <ul className="flex flex-col gap-6">
        {(schema.oneOf ?? schema.anyOf ?? [schema]).map((message) => {
          const type = String(message.properties?.type?.const ?? 'message')
          return (
            <li key={type}>
              <h3 className="mb-2 text-data font-medium text-signal">{type}</h3>
              <SchemaTable rows={listSchemaRows(message).filter(({ name }) => !name.includes('.'))} />
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

function connectExample(address: string): string {
  return `import WebSocket from 'ws'

const socket = new WebSocket('${address}', {
  headers: { Cookie: sessionCookie, Origin: '${window.location.origin}' },
})
socket.on('open', () => {
  socket.send(JSON.stringify({ type: 'authenticate', walletAddress, lastIndex }))
})
socket.on('message', (text) => {
  const message = JSON.parse(text.toString())
  if (message.type === 'new_alert') console.log(message.alert.asset, message.alert.summary)
})`
}
