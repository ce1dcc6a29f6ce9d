import { expect, test } from 'vitest'
import { findWideLinesIn } from './line-width.ts'

const wideText = 'word '.repeat(30)

test.each([
  ['prose', wideText, 1],
  ['prose that begins with inline code', `\`code\` ${wideText}`, 1],
  ['prose that ends with inline code', `${wideText} \`code\``, 1],
  ['two spans of inline code', `\`${wideText}\` and \`${wideText}\``, 1],
  ['a line of inline code alone', `\`${wideText}\`.`, 0],
  ['a row of a table', `| ${wideText} |`, 0],
  ['a line of a code block', `\`\`\`\n${wideText}\n\`\`\``, 0],
])('line width: %s in Markdown is checked or exempt as expected', (_what, text, count) => {
  expect(findWideLinesIn('a.md', text)).toHaveLength(count)
})

test('line width: only comments are checked in a source', () => {
  expect(findWideLinesIn('a.ts', `// ${wideText}\nconst text = '${wideText}'`)).toEqual([
    'a.ts:1 has 153 columns, more than 100',
  ])
})
