import { expect, test } from 'vitest'
import { wideLines } from './line-width.ts'

const wide = 'word '.repeat(30)

test.each([
  ['prose', wide, 1],
  ['prose that begins with inline code', `\`code\` ${wide}`, 1],
  ['prose that ends with inline code', `${wide} \`code\``, 1],
  ['two spans of inline code', `\`${wide}\` and \`${wide}\``, 1],
  ['a line of inline code alone', `\`${wide}\`.`, 0],
  ['a row of a table', `| ${wide} |`, 0],
  ['a line of a code block', `\`\`\`\n${wide}\n\`\`\``, 0],
])('line width: %s in Markdown is checked or exempt as expected', (_what, text, count) => {
  expect(wideLines('a.md', text)).toHaveLength(count)
})

test('line width: only comments are checked in a source', () => {
  expect(wideLines('a.ts', `// ${wide}\nconst text = '${wide}'`)).toEqual(['a.ts:1 has 153 columns, more than 100'])
})
