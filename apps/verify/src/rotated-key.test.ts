import {
  addressOfKey,
  bytesToHex,
  encodeAlert,
  hashAlert,
  hashLeaf,
  hexToBytes,
  parseAlert,
  parseBundle,
  signDigest,
  verifyBundle,
} from '@tocsin/proof'
import type { Alert } from '@tocsin/protocol'
import { type CliTestBed, createCliTestBed } from '@tocsin/server/test/support/cli-test-bed.ts'
import { productionEnv, testKey } from '@tocsin/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runVerifyJson } from '../test/support/command-test-bed.ts'
import { type LogBed, readBundle, startLogBed } from '../test/support/log-test-bed.ts'
import { createRpc } from './rpc.ts'

/**
 * Rotates the signing key of a running log with the operator's command, and tests verification by
 * server, browser and command line.
 */

const keys = { signerKey: testKey(0x61), signerKeyNext: testKey(0x62) }
const [oldKey, newKey] = [hexToBytes(keys.signerKey), hexToBytes(keys.signerKeyNext)]

let bed: LogBed
let cli: CliTestBed
let before: Alert
let after: Alert

beforeAll(async () => {
  bed = await startLogBed(() => keys)
  const { databaseUrl, anchor } = bed.server.ctx.config
  cli = createCliTestBed({
    ...productionEnv(databaseUrl, bed.chain),
    ANCHOR_CONTRACT: anchor.contract,
    SIGNER_KEY: keys.signerKey,
    SIGNER_KEY_NEXT: keys.signerKeyNext,
  })
  before = await bed.issue(2)
  const { code, out, err } = await cli.run('signer rotate')
  expect([code, out + err]).toEqual([0, expect.stringMatching(/^Log entry 3 changes the signing key from 0x/)])
  after = await bed.issue(2)
})
afterAll(async () => {
  cli?.remove()
  await bed?.close()
})

async function askServer(pasted: Alert) {
  const { id, signature, merklePath, avalancheTx } = pasted
  const body = { alertId: id, signature, merklePath, avalancheTx: avalancheTx ?? '', alert: pasted }
  const { verdict, failedStep, reason } = await bed.server.createClient().call('verifyAlert', { body })
  return { verdict, step: failedStep, reason }
}

/** Runs the verification of browsers. */
async function askPackage(alert: Alert) {
  const bundle = parseBundle(await readBundle(bed, alert))
  const { chainId, contract } = bed.server.ctx.config.anchor
  const trust = {
    firstSigner: addressOfKey(oldKey),
    domain: { chainId, verifyingContract: contract },
  }
  const rpc = createRpc(new URL(bed.chain.url), { timeoutMs: 10_000 })
  const { verdict, step, checks } = await verifyBundle(bundle, { trust, rpc })
  return { verdict, step, reason: step === null ? null : checks[step - 1]?.reason }
}

function givePins(): string[] {
  const { contract, chainId } = bed.server.ctx.config.anchor
  const domain = ['--contract', contract, '--chain-id', String(chainId)]
  return ['--rpc', bed.chain.url, '--first-signer', addressOfKey(oldKey), ...domain]
}

async function askCommand(alert: Alert) {
  const { outcome } = await runVerifyJson(['-', ...givePins()], JSON.stringify(await readBundle(bed, alert)))
  const at = outcome.steps.findIndex(({ status }) => status === 'failed')
  return { verdict: outcome.verdict, step: at < 0 ? null : at + 1, reason: outcome.failure?.reason ?? null }
}

const verifiers = { server: askServer, browser: askPackage, command: askCommand }

/** Signs the newest alert with the old key. The Merkle path stays the same. */
function signByOldKey(alert: Alert): Alert {
  const { chainId, contract } = bed.server.ctx.config.anchor
  const statement = parseAlert({ ...alert, index: alert.logIndex, signer: addressOfKey(oldKey) })
  const signature = signDigest(hashAlert({ chainId, verifyingContract: contract }, statement), oldKey)
  return { ...alert, signer: statement.signer, signature, leafHash: bytesToHex(hashLeaf(encodeAlert(statement))) }
}

test('entries after the rotation are signed by the new key', () => {
  expect([before.signer, after.signer]).toEqual([addressOfKey(oldKey), addressOfKey(newKey)])
  expect(before.logIndex).toBeLessThan(3)
  expect(after.logIndex).toBeGreaterThan(3)
})

test.each(Object.entries(verifiers))('%s rejects signatures by the old key after its window', async (_name, ask) => {
  const answer = await ask(signByOldKey(after))
  expect(answer).toMatchObject({ verdict: 'failed', step: 2, reason: expect.stringMatching(/signs entries 0 to 3/) })
})

test.each(Object.entries(verifiers))('%s verifies alerts of both keys', async (_name, ask) => {
  for (const alert of [before, after])
    expect(await ask(alert)).toEqual({ verdict: 'verified', step: null, reason: null })
})

test('the whole log is verified from its first key, and rejects the old key after its window', async () => {
  const args = ['--from-url', bed.server.url, ...givePins()]
  expect((await runVerifyJson(args)).outcome).toMatchObject({ verdict: 'verified', keyLists: 2, alerts: 4 })
  const { logIndex, signature, leafHash, ...forged } = signByOldKey(after)
  const bytes = bytesToHex(encodeAlert(parseAlert({ ...forged, index: logIndex }))).slice(2)
  const values = `bytes = '\\x${bytes}', leaf_hash = '\\x${leafHash.slice(2)}', signature = '${signature}'`
  await bed.server.ctx.db.execute(
    `begin; set local session_replication_role = replica; update log_entries set ${values} where index = ${logIndex}; commit`,
  )
  const { code, outcome } = await runVerifyJson(args)
  expect([code, outcome.failure]).toEqual([
    1,
    { step: 'entries', index: logIndex, reason: expect.stringMatching(/which signs entries 0 to 3/) },
  ])
})
