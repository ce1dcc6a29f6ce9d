import { apiReferenceTexts } from '../../texts/api-reference.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Panel } from '../../ui/panel.tsx'
import type { JsonSchema, SocketDescription } from './api-document.ts'
import { listSchemaRows } from './schema-rows.ts'
import { SchemaTable } from './schema-table.tsx'

const texts = apiReferenceTexts.socketReference

const closeReasons: Record<string, string> = {
  entitlementEnded: texts.planHasEnded,
  sessionEnded: texts.sessionHasEnded,
  tooManySockets: texts.tooManySockets,
  restart: texts.serverRestartsConnectAgain,
  policy: texts.ruleWasBrokenTooMany,
}

/** Reference of the WebSocket stream: messages in both directions and close codes. */
export function SocketReference({ socket }: { socket: SocketDescription }) {
  const address = `${window.location.origin.replace(/^http/, 'ws')}${socket.path}`
  return (
    <div className="grid gap-4 lg:grid-cols-2 lg:grid-rows-[auto_1fr]">
      <Panel title={texts.connectFromAPage}>
        <p className="max-w-170 text-body text-2">{texts.browserSendsTheSessions}</p>
        <CodeBlock code={pageExample(address)} copyLabel={texts.copyTypescript} className="mt-4" />
      </Panel>
      <Panel title={texts.connectFromAProgram} className="lg:row-span-2">
        <p className="max-w-170 text-body text-2">{texts.withoutCookieAndOrigin}</p>
        <CodeBlock code={programExample(address)} copyLabel={texts.copyTypescript} className="mt-4" />
      </Panel>
      <Panel title={texts.loseNothing}>
        <p className="max-w-170 text-body text-2">{texts.sayTheLastLogIndex}</p>
      </Panel>
      <Messages title={texts.youSend} schema={socket.clientMessages} />
      <Messages title={texts.serverSends} schema={socket.serverMessages} />
      <Panel title={texts.whyItCloses} flush className="lg:col-span-2">
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

function pageExample(address: string): string {
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

function programExample(address: string): string {
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
