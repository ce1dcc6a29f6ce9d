import { describe, expect, test } from 'vitest'
import { answerChallenge, type WalletStep } from './answer-challenge.ts'
import { WalletError } from './wallet-error.ts'
import { WalletStore } from './wallet-store.ts'

const ownAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const otherAddress = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const pendingForever = new Promise<string>(() => {})

interface ChallengeSetup {
  uid?: string | null
  connect?: () => Promise<string>
  challenge?: () => Promise<{ message: string }>
  sign?: () => Promise<string>
  /** The account that the wallet reports after signing. */
  addressAfter?: string | null
  checkAddress?: (address: string) => string | null
}

function startChallenge({
  uid = 'a',
  connect,
  challenge,
  sign,
  addressAfter = ownAddress,
  checkAddress,
}: ChallengeSetup) {
  const store = new WalletStore()
  store.update({ chainId: 137 })
  const steps: WalletStep[] = []
  const sent: unknown[] = []
  const controller = new AbortController()
  const outcome = answerChallenge(
    {
      ...(checkAddress ? { checkAddress } : {}),
      challenge: challenge ?? (async (address, chainId) => ({ message: `for ${address} on ${chainId}` })),
      answer: async (signedAnswer) => void sent.push(signedAnswer),
    },
    {
      engine: {
        connect: connect ?? (async () => ownAddress),
        sign:
          sign ??
          (async () => {
            store.update({ address: addressAfter })
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

describe('answerChallenge: submits nothing', () => {
  const rejectionError = new WalletError('rejected', 'You cancelled in your wallet. Nothing was sent.')
  test.each<[string, ChallengeSetup, RegExp]>([
    ['the user rejects the connection', { connect: () => Promise.reject(rejectionError) }, /You cancelled/],
    ['the user rejects the signature', { sign: () => Promise.reject(rejectionError) }, /You cancelled/],
    [
      'the account can’t be used',
      { checkAddress: () => 'This account is not yours.' },
      /^This account is not yours\.$/,
    ],
    [
      'the wallet changes to another account',
      { addressAfter: otherAddress },
      /for 0x7099…79C8, but your wallet shows 0x3C44…93BC/,
    ],
    ['the wallet disconnects during the request', { addressAfter: null }, /shows no account\./],
    ['no wallet is connected', { uid: null }, /Wallet not connected/],
  ])('when %s', async (_case, setup, message) => {
    const { outcome, sent } = startChallenge(setup)
    await expect(outcome).rejects.toThrow(message)
    expect(sent).toEqual([])
  })

  test.each<[string, ChallengeSetup]>([
    ['connecting', { connect: () => pendingForever }],
    ['signing', { sign: () => pendingForever }],
  ])('when the signal is aborted while the wallet is %s', async (_case, setup) => {
    const { outcome, sent, controller } = startChallenge(setup)
    controller.abort(new WalletError('stopped', 'Stopped.'))
    await expect(outcome).rejects.toThrow('Stopped.')
    expect(sent).toEqual([])
  })
})

test('answerChallenge: requests no signature from the wallet when the signal is aborted before the challenge arrives', async () => {
  let respond: (challenge: { message: string }) => void = () => {}
  let signRequests = 0
  const { outcome, controller } = startChallenge({
    challenge: () => new Promise((resolve) => (respond = resolve)),
    sign: async () => {
      signRequests += 1
      return '0xsigned'
    },
  })
  const rejection = expect(outcome).rejects.toThrow('Stopped.')
  await new Promise(setImmediate)
  controller.abort(new WalletError('stopped', 'Stopped.'))
  respond({ message: 'late' })
  await rejection
  await new Promise(setImmediate)
  expect(signRequests).toBe(0)
})

test('answerChallenge: submits the signed message and reports each step', async () => {
  const { outcome, sent, steps } = startChallenge({})
  await outcome
  expect(sent).toEqual([{ message: `for ${ownAddress} on 137`, signature: '0xsigned' }])
  expect(steps).toEqual(['connecting', 'signing', 'checking'])
})
