import { expect, test } from 'vitest'
import { readCandleText } from './candle-text.ts'
import { isDecimal } from './decimal.ts'

const candles = [
  [1772461860, '61204.11', '61210.5', '0.000000000000000001', '100', '0'],
  [1772461920, '61190', '999999999999999999.123456789012345678', '1', '61190.00', '12.50'],
]
const message = { type: 'outcome', candles, missing: [1772461980], note: 'said "candles": [[1]]' }
const text = JSON.stringify(message)

test('readCandleText: returns the list that JSON.parse returns', () => {
  const readResult = readCandleText(text, 'candles')
  expect(readResult?.candles).toEqual(candles)
  expect(text.slice(readResult?.from, readResult?.until)).toBe(JSON.stringify(candles))
  const first = JSON.stringify({ candles })
  expect(readCandleText(first, 'candles')?.candles).toEqual(candles)
})

const list = JSON.stringify(candles)
test.each([
  ['an empty list', '{"candles":[]}'],
  ['no list', '{"candles":1}'],
  ['no such key', '{"candle":[[1]]}'],
  ['the key twice', `{"candles":${list},"candles":${list}}`],
  ['the key twice, first without a list', `{"candles":1,"candles":${list}}`],
  ['a longer key', `{"other\\"candles":${list}}`],
  ['a longer key with a comma', `{"other,\\"candles":${list}}`],
  ['a key with a space before the list', `{"candles": ${list}}`],
  ['another list after a comma', `{"candles":${list.slice(0, -1)},`],
  ['an end within the list', `{"candles":${list.slice(0, -1)}`],
  ['an end within a figure', `{"candles":${list.slice(0, 25)}`],
  ['five values', '{"candles":[[60,"1","1","1","1"]]}'],
  ['seven values', '{"candles":[[60,"1","1","1","1","1","1"]]}'],
  ['a price as a number', '{"candles":[[60,1,"1","1","1","1"]]}'],
  ['an open time of 16 digits', '{"candles":[[1234567890123460,"1","1","1","1","1"]]}'],
  ['an open time with a leading zero', '{"candles":[[060,"1","1","1","1","1"]]}'],
  ['an open time with a sign', '{"candles":[[-60,"1","1","1","1","1"]]}'],
])('readCandleText: returns null for %s, which is left to JSON.parse', (_, changedText) => {
  expect(readCandleText(changedText, 'candles')).toBeNull()
})

test('readCandleText: never contradicts JSON.parse when a character of the text is changed', () => {
  let readCount = 0
  for (let index = 0; index < text.length; index++) {
    for (const letter of ['0', '7', '.', ',', '"', '[', ']', '{', '}', '\\', '-', ' ', 'e', '', '00', '.5']) {
      const changedText = text.slice(0, index) + letter + text.slice(index + 1)
      const readResult = readCandleText(changedText, 'candles')
      if (!readResult) continue
      readCount += 1
      let parsedJson: unknown
      const textWithoutList = `${changedText.slice(0, readResult.from)}null${changedText.slice(readResult.until)}`
      try {
        parsedJson = JSON.parse(changedText)
      } catch {
        expect(() => JSON.parse(textWithoutList), changedText).toThrow()
        continue
      }
      expect({ ...JSON.parse(textWithoutList), candles: readResult.candles }, changedText).toEqual(parsedJson)
      for (const row of readResult.candles) expect(row.slice(1).every(isDecimal), changedText).toBe(true)
    }
  }
  expect(readCount).toBeGreaterThan(500)
})
