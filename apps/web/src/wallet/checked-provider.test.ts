import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkProvider } from './checked-provider.ts'
import { ProviderError } from './provider-error.ts'
import { WalletError } from './wallet-error.ts'
import { parseResponse, walletMethods } from './wallet-responses.ts'

const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const hash = `0x${'ab'.repeat(32)}`
const receipt = {
  transactionHash: hash,
  blockNumber: '0x10',
  status: '0x1',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x1',
  logs: [],
}

const objectWithThrowingGetter = Object.defineProperty({}, 'message', {
  get() {
    throw new Error('hostile getter')
  },
})
const throwingProxy = new Proxy(
  {},
  {
    get() {
      throw new Error('hostile proxy')
    },
  },
)

const invalidResponses: [string, unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['an empty list', []],
  ['a list of null', [null]],
  ['a list of numbers', [1]],
  ['a list with one address too short', [account, '0x1234']],
  ['a list in a list', [[account]]],
  ['a number', 42],
  ['NaN', Number.NaN],
  ['a fraction', 1.5],
  ['a big integer', 1n],
  ['true', true],
  ['an object', { accounts: [account] }],
  ['an empty string', ''],
  ['a word', 'yes'],
  ['only a prefix', '0x'],
  ['half a byte', '0xabc'],
  ['64 bytes less one', `0x${'ab'.repeat(63)}`],
  ['one byte too many for a hash', `0x${'ab'.repeat(33)}`],
  ['letters that are no digits', `0x${'zz'.repeat(32)}`],
  ['a string of 10,000 digits', `0x${'1'.repeat(10_000)}`],
  ['a function', () => account],
  ['a symbol', Symbol('account')],
  [
    'an object that throws when it is read',
    {
      get number() {
        return throwError()
      },
      get hash() {
        return throwError()
      },
      get transactionHash() {
        return throwError()
      },
    },
  ],
]

/** Valid responses per method. The page ignores the responses of all other methods. */
const validResponses: Record<string, unknown[]> = {
  eth_accounts: [[], [account], [account.toLowerCase()]],
  eth_requestAccounts: [[account]],
  eth_chainId: ['0x7a69', '31337', 31337],
  personal_sign: [`0x${'ab'.repeat(64)}`, `0x${'ab'.repeat(65)}`, `0x${'ab'.repeat(500)}`],
  eth_sendTransaction: [hash],
  wallet_sendTransaction: [hash],
  eth_blockNumber: ['0x0'],
  eth_gasPrice: ['0x1'],
  eth_maxPriorityFeePerGas: ['0x1'],
  eth_getBalance: ['0x0', `0x${'f'.repeat(64)}`],
  eth_estimateGas: ['0x5208'],
  eth_getTransactionCount: ['0x1'],
  eth_getCode: ['0x', '0x60'],
  eth_call: ['0x', hash],
  eth_getBlockByNumber: [{ number: '0x1', baseFeePerGas: '0x7' }],
  eth_getTransactionByHash: [null, { hash, blockNumber: null }],
  eth_getTransactionReceipt: [null, receipt],
}
/** The entries of invalidResponses that are valid for a method. */
const allowedResponses: Record<string, unknown[]> = {
  eth_accounts: [[]],
  eth_chainId: [42],
  eth_getCode: ['0x', `0x${'ab'.repeat(63)}`, `0x${'ab'.repeat(33)}`, `0x${'1'.repeat(10_000)}`],
  eth_call: ['0x', `0x${'ab'.repeat(63)}`, `0x${'ab'.repeat(33)}`, `0x${'1'.repeat(10_000)}`],
  eth_getTransactionByHash: [null],
  eth_getTransactionReceipt: [null],
}
const quantities = ['eth_blockNumber', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_getBalance', 'eth_estimateGas']
for (const method of [...quantities, 'eth_getTransactionCount']) allowedResponses[method] = ['0xabc']
allowedResponses.eth_chainId?.push('0xabc')

const checkedMethods = walletMethods.filter((method) => method in validResponses)

function createWallet(request: unknown, otherFields: object = {}) {
  return checkProvider({ request, ...otherFields })
}

/** viem's types allow only known methods; tests call any method. */
function sendRequest(wallet: ReturnType<typeof checkProvider>, method: string): Promise<unknown> {
  return (wallet.request as (call: { method: string }) => Promise<unknown>)({ method })
}

describe('CheckedProvider', () => {
  it.each(checkedMethods)('%s: throws a WalletError when the response is invalid', async (method) => {
    for (const [name, response] of invalidResponses) {
      if (
        allowedResponses[method]?.some(
          (allowedResponse) => Object.is(allowedResponse, response) || isSameList(allowedResponse, response),
        )
      )
        continue
      const outcome = await sendRequest(
        createWallet(async () => response),
        method,
      ).catch((error: unknown) => error)
      expect(outcome, `${method} returned ${name}`).toBeInstanceOf(WalletError)
    }
  })

  it.each(checkedMethods)('%s: returns valid responses', async (method) => {
    for (const response of validResponses[method] ?? []) {
      await expect(
        sendRequest(
          createWallet(async () => response),
          method,
        ),
      ).resolves.toBeDefined()
    }
  })

  it('normalises accounts to checksum addresses and chain ids to hex', () => {
    expect(parseResponse('eth_accounts', [account.toUpperCase().replace('0X', '0x')])).toEqual([account])
    expect(parseResponse('eth_chainId', '31337')).toBe('0x7a69')
    expect(parseResponse('eth_chainId', 31337)).toBe('0x7a69')
  })

  it.each(walletMethods)('%s: converts anything that the wallet throws to an error with a code', async (method) => {
    const thrownValues: [unknown, number][] = [
      [undefined, -32603],
      [null, -32603],
      ['a string', -32603],
      [42, -32603],
      [[], -32603],
      [objectWithThrowingGetter, -32603],
      [throwingProxy, -32603],
      [Object.assign(new Error('no'), { code: 4001 }), 4001],
      [{ code: '4001', message: 'no' }, 4001],
      [{ code: 'ACTION_REJECTED', message: 7 }, -32603],
      [Object.create(null), -32603],
    ]
    for (const [value, code] of thrownValues) {
      for (const request of [
        () => {
          throw value
        },
        () => Promise.reject(value),
      ]) {
        const error = await sendRequest(createWallet(request), method).catch((reason: unknown) => reason)
        if (!(error instanceof ProviderError)) throw new Error('not a ProviderError')
        expect(error.code).toBe(code)
        expect(error.message).not.toBe('')
      }
    }
  })

  it('keeps the nested error code of mobile wallets, so that an unknown chain is recognised', async () => {
    const wrappedError = { code: -32603, message: 'Internal error', data: { originalError: { code: 4902 } } }
    await expect(
      sendRequest(
        createWallet(() => Promise.reject(wrappedError)),
        'wallet_switchEthereumChain',
      ),
    ).rejects.toMatchObject(wrappedError)
  })

  it.each([undefined, null, 'request', {}])(
    'rejects calls when the request function of the wallet is %s',
    async (request) => {
      await expect(sendRequest(createWallet(request), 'eth_chainId')).rejects.toBeInstanceOf(WalletError)
    },
  )

  it('rejects a method that this site does not use with code 4200, and does not call the wallet', async () => {
    const request = vi.fn()
    await expect(sendRequest(createWallet(request), 'eth_sign')).rejects.toMatchObject({ code: 4200 })
    expect(request).not.toHaveBeenCalled()
  })

  describe('when the wallet does not respond', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it.each(walletMethods.filter((method) => !/sendTransaction/.test(method)))(
      '%s: times out and is not called again',
      async (method) => {
        const request = vi.fn(() => new Promise(() => {}))
        const wallet = createWallet(request)
        const first = expect(sendRequest(wallet, method)).rejects.toMatchObject({ kind: 'timeout' })
        await vi.advanceTimersByTimeAsync(180_000)
        await first
        await expect(sendRequest(wallet, method)).rejects.toMatchObject({ kind: 'timeout' })
        expect(request).toHaveBeenCalledOnce()
      },
    )

    it('calls the wallet again after its late response', async () => {
      let respond: (value: unknown) => void = () => {}
      const request = vi.fn(() => new Promise((resolve) => (respond = resolve)))
      const wallet = createWallet(request)
      const first = expect(sendRequest(wallet, 'eth_accounts')).rejects.toMatchObject({ kind: 'timeout' })
      await vi.advanceTimersByTimeAsync(4000)
      await first
      respond([account])
      await vi.advanceTimersByTimeAsync(0)
      const secondRequest = sendRequest(wallet, 'eth_accounts')
      respond([account])
      await expect(secondRequest).resolves.toEqual([account])
    })
  })

  it.each([
    ['accountsChanged', [account.toLowerCase()], [account]],
    ['accountsChanged', [], []],
    ['accountsChanged', null, undefined],
    ['accountsChanged', ['not an address'], undefined],
    ['chainChanged', '1', '0x1'],
    ['chainChanged', {}, undefined],
    ['connect', undefined, undefined],
    ['connect', { chainId: '0x1' }, { chainId: '0x1' }],
    ['disconnect', null, expect.any(ProviderError)],
    ['message', 'anything', undefined],
  ])(
    'event %s with %j: calls the listener with %j (undefined: does not call the listener)',
    (event, value, expected) => {
      let emit: (value: unknown) => void = () => {}
      const removeListenerMock = vi.fn()
      const addListener = (_event: string, listener: (value: unknown) => void) => {
        emit = listener
      }
      const wallet = createWallet(() => {}, { on: addListener, removeListener: removeListenerMock })
      const listener = vi.fn()
      wallet.on(event as 'message', listener)
      emit(value)
      expect(listener.mock.calls).toEqual(expected === undefined ? [] : [[expected]])
      wallet.removeListener(event as 'message', listener)
      expect(removeListenerMock).toHaveBeenCalledWith(event, emit)
    },
  )

  it.each([{}, { on: 'yes', removeListener: 5 }, { on: throwError, removeListener: throwError }])(
    'ignores missing or failing event functions of the wallet: %j',
    (otherFields) => {
      const wallet = createWallet(() => {}, otherFields)
      wallet.on('message', () => {})
      wallet.removeListener('message', () => {})
    },
  )
})

function throwError(): never {
  throw new Error('no events here')
}

function isSameList(firstList: unknown, secondList: unknown): boolean {
  return Array.isArray(firstList) && Array.isArray(secondList) && firstList.length === 0 && secondList.length === 0
}
