import { parseBundle, type Rpc } from '@tocsin/proof'
import { describe, expect, it } from 'vitest'
import vectors from '../../../../../packages/proof/src/vectors/bundles.json'
import type { ChainRpc } from './chain-rpc.ts'
import type { BundleCheckResult, ProofTask, TaskResults } from './proof-task.ts'
import { runTask } from './run-task.ts'

const bundle = parseBundle(vectors.bundle)
const { firstSigner, anchor } = bundle
const trustAnchors = { firstSigner, domain: { chainId: anchor.chainId, verifyingContract: anchor.contract } }
const rpcUrl = 'https://node.example/'

type Task = Extract<ProofTask, { kind: 'verify' }>
const verifyTask = (...bundles: Task['bundles']): Task => ({ kind: 'verify', bundles, trust: trustAnchors, rpcUrl })
const changeAlert = (changes: object) => ({ ...bundle, alert: { ...bundle.alert, ...changes } })

/** A fake chain with recorded responses, optionally unreachable. */
function openRecordedChain(isUnreachable = false): ChainRpc {
  const responses = new Map(Object.entries<unknown>(vectors.answers))
  let requests = 0
  const rpc: Rpc = async (method, params) => {
    requests++
    const key = `${method} ${JSON.stringify(params)}`
    if (isUnreachable || !responses.has(key)) throw new Error('Nothing answers')
    return responses.get(key)
  }
  return {
    rpc,
    getProblem: () => (isUnreachable ? 'No server responds at this address. Check the address.' : null),
    getRequestCount: () => requests,
  }
}

async function runTestTask(task: Task, chain = openRecordedChain()) {
  const progress: BundleCheckResult[] = []
  // Safe cast: a 'verify' task reports results of this type.
  const onProgress = (result: TaskResults[keyof TaskResults]) => progress.push(result as BundleCheckResult)
  const result = (await runTask(task, onProgress, { openChain: () => chain })) as BundleCheckResult
  return { result, progress }
}

it('runTask: rejects a task without bundles', async () => {
  await expect(runTestTask(verifyTask())).rejects.toThrow('There is nothing to check')
})

it.each([
  ['a valid bundle', bundle, 'unavailable'],
  ['a bundle with a changed summary', changeAlert({ summary: 'Other' }), 'failed'],
])('runTask: verifies %s offline without requests', async (_, checkedBundle, verdict) => {
  const chain = openRecordedChain()
  const openChain = () => chain
  const result = await runTask({ kind: 'verifyOffline', bundle: checkedBundle, trust: trustAnchors }, () => {}, {
    openChain,
  })
  expect(result).toMatchObject({ verdict })
  expect(chain.getRequestCount()).toBe(0)
})

it('runTask: verifies a bundle without requests when no node is given', async () => {
  const chain = openRecordedChain()
  const { result } = await runTestTask({ ...verifyTask(bundle, bundle), rpcUrl: '' }, chain)
  expect(result.verification).toMatchObject({ verdict: 'unavailable', failed: null })
  expect(result.nodeUsage).toMatchObject({ rpcUrl: '', problem: null })
  const changedAlertRun = await runTestTask({ ...verifyTask(changeAlert({ summary: 'Other' })), rpcUrl: '' }, chain)
  expect(changedAlertRun.result.verification.step).toBe(1)
  expect(chain.getRequestCount()).toBe(0)
})

describe('runTask: a bundle', () => {
  it.each([
    ['with a changed summary', changeAlert({ summary: 'Other' }), 1],
    ['with another signature', changeAlert({ signature: `0x${'11'.repeat(64)}1b` }), 2],
    ['without its key lists', { ...bundle, keys: [] }, 2],
    ['with an invalid path', changeAlert({ merklePath: [] }), 3],
    ['with another transaction', changeAlert({ avalancheTx: `0x${'77'.repeat(32)}` }), null],
  ])('%s is not verified', async (_, changedBundle, step) => {
    const { verification } = (await runTestTask(verifyTask(changedBundle))).result
    expect(verification.verdict).toBe(step === null ? 'unavailable' : 'failed')
    expect(verification.step).toBe(step)
  })

  it('is verified against the chain, and the result includes the time of the block', async () => {
    const { result } = await runTestTask(verifyTask(bundle))
    expect(result.verification).toMatchObject({ verdict: 'verified', step: null })
    expect(result.anchor?.blockAt).toBe(result.verification.blockAt)
    expect(result.nodeUsage).toMatchObject({ rpcUrl, problem: null })
    expect(result.nodeUsage.requestCount).toBeGreaterThan(0)
  })

  it('is "unavailable", not failed, when the chain is unreachable', async () => {
    const { result } = await runTestTask(verifyTask(bundle), openRecordedChain(true))
    expect(result.verification).toMatchObject({ verdict: 'unavailable', failed: null })
    expect(result.nodeUsage.problem).toBe('No server responds at this address. Check the address.')
  })

  it('is first checked without the chain, and these results are reported before the first request', async () => {
    const { progress } = await runTestTask(verifyTask(bundle))
    expect(progress.map(({ nodeUsage }) => nodeUsage.requestCount)).toEqual([0])
    expect(progress[0]?.verification.verdict).toBe('unavailable')
    expect(progress[0]?.verification.checks[2]?.status).toBe('passed')
  })
})

it('runTask: verifies all variants of a claim until one fails', async () => {
  const wrongBundle = changeAlert({ signature: `0x${'11'.repeat(64)}1b` })
  expect((await runTestTask(verifyTask(bundle, wrongBundle))).result.verification.step).toBe(2)
  expect((await runTestTask(verifyTask(wrongBundle, bundle))).result.verification.step).toBe(2)
  expect((await runTestTask(verifyTask(bundle, bundle))).result.verification.verdict).toBe('verified')
})
