import { describe, expect, test } from 'vitest'
import { answerChallenge, type WalletStep } from './answer-challenge.ts'
import { WalletError } from './wallet-error.ts'
import { WalletStore } from './wallet-store.ts'

const mine = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const never = new Promise<string>(() => {})

interface Scene {
  uid?: string | null
  connect?: () => Promise<string>
  sign?: () => Promise<string>
  /** What the wallet shows once it has signed. */
  shows?: string | null
  refuse?: (address: string) => string | null
}

function play({ uid = 'a', connect, sign, shows = mine, refuse }: Scene) {
  const store = new WalletStore()
  store.update({ chainId: 137 })
  const steps: WalletStep[] = []
  const sent: unknown[] = []
  const controller = new AbortController()
  const outcome = answerChallenge(
    {
      ...(refuse ? { refuse } : {}),
      challenge: async (address, chainId) => ({ message: `for ${address} on ${chainId}` }),
      answer: async (signed) => void sent.push(signed),
    },
    {
      engine: {
        connect: connect ?? (async () => mine),
        sign:
          sign ??
          (async () => {
            store.update({ address: shows })
            return '0xsigned'
          }),
      },
      store,
      uid,
      signal: controller.signal,
      onStep: (step) => steps.push(step),
    },
  )
  return { outcome, steps, sent, store, controller }
}

describe('nothing is sent', () => {
  const rejected = new WalletError('rejected', 'You cancelled in your wallet. Nothing was sent.')
  test.each<[string, Scene, RegExp]>([
    ['the person refuses to connect', { connect: () => Promise.reject(rejected) }, /You cancelled/],
    ['the person refuses to sign', { sign: () => Promise.reject(rejected) }, /You cancelled/],
    ['the account will not do', { refuse: () => 'This account is not yours.' }, /^This account is not yours\.$/],
    ['the wallet moved to another account', { shows: other }, /for 0x7099…79C8, but your wallet shows 0x3C44…93BC/],
    ['the wallet was disconnected meanwhile', { shows: null }, /shows no account any more/],
    ['nothing is connected', { uid: null }, /Wallet not connected/],
  ])('when %s', async (_case, scene, sentence) => {
    const { outcome, sent } = play(scene)
    await expect(outcome).rejects.toThrow(sentence)
    expect(sent).toEqual([])
  })

  test.each<[string, Scene]>([
    ['to connect', { connect: () => never }],
    ['to sign', { sign: () => never }],
  ])('when a wallet is left alone that was asked %s', async (_case, scene) => {
    const { outcome, sent, controller } = play(scene)
    controller.abort(new WalletError('stopped', 'Stopped.'))
    await expect(outcome).rejects.toThrow('Stopped.')
    expect(sent).toEqual([])
  })
})

test('the signed message of the connected account is handed over, step by step', async () => {
  const { outcome, sent, steps } = play({})
  await outcome
  expect(sent).toEqual([{ message: `for ${mine} on 137`, signature: '0xsigned' }])
  expect(steps).toEqual(['connecting', 'signing', 'checking'])
})
