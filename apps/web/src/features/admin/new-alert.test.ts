import { createAlertRequest } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { emptyAlert, listSuggestions, type NewAlertDraft, newAlertForm } from './new-alert.ts'

const draft: NewAlertDraft = {
  ...emptyAlert,
  asset: ' ARB/USDT ',
  confidence: '97.3',
  summary: 'Open interest rose 14%',
}

describe('newAlertForm', () => {
  it.each<[Partial<NewAlertDraft>, string, string]>([
    [{ asset: '  ' }, 'asset', 'Enter an asset'],
    [{ asset: 'x'.repeat(41) }, 'asset', 'At most 40 characters'],
    [{ confidence: '' }, 'confidence', 'Enter a number from 0 to 100'],
    [{ confidence: 'high' }, 'confidence', 'Enter a number from 0 to 100'],
    [{ confidence: '-1' }, 'confidence', 'Enter a number from 0 to 100'],
    [{ confidence: '100.1' }, 'confidence', 'Enter a number from 0 to 100'],
    [{ confidence: '97.35' }, 'confidence', 'Use at most one decimal place, for example 94.2'],
    [{ confidence: '97.00' }, 'confidence', 'Use at most one decimal place, for example 94.2'],
    [{ confidence: '94.20000000000000001' }, 'confidence', 'Use at most one decimal place, for example 94.2'],
    [{ summary: ' ' }, 'summary', 'Enter a summary'],
    [{ summary: 'x'.repeat(1001) }, 'summary', 'At most 1,000 characters'],
    [{ summary: 'a\0b' }, 'summary', 'Not plain text'],
    [{ regime: 'x'.repeat(81) }, 'regime', 'At most 80 characters'],
  ])('rejects %o', (changes, field, message) => {
    const { error } = newAlertForm.safeParse({ ...draft, ...changes })
    expect(error?.issues.map((issue) => [issue.path.join(), issue.message])).toEqual([[field, message]])
  })

  it.each([
    ['0', 0],
    ['100', 100],
    ['97.3', 97.3],
    ['97,3', 97.3],
    ['0.1', 0.1],
    ['29.9', 29.9],
  ])('reads %s as confidence %d', (text, confidence) => {
    expect(newAlertForm.parse({ ...draft, confidence: text }).confidence).toBe(confidence)
  })

  it('returns a valid request body', () => {
    const requestBody = newAlertForm.parse(draft)
    expect(requestBody).toMatchObject({ asset: 'ARB/USDT', priority: 'medium', broadcast: true })
    expect(createAlertRequest.parse(requestBody)).toEqual(requestBody)
  })
})

it('listSuggestions: lists used values first, newest first, then defaults, without duplicates', () => {
  const alerts = ['SOL/USDT', '', 'ARB/USDT', 'SOL/USDT'].map((asset) => ({ asset, anomalyType: '', regime: '' }))
  expect(listSuggestions('asset', alerts)).toEqual(['SOL/USDT', 'ARB/USDT', 'BTC/USDT', 'ETH/USDT'])
})
