import { getContractAddress } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { computeDemoContracts } from './demo-contracts.ts'
import { testMnemonic } from './local-chain.ts'

test('computeDemoContracts: the addresses match the first deployments of the test mnemonic', () => {
  const { address: from } = mnemonicToAccount(testMnemonic)
  expect(computeDemoContracts()).toEqual({
    token: getContractAddress({ from, nonce: 0n }),
    alertAnchor: getContractAddress({ from, nonce: 1n }),
  })
})
