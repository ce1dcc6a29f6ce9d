import { expect, test } from 'vitest'
import { formatCsv } from './csv.ts'

const formatField = (field: string | number | boolean | null) => formatCsv(['name'], [[field]]).split('\r\n')[1]

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30 1', "'+49 30 1"],
  ['-2', "'-2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['|cmd', "'|cmd"],
  ['%0A=1', "'%0A=1"],
  [' =1', "' =1"],
  ['\t=1', "'\t=1"],
  ['\u200b=1', "'\u200b=1"],
  ['＝1', "'＝1"],
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
])('formatCsv: escapes a field that a spreadsheet would evaluate: %j', (field, expectedText) => {
  expect(formatField(field)).toBe(expectedText)
})

test.each([
  ['Mara Okafor', 'Mara Okafor'],
  ['a, b', '"a, b"'],
  ['say "so"', '"say ""so"""'],
  [-2, '-2'],
  [null, ''],
  [true, 'true'],
  ['0x71C7656EC7ab88b098defB751B7401B5f6d8976F', '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'],
])('formatCsv: adds no apostrophe to a field that a spreadsheet would not evaluate: %j', (field, expectedText) => {
  expect(formatField(field)).toBe(expectedText)
})

test('formatCsv: starts with the byte order mark and a header row', () => {
  expect(formatCsv(['a', 'b'], [[1, 'two\nlines']])).toBe('\ufeffa,b\r\n1,"two\nlines"\r\n')
})
