import { describe, expect, it } from 'vitest'
import { getRpcHost, parseRpcUrl, requireRpcUrl } from './rpc-url.ts'

describe('parseRpcUrl', () => {
  it.each([
    ['  ', /Enter the address/],
    ['node.example', /not a web address/],
    ['https://', /not a web address/],
    ['http://node.example/rpc', /Only https/],
    ['http://127.0.0.2:8545', /Only https/],
    ['http://localhost.example:8545', /Only https/],
    ['ws://127.0.0.1:8545', /Only https/],
    ['file:///etc/hosts', /Only https/],
    ['javascript:alert(1)', /Only https/],
    ['https://me:secret@node.example', /Leave name and password out/],
  ])('rejects %s', (text, problem) => {
    const parsedUrl = parseRpcUrl(text)
    expect('problem' in parsedUrl && parsedUrl.problem).toMatch(problem)
  })

  it.each([
    [' https://node.example/v3/key ', 'https://node.example/v3/key'],
    ['https://NODE.example', 'https://node.example/'],
    ['http://localhost:8545', 'http://localhost:8545/'],
    ['http://127.0.0.1:8545/', 'http://127.0.0.1:8545/'],
  ])('accepts %s', (text, url) => {
    expect(parseRpcUrl(text)).toEqual({ url })
  })
})

it('requireRpcUrl: throws a user-facing message when the URL is invalid', () => {
  expect(() => requireRpcUrl('ws://127.0.0.1:8545')).toThrow(/^No usable chain node\. Only https/)
  expect(requireRpcUrl(' https://node.example/v3/key ')).toBe('https://node.example/v3/key')
})

it('getRpcHost: returns only the host and port', () => {
  expect(getRpcHost('https://node.example/v3/key')).toBe('node.example')
  expect(getRpcHost('http://127.0.0.1:8545/')).toBe('127.0.0.1:8545')
})
