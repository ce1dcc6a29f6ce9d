import { parseBundle, type Rpc } from '@tocsin/proof'
import { describe, expect, it } from 'vitest'
import vectors from '../../../../../packages/proof/src/vectors/bundles.json'
import type { ChainRpc } from './chain-rpc.ts'
import type { BundleChecked, ProofTask, TaskAnswers } from './proof-task.ts'
import { runTask } from './run-task.ts'

const bundle = parseBundle(vectors.bundle)
const { firstSigner, anchor } = bundle
const trust = { firstSigner, domain: { chainId: anchor.chainId, verifyingContract: anchor.contract } }
const rpcUrl = 'https://node.example/'

type Task = Extract<ProofTask, { kind: 'verify' }>
const task = (...bundles: Task['bundles']): Task => ({ kind: 'verify', bundles, trust, rpcUrl })
const withAlert = (changes: object) => ({ ...bundle, alert: { ...bundle.alert, ...changes } })

/** A chain with the recorded answers, or one that is away. */
function openRecorded(isAway = false): ChainRpc {
  const answers = new Map(Object.entries<unknown>(vectors.answers))
  let requests = 0
  const rpc: Rpc = async (method, params) => {
    requests++
    const key = `${method} ${JSON.stringify(params)}`
    if (isAway || !answers.has(key)) throw new Error('Nothing answers')
    return answers.get(key)
  }
  return { rpc, problem: () => (isAway ? 'Nothing answers at this address.' : null), requests: () => requests }
}

async function run(asked: Task, chain = openRecorded()) {
  const progress: BundleChecked[] = []
  // A task of kind 'verify' has answers of that kind.
  const onProgress = (answer: TaskAnswers[keyof TaskAnswers]) => progress.push(answer as BundleChecked)
  const answer = (await runTask(asked, onProgress, () => chain)) as BundleChecked
  return { answer, progress }
}

it('refuses to check nothing', async () => {
  await expect(run(task())).rejects.toThrow('There is nothing to check')
})

it.each([
  ['as it is', bundle, 'unavailable'],
  ['with another word in it', withAlert({ summary: 'Other' }), 'failed'],
])('offline a bundle %s asks nobody', async (_, checked, verdict) => {
  const chain = openRecorded()
  const answer = await runTask(
    { kind: 'verifyOffline', bundle: checked, trust },
    () => {},
    () => chain,
  )
  expect(answer).toMatchObject({ verdict })
  expect(chain.requests()).toBe(0)
})

describe('a bundle', () => {
  it.each([
    ['with another word in it', withAlert({ summary: 'Other' }), 1],
    ['of another signature', withAlert({ signature: `0x${'11'.repeat(64)}1b` }), 2],
    ['without its key lists', { ...bundle, keys: [] }, 2],
    ['with a broken path', withAlert({ merklePath: [] }), 3],
    ['of another transaction', withAlert({ avalancheTx: `0x${'77'.repeat(32)}` }), null],
  ])('%s is not verified', async (_, changed, step) => {
    const { verification } = (await run(task(changed))).answer
    expect(verification.verdict).toBe(step === null ? 'unavailable' : 'failed')
    expect(verification.step).toBe(step)
  })

  it('is verified by what the chain says, with the block', async () => {
    const { answer } = await run(task(bundle))
    expect(answer.verification).toMatchObject({ verdict: 'verified', step: null })
    expect(answer.anchor?.blockAt).toBe(answer.verification.blockAt)
    expect(answer.asked).toMatchObject({ rpcUrl, problem: null })
    expect(answer.asked.requests).toBeGreaterThan(0)
  })

  it('can’t be checked while the chain is away, which is no failure', async () => {
    const { answer } = await run(task(bundle), openRecorded(true))
    expect(answer.verification).toMatchObject({ verdict: 'unavailable', failed: null })
    expect(answer.asked.problem).toBe('Nothing answers at this address.')
  })

  it('tells what holds without the chain before the chain is asked', async () => {
    const { progress } = await run(task(bundle))
    expect(progress.map(({ asked }) => asked.requests)).toEqual([0])
    expect(progress[0]?.verification.verdict).toBe('unavailable')
    expect(progress[0]?.verification.checks[2]?.status).toBe('passed')
  })
})

it('checks each way to read a claim until one fails', async () => {
  const wrong = withAlert({ signature: `0x${'11'.repeat(64)}1b` })
  expect((await run(task(bundle, wrong))).answer.verification.step).toBe(2)
  expect((await run(task(wrong, bundle))).answer.verification.step).toBe(2)
  expect((await run(task(bundle, bundle))).answer.verification.verdict).toBe('verified')
})
