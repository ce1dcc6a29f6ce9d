import { describe, expect, it } from 'vitest'
import { bytesToHex, checksumAddress, hexToBytes } from './hex.ts'

describe('hexToBytes', () => {
  it.each(['', '00', '0x0', '0xzz', '0x00 ', ' 0x00', '0x0g', '0X00', '0x00\n'])('rejects %j', (text) => {
    expect(() => hexToBytes(text)).toThrow('hexadecimal')
  })

  it('accepts upper and lower case, and bytesToHex writes lower case', () => {
    expect(hexToBytes('0x')).toEqual(new Uint8Array())
    expect(bytesToHex(hexToBytes('0x00aBFf'))).toBe('0x00abff')
  })
})

describe('checksumAddress', () => {
  // The examples of EIP-55.
  const exampleAddresses = [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ]

  it.each([
    '',
    '0x',
    `${exampleAddresses[0]}0`,
    '0x52908400098527886E0F7030069857D2E4169EE',
    '0x52908400098527886E0F7030069857D2E4169EEg',
    '52908400098527886E0F7030069857D2E4169EE7',
  ])('rejects %j', (text) => {
    expect(() => checksumAddress(text)).toThrow('Expected an address')
  })

  it('rejects an address in mixed case whose checksum is wrong', () => {
    expect(() => checksumAddress('0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toThrow('checksum')
  })

  it.each(exampleAddresses)('agrees with EIP-55 on %s', (address) => {
    expect(checksumAddress(address)).toBe(address)
    expect(checksumAddress(address.toLowerCase())).toBe(address)
    expect(checksumAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address)
  })
})
