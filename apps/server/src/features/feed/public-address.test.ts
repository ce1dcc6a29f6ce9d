import { describe, expect, it } from 'vitest'
import { parseEndpoint } from './endpoint.ts'
import { isPublicAddress } from './public-address.ts'

describe('isPublicAddress: returns false for', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.175.48.6',
    '2001:3::1',
    '2001:4:112::1',
    '2620:4f:8000::1',
    '100:0:0:1::1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.7',
    '224.0.0.1',
    '239.255.255.255',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2001::1',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '5f00::1',
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('isPublicAddress: returns true for', () => {
  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.1.0.1',
    '223.255.255.255',
    '::ffff:1.1.1.1',
    '64:ff9b::8.8.8.8',
    '2002:101:101::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:4860:4860::8888',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('an endpoint', () => {
  it.each([
    'http://feed.example.com',
    'https://feed.example.com',
    'ftp://feed.example.com',
    'file:///etc/passwd',
    'ws+unix:///var/run/docker.sock',
    'wss://user:secret@feed.example.com',
    'wss://user@feed.example.com',
    'wss://feed.example.com/#fragment',
    'feed.example.com',
    'wss://',
    '',
    'ws://127.0.0.1',
    'ws://127.1',
    'ws://127.0.1',
    'ws://2130706433',
    'ws://2852039166/latest/meta-data',
    'ws://0177.0.0.1',
    'ws://0x7f.0.0.1',
    'ws://0x7f000001',
    'ws://0',
    'ws://①②⑦.⓪.⓪.①',
    'ws://[::1]',
    'ws://[::ffff:127.0.0.1]',
    'ws://[0:0:0:0:0:ffff:169.254.169.254]:80',
    'ws://[fd00:ec2::254]',
    'ws://localhost',
    'ws://LOCALHOST.',
    'ws://feed.localhost',
  ])('is rejected: %s', (text) => {
    expect(() => parseEndpoint(text, false)).toThrow()
  })

  it.each(['wss://feed.example.com/stream?v=1', 'ws://1.1.1.1:8080', 'wss://[2606:4700:4700::1111]'])(
    'is accepted: %s',
    (text) => {
      expect(parseEndpoint(text, false).href).toBe(new URL(text).href)
    },
  )

  it('may be private if the operator allows it, but must be ws or wss', () => {
    expect(parseEndpoint('ws://127.0.0.1:9000', true).port).toBe('9000')
    expect(() => parseEndpoint('http://127.0.0.1:9000', true)).toThrow()
  })
})
