import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pairing } from './pairing.ts'
import { type RelayClient, RemoteWallet } from './remote-wallet.ts'

const ownAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const otherAddress = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const stranger = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const topic = 'a'.repeat(64)
const getExpiryInAWeek = () => Math.floor(Date.now() / 1000) + 7 * 86_400

type RelayEvent = { topic: string; params?: unknown }
interface WalletSetup {
  accounts?: string[]
  methods?: string[]
  expiry?: number
  /** The topic of a session that an earlier page has stored. */
  storedTopic?: string
  approve?: () => Promise<void>
  answer?: (method: string) => unknown
  connect?: () => Promise<never>
}

/** A remote wallet with a fake relay client. */
function createWallet(setup: WalletSetup = {}) {
  const {
    accounts = [`eip155:31337:${ownAddress}`, `eip155:1:${ownAddress}`, `eip155:31337:${otherAddress}`],
    storedTopic,
  } = setup
  const methods = setup.methods ?? ['wallet_switchEthereumChain']
  const session = {
    topic,
    expiry: setup.expiry ?? getExpiryInAWeek(),
    namespaces: { eip155: { accounts, methods, events: [] } },
  }
  const listeners = new Map<string, (event: RelayEvent) => void>()
  const requests: { method: string; chainId: string }[] = []
  const disconnected: string[] = []
  const waitForApproval = async () => {
    await setup.approve?.()
    return session
  }
  const client = {
    connect: setup.connect ?? (async () => ({ uri: 'wc:link', approval: waitForApproval })),
    disconnect: async (end: { topic: string }) => void disconnected.push(end.topic),
    on: (name: string, listener: (event: RelayEvent) => void) => listeners.set(name, listener),
    request: async ({ chainId, request }: { chainId: string; request: { method: string } }) => {
      requests.push({ method: request.method, chainId })
      return setup.answer?.(request.method) ?? null
    },
    session: { getAll: () => [session] },
  }
  const stored = new Map(storedTopic === undefined ? [] : [['remoteWallet', storedTopic]])
  // The cast is safe: `client` implements the part of the library that RemoteWallet uses.
  const open = vi.fn(async () => client as unknown as RelayClient)
  const read = vi.fn(async () => '0x1')
  const wallet = new RemoteWallet({
    open,
    chainIds: [31337, 1, 137],
    read,
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
  })
  const emitted: [string, unknown][] = []
  for (const event of ['accountsChanged', 'chainChanged']) wallet.on(event, (value) => emitted.push([event, value]))
  const ask = (method: string, params?: unknown[]) => wallet.request({ method, ...(params ? { params } : {}) })
  const receive = (name: string, event: RelayEvent) => listeners.get(name)?.(event)
  return { ask, requests, disconnected, emitted, stored, open, read, receive }
}

describe('RemoteWallet without a session', () => {
  it('does not load the library when no pairing is requested', async () => {
    const { ask, open } = createWallet()
    expect(await ask('eth_accounts')).toEqual([])
    expect(await ask('eth_chainId')).toBe('0x7a69')
    expect(await ask('wallet_revokePermissions')).toBeNull()
    await expect(ask('personal_sign', ['0x00', ownAddress])).rejects.toMatchObject({ code: 4100 })
    await expect(ask('wallet_requestPermissions')).rejects.toMatchObject({ code: 4200 })
    expect(open).not.toHaveBeenCalled()
  })

  it.each<[string, WalletSetup]>([
    ['has expired', { storedTopic: topic, expiry: 1 }],
    ['is unknown', { storedTopic: 'b'.repeat(64) }],
  ])('removes the stored session when it %s', async (_name, setup) => {
    const { ask, stored } = createWallet(setup)
    expect(await ask('eth_accounts')).toEqual([])
    expect(stored.size).toBe(0)
  })

  it('retries on the next request when the library could not be loaded', async () => {
    const { ask, open } = createWallet({ storedTopic: topic })
    open.mockRejectedValueOnce(new Error('Failed to fetch dynamically imported module'))
    expect(await ask('eth_accounts')).toEqual([])
    expect(await ask('eth_accounts')).toEqual([ownAddress, otherAddress])
  })
})

describe('RemoteWallet pairing', () => {
  it.each([
    [{ code: 5000, message: 'User rejected.' }, { code: 4001 }],
    [{ code: 4001, message: 'User rejected.' }, { code: 4001 }],
    [{ code: -32000, message: 'Proposal expired' }, { code: -32000 }],
    ['not an error object', { code: -32603 }],
  ])('throws an EIP-1193 error when the peer rejects with %j', async (error, expectedError) => {
    const { ask, stored } = createWallet({ approve: () => Promise.reject(error) })
    await expect(ask('eth_requestAccounts')).rejects.toMatchObject(expectedError)
    expect([pairing.snapshot(), stored.size]).toEqual([null, 0])
  })

  it('rejects when the user cancels', async () => {
    const { ask, emitted } = createWallet({ approve: () => new Promise(() => {}) })
    const request = ask('eth_requestAccounts')
    await expect.poll(() => pairing.snapshot()?.link).toBe('wc:link')
    pairing.cancel()
    await expect(request).rejects.toMatchObject({ kind: 'rejected' })
    expect([pairing.snapshot(), emitted]).toEqual([null, []])
  })

  it('disconnects the session when the wallet approves it after the user has cancelled', async () => {
    let approve = () => {}
    const approval = new Promise<void>((resolve) => {
      approve = resolve
    })
    const { ask, disconnected, stored } = createWallet({ approve: () => approval })
    const request = ask('eth_requestAccounts')
    await expect.poll(() => pairing.snapshot()?.link).toBe('wc:link')
    pairing.cancel()
    await expect(request).rejects.toMatchObject({ kind: 'rejected' })
    approve()
    await expect.poll(() => disconnected).toEqual([topic])
    expect(stored.size).toBe(0)
  })

  it('selects the payment chain and restores the session on the next page', async () => {
    const { ask, stored } = createWallet()
    expect(await ask('eth_requestAccounts')).toEqual([ownAddress, otherAddress])
    expect(await ask('eth_chainId')).toBe('0x7a69')
    const next = createWallet({ storedTopic: stored.get('remoteWallet') ?? '' })
    expect(await next.ask('eth_accounts')).toEqual([ownAddress, otherAddress])
  })

  it('ignores accounts that are invalid or not in the eip155 namespace', async () => {
    const accounts = [
      'eip155:31337:0x12',
      otherAddress.toLowerCase(),
      'cosmos:1:abc',
      `eip155:1:${ownAddress.toLowerCase()}`,
    ]
    const { ask } = createWallet({ accounts })
    expect(await ask('eth_requestAccounts')).toEqual([ownAddress])
    expect(await ask('eth_chainId'), 'the only chain that it agreed to').toBe('0x1')
  })

  describe('when the relay does not respond', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it('times out', async () => {
      const { ask } = createWallet({ connect: () => new Promise(() => {}) })
      const rejection = expect(ask('eth_requestAccounts')).rejects.toMatchObject({ kind: 'offline' })
      await vi.advanceTimersByTimeAsync(12_000)
      await rejection
      expect(pairing.snapshot()).toBeNull()
    })
  })
})

describe('RemoteWallet with a session', () => {
  const createPairedWallet = async (setup: WalletSetup = {}) => {
    const wallet = createWallet(setup)
    await wallet.ask('eth_requestAccounts')
    wallet.emitted.length = 0
    return wallet
  }

  it('sends signature requests, but no chain reads, to the wallet', async () => {
    const { ask, requests, read } = await createPairedWallet({ answer: () => '0xsigned' })
    expect(await ask('personal_sign', ['0x00', ownAddress])).toBe('0xsigned')
    expect(await ask('eth_call', [{}, 'latest'])).toBe('0x1')
    expect(requests).toEqual([{ method: 'personal_sign', chainId: 'eip155:31337' }])
    expect(read).toHaveBeenCalledWith({ chainId: 31337, method: 'eth_call', params: [{}, 'latest'] })
  })

  it('asks the wallet to switch chains only when the wallet has not approved the target chain', async () => {
    const { ask, requests, emitted } = await createPairedWallet()
    await ask('wallet_switchEthereumChain', [{ chainId: '0x1' }])
    expect(requests).toEqual([])
    await ask('wallet_switchEthereumChain', [{ chainId: '0x89' }])
    expect(requests.map(({ method }) => method)).toEqual(['wallet_switchEthereumChain'])
    expect(emitted).toEqual([
      ['chainChanged', '0x1'],
      ['chainChanged', '0x89'],
    ])
    const walletWithoutSwitch = await createPairedWallet({ methods: [] })
    await expect(walletWithoutSwitch.ask('wallet_switchEthereumChain', [{ chainId: '0x89' }])).rejects.toMatchObject({
      code: 4902,
    })
  })

  it('applies account and chain events, but selects only approved accounts', async () => {
    const { ask, emitted, receive } = await createPairedWallet()
    const emitEvent = (data: unknown, of = topic) =>
      receive('session_event', { topic: of, params: { event: { name: 'accountsChanged', data } } })
    emitEvent([`eip155:31337:${otherAddress}`])
    expect(await ask('eth_accounts')).toEqual([otherAddress, ownAddress])
    emitEvent([stranger])
    emitEvent('nonsense')
    emitEvent([ownAddress], 'c'.repeat(64))
    expect(await ask('eth_accounts'), 'an account that is not approved').not.toContain(stranger)
    receive('session_event', { topic, params: { event: { name: 'chainChanged', data: 'nonsense' } } })
    receive('session_event', { topic, params: { event: { name: 'chainChanged', data: '0x1' } } })
    expect(emitted.filter(([event]) => event === 'chainChanged')).toEqual([['chainChanged', '0x1']])
  })

  it.each(['session_delete', 'session_expire'])(
    'ends its session on %s with the topic of its session, and ignores the event with another topic',
    async (event) => {
      const { ask, emitted, stored, receive } = await createPairedWallet()
      receive(event, { topic: 'c'.repeat(64) })
      expect(emitted).toEqual([])
      receive(event, { topic })
      expect(emitted).toEqual([['accountsChanged', []]])
      expect([await ask('eth_accounts'), stored.size]).toEqual([[], 0])
    },
  )

  it('disconnects the session when permissions are revoked', async () => {
    const { ask, disconnected, stored } = await createPairedWallet()
    await ask('wallet_revokePermissions')
    expect([disconnected, stored.size]).toEqual([[topic], 0])
  })
})
