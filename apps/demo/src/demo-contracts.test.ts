import { getContractAddress } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { computeDemoContracts } from './demo-contracts.ts'
import { testMnemonic } from './local-chain.ts'

test('computeDemoContracts: returns the addresses of the first two contracts that the test account deploys', () => {
  const { address: from } = mnemonicToAccount(testMnemonic)
  expect(computeDemoContracts()).toEqual({
    token: getContractAddress({ from, nonce: 0n }),
    alertAnchor: getContractAddress({ from, nonce: 1n }),
  })
})
