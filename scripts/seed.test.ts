import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const address = `0x${'11'.repeat(20)}`
const productionSettings = `
PUBLIC_URL=https://alerts.example.com
DATABASE_URL=postgres://tocsin@127.0.0.1:9/tocsin
CHAIN_ID=1
PAYMENT_RPC_URL=http://127.0.0.1:9
TOKEN_ADDRESS=${address}
TREASURY_ADDRESS=${address}
ANCHOR_CHAIN_ID=43114
ANCHOR_RPC_URL=http://127.0.0.1:9
ANCHOR_CONTRACT=${address}
ANCHOR_KEY=0x${'22'.repeat(32)}
SIGNER_KEY=0x${'33'.repeat(32)}
APP_SECRET=${'44'.repeat(32)}
SMTP_URL=smtp://127.0.0.1:9
MAIL_FROM=alerts@example.com
`

test('seed: refuses to run on a production installation, when its settings are in .env', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-seed-'))
  try {
    writeFileSync(join(folder, '.env'), productionSettings)
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), resolve('scripts/seed.ts')],
      // Without a demo, the command starts nothing even if it ignores the file.
      { cwd: folder, env: { PATH: process.env.PATH, DEMO: 'false' }, encoding: 'utf8' },
    )
    expect(stderr).toBe('This is a production installation. Only a demo can be filled with made-up data.\n')
    expect(status).toBe(1)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
