import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pairing } from './pairing.ts'
import { type RelayClient, RemoteWallet } from './remote-wallet.ts'

const mine = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const stranger = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const topic = 'a'.repeat(64)
const inAWeek = () => Math.floor(Date.now() / 1000) + 7 * 86_400

type Happening = { topic: string; params?: unknown }
interface Scene {
  accounts?: string[]
  methods?: string[]
  expiry?: number
  /** What an earlier page has left behind. */
  mark?: string
  agree?: () => Promise<void>
  answer?: (method: string) => unknown
  connect?: () => Promise<never>
}

/** The relay and the phone behind it, as far as the page's half sees them. */
function meet(scene: Scene = {}) {
  const { accounts = [`eip155:31337:${mine}`, `eip155:1:${mine}`, `eip155:31337:${other}`], mark } = scene
  const methods = scene.methods ?? ['wallet_switchEthereumChain']
  const session = {
    topic,
    expiry: scene.expiry ?? inAWeek(),
    namespaces: { eip155: { accounts, methods, events: [] } },
  }
  const listeners = new Map<string, (happening: Happening) => void>()
  const asked: { method: string; chainId: string }[] = []
  const left: string[] = []
  const approval = async () => {
    await scene.agree?.()
    return session
  }
  const client = {
    connect: scene.connect ?? (async () => ({ uri: 'wc:link', approval })),
    disconnect: async (end: { topic: string }) => void left.push(end.topic),
    on: (name: string, listener: (happening: Happening) => void) => listeners.set(name, listener),
    request: async ({ chainId, request }: { chainId: string; request: { method: string } }) => {
      asked.push({ method: request.method, chainId })
      return scene.answer?.(request.method) ?? null
    },
    session: { getAll: () => [session] },
  }
  const kept = new Map(mark === undefined ? [] : [['remoteWallet', mark]])
  // As much of the library as it uses.
  const open = vi.fn(async () => client as unknown as RelayClient)
  const read = vi.fn(async () => '0x1')
  const wallet = new RemoteWallet({
    open,
    chainIds: [31337, 1, 137],
    read,
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
  })
  const told: [string, unknown][] = []
  for (const event of ['accountsChanged', 'chainChanged']) wallet.on(event, (value) => told.push([event, value]))
  const ask = (method: string, params?: unknown[]) => wallet.request({ method, ...(params ? { params } : {}) })
  const happen = (name: string, happening: Happening) => listeners.get(name)?.(happening)
  return { ask, asked, left, told, kept, open, read, happen }
}

describe('nobody is paired', () => {
  it('asks no relay while nobody wants it', async () => {
    const { ask, open } = meet()
    expect(await ask('eth_accounts')).toEqual([])
    expect(await ask('eth_chainId')).toBe('0x7a69')
    expect(await ask('wallet_revokePermissions')).toBeNull()
    await expect(ask('personal_sign', ['0x00', mine])).rejects.toMatchObject({ code: 4100 })
    await expect(ask('wallet_requestPermissions')).rejects.toMatchObject({ code: 4200 })
    expect(open).not.toHaveBeenCalled()
  })

  it.each<[string, Scene]>([
    ['has expired', { mark: topic, expiry: 1 }],
    ['is another one', { mark: 'b'.repeat(64) }],
  ])('forgets a session that %s', async (_name, scene) => {
    const { ask, kept } = meet(scene)
    expect(await ask('eth_accounts')).toEqual([])
    expect(kept.size).toBe(0)
  })

  it('tries again when the library could not be loaded', async () => {
    const { ask, open } = meet({ mark: topic })
    open.mockRejectedValueOnce(new Error('Failed to fetch dynamically imported module'))
    expect(await ask('eth_accounts')).toEqual([])
    expect(await ask('eth_accounts')).toEqual([mine, other])
  })
})

describe('pairing', () => {
  it.each([
    [{ code: 5000, message: 'User rejected.' }, { code: 4001 }],
    [{ code: 4001, message: 'User rejected.' }, { code: 4001 }],
    [{ code: -32000, message: 'Proposal expired' }, { code: -32000 }],
    ['nothing sensible', { code: -32603 }],
  ])('refused with %j', async (error, thrown) => {
    const { ask, kept } = meet({ agree: () => Promise.reject(error) })
    await expect(ask('eth_requestAccounts')).rejects.toMatchObject(thrown)
    expect([pairing.snapshot(), kept.size]).toEqual([null, 0])
  })

  it('is over when the person goes back, whatever comes later', async () => {
    const { ask, told } = meet({ agree: () => new Promise(() => {}) })
    const asking = ask('eth_requestAccounts')
    await expect.poll(() => pairing.snapshot()?.link).toBe('wc:link')
    pairing.cancel()
    await expect(asking).rejects.toMatchObject({ kind: 'rejected' })
    expect([pairing.snapshot(), told]).toEqual([null, []])
  })

  it('goes on with the chain of payments, and is known again by the next page', async () => {
    const { ask, kept } = meet()
    expect(await ask('eth_requestAccounts')).toEqual([mine, other])
    expect(await ask('eth_chainId')).toBe('0x7a69')
    const next = meet({ mark: kept.get('remoteWallet') ?? '' })
    expect(await next.ask('eth_accounts')).toEqual([mine, other])
  })

  it('shows nothing of an account that is none', async () => {
    const accounts = ['eip155:31337:0x12', other.toLowerCase(), 'cosmos:1:abc', `eip155:1:${mine.toLowerCase()}`]
    const { ask } = meet({ accounts })
    expect(await ask('eth_requestAccounts')).toEqual([mine])
    expect(await ask('eth_chainId'), 'the only chain that it agreed to').toBe('0x1')
  })

  describe('with a relay that does not answer', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it('ends by itself', async () => {
      const { ask } = meet({ connect: () => new Promise(() => {}) })
      const asking = expect(ask('eth_requestAccounts')).rejects.toMatchObject({ kind: 'offline' })
      await vi.advanceTimersByTimeAsync(12_000)
      await asking
      expect(pairing.snapshot()).toBeNull()
    })
  })
})

describe('a paired wallet', () => {
  const paired = async (scene: Scene = {}) => {
    const met = meet(scene)
    await met.ask('eth_requestAccounts')
    met.told.length = 0
    return met
  }

  it('is asked to sign and send on the chain that is shown; what the chain says is read elsewhere', async () => {
    const { ask, asked, read } = await paired({ answer: () => '0xsigned' })
    expect(await ask('personal_sign', ['0x00', mine])).toBe('0xsigned')
    expect(await ask('eth_call', [{}, 'latest'])).toBe('0x1')
    expect(asked).toEqual([{ method: 'personal_sign', chainId: 'eip155:31337' }])
    expect(read).toHaveBeenCalledWith({ chainId: 31337, method: 'eth_call', params: [{}, 'latest'] })
  })

  it('moves without a question where it has agreed, with one where it has not', async () => {
    const { ask, asked, told } = await paired()
    await ask('wallet_switchEthereumChain', [{ chainId: '0x1' }])
    expect(asked).toEqual([])
    await ask('wallet_switchEthereumChain', [{ chainId: '0x89' }])
    expect(asked.map(({ method }) => method)).toEqual(['wallet_switchEthereumChain'])
    expect(told).toEqual([
      ['chainChanged', '0x1'],
      ['chainChanged', '0x89'],
    ])
    const stiff = await paired({ methods: [] })
    await expect(stiff.ask('wallet_switchEthereumChain', [{ chainId: '0x89' }])).rejects.toMatchObject({ code: 4902 })
  })

  it('is followed in what it shows, among the accounts that it has agreed to', async () => {
    const { ask, told, happen } = await paired()
    const show = (data: unknown, of = topic) =>
      happen('session_event', { topic: of, params: { event: { name: 'accountsChanged', data } } })
    show([`eip155:31337:${other}`])
    expect(await ask('eth_accounts')).toEqual([other, mine])
    show([stranger])
    show('nonsense')
    show([mine], 'c'.repeat(64))
    expect(await ask('eth_accounts'), 'nobody else').not.toContain(stranger)
    happen('session_event', { topic, params: { event: { name: 'chainChanged', data: 'nonsense' } } })
    happen('session_event', { topic, params: { event: { name: 'chainChanged', data: '0x1' } } })
    expect(told.filter(([event]) => event === 'chainChanged')).toEqual([['chainChanged', '0x1']])
  })

  it.each(['session_delete', 'session_expire'])('is gone with %s of its own session alone', async (event) => {
    const { ask, told, kept, happen } = await paired()
    happen(event, { topic: 'c'.repeat(64) })
    expect(told).toEqual([])
    happen(event, { topic })
    expect(told).toEqual([['accountsChanged', []]])
    expect([await ask('eth_accounts'), kept.size]).toEqual([[], 0])
  })

  it('is told when it is left', async () => {
    const { ask, left, kept } = await paired()
    await ask('wallet_revokePermissions')
    expect([left, kept.size]).toEqual([[topic], 0])
  })
})
