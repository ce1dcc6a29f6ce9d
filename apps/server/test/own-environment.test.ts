import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/build-stamp.mjs'
import { ownEnvironment } from '../../../scripts/own-environment.mjs'

test('ownEnvironment: throws if a database URL, a node URL or a .env file exists, and removes other product settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-own-environment-'))
  try {
    for (const name of ['DATABASE_URL', 'DATABASE_URL_FILE', 'PAYMENT_RPC_URL', 'ANCHOR_RPC_URL']) {
      expect(() => ownEnvironment({}, { [name]: 'x' }, folder)).toThrow(`${name} is set`)
    }
    const sourceEnv = {
      PATH: '/bin',
      SIGNER_KEY: '0x1',
      DATA_DIR: '/var/lib/tocsin',
      SMTP_URL: 'smtp://x',
      DATABASE_URL: '',
    }
    expect(ownEnvironment({ PORT: '1' }, sourceEnv, folder)).toEqual({ PATH: '/bin', PORT: '1' })
    writeFileSync(join(folder, '.env'), '')
    expect(() => ownEnvironment({}, {}, folder)).toThrow('there is a .env')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('ownEnvironment: is used by every benchmark and test that starts the product', () => {
  const files = ['bench', 'e2e', 'fault-tests'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.m?[jt]s$/.test(name) && !name.includes('node_modules'))
      .map((name) => join(root, folder, name)),
  )
  const startingFiles = files.filter((file) => /scripts\/start\.mjs|'npm', \['start'/.test(readFileSync(file, 'utf8')))
  expect(startingFiles.length).toBeGreaterThan(2)
  expect(startingFiles.filter((file) => !readFileSync(file, 'utf8').includes('ownEnvironment('))).toEqual([])
})
