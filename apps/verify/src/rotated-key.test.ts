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
import { type LogTestBed, readBundle, startLogTestBed } from '../test/support/log-test-bed.ts'
import { createRpc } from './rpc.ts'

/**
 * Rotates the signing key of a running log with the operator's command, and tests verification by
 * server, browser and command line.
 */

const keys = { signerKey: testKey(0x61), signerKeyNext: testKey(0x62) }
const [oldKey, newKey] = [hexToBytes(keys.signerKey), hexToBytes(keys.signerKeyNext)]

let testBed: LogTestBed
let cli: CliTestBed
let alertBefore: Alert
let alertAfter: Alert

beforeAll(async () => {
  testBed = await startLogTestBed(() => keys)
  const { databaseUrl, anchor } = testBed.server.ctx.config
  cli = createCliTestBed({
    ...productionEnv(databaseUrl, testBed.chain),
    ANCHOR_CONTRACT: anchor.contract,
    SIGNER_KEY: keys.signerKey,
    SIGNER_KEY_NEXT: keys.signerKeyNext,
  })
  alertBefore = await testBed.issue(2)
  const { code, out, err } = await cli.run('signer rotate')
  expect([code, out + err]).toEqual([0, expect.stringMatching(/^Log entry 3 changes the signing key from 0x/)])
  alertAfter = await testBed.issue(2)
})
afterAll(async () => {
  cli?.remove()
  await testBed?.close()
})

async function verifyOnServer(pastedAlert: Alert) {
  const { id, signature, merklePath, avalancheTx } = pastedAlert
  const body = { alertId: id, signature, merklePath, avalancheTx: avalancheTx ?? '', alert: pastedAlert }
  const { verdict, failedStep, reason } = await testBed.server.createClient().call('verifyAlert', { body })
  return { verdict, step: failedStep, reason }
}

/** Verifies the proof bundle of an alert with the package that browsers run. */
async function verifyInPackage(alert: Alert) {
  const bundle = parseBundle(await readBundle(testBed, alert))
  const { chainId, contract } = testBed.server.ctx.config.anchor
  const trust = {
    firstSigner: addressOfKey(oldKey),
    domain: { chainId, verifyingContract: contract },
  }
  const rpc = createRpc(new URL(testBed.chain.url), { timeoutMs: 10_000 })
  const { verdict, step, checks } = await verifyBundle(bundle, { trust, rpc })
  return { verdict, step, reason: step === null ? null : checks[step - 1]?.reason }
}

function createPinArgs(): string[] {
  const { contract, chainId } = testBed.server.ctx.config.anchor
  const domain = ['--contract', contract, '--chain-id', String(chainId)]
  return ['--rpc', testBed.chain.url, '--first-signer', addressOfKey(oldKey), ...domain]
}

async function verifyByCommand(alert: Alert) {
  const { outcome } = await runVerifyJson(['-', ...createPinArgs()], JSON.stringify(await readBundle(testBed, alert)))
  const at = outcome.steps.findIndex(({ status }) => status === 'failed')
  return { verdict: outcome.verdict, step: at < 0 ? null : at + 1, reason: outcome.failure?.reason ?? null }
}

const verifiers = { server: verifyOnServer, browser: verifyInPackage, command: verifyByCommand }

/** Returns a copy of an alert that the old key has signed, with the original Merkle path. */
function signByOldKey(alert: Alert): Alert {
  const { chainId, contract } = testBed.server.ctx.config.anchor
  const statement = parseAlert({ ...alert, index: alert.logIndex, signer: addressOfKey(oldKey) })
  const signature = signDigest(hashAlert({ chainId, verifyingContract: contract }, statement), oldKey)
  return { ...alert, signer: statement.signer, signature, leafHash: bytesToHex(hashLeaf(encodeAlert(statement))) }
}

test('entries after the rotation are signed by the new key', () => {
  expect([alertBefore.signer, alertAfter.signer]).toEqual([addressOfKey(oldKey), addressOfKey(newKey)])
  expect(alertBefore.logIndex).toBeLessThan(3)
  expect(alertAfter.logIndex).toBeGreaterThan(3)
})

test.each(Object.entries(verifiers))('%s rejects signatures by the old key after its window', async (_name, verify) => {
  const answer = await verify(signByOldKey(alertAfter))
  expect(answer).toMatchObject({ verdict: 'failed', step: 2, reason: expect.stringMatching(/signs entries 0 to 3/) })
})

test.each(Object.entries(verifiers))('%s verifies alerts of both keys', async (_name, verify) => {
  for (const alert of [alertBefore, alertAfter])
    expect(await verify(alert)).toEqual({ verdict: 'verified', step: null, reason: null })
})

test('the whole log is verified from its first key, and fails when the old key signed an entry after its window', async () => {
  const args = ['--from-url', testBed.server.url, ...createPinArgs()]
  expect((await runVerifyJson(args)).outcome).toMatchObject({ verdict: 'verified', keyLists: 2, alerts: 4 })
  const { logIndex, signature, leafHash, ...forgedAlert } = signByOldKey(alertAfter)
  const bytes = bytesToHex(encodeAlert(parseAlert({ ...forgedAlert, index: logIndex }))).slice(2)
  const values = `bytes = '\\x${bytes}', leaf_hash = '\\x${leafHash.slice(2)}', signature = '${signature}'`
  await testBed.server.ctx.db.execute(
    `begin; set local session_replication_role = replica; update log_entries set ${values} where index = ${logIndex}; commit`,
  )
  const { code, outcome } = await runVerifyJson(args)
  expect([code, outcome.failure]).toEqual([
    1,
    { step: 'entries', index: logIndex, reason: expect.stringMatching(/which signs entries 0 to 3/) },
  ])
})
