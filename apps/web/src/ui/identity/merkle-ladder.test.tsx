// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { MerkleLadder, type MerkleLadderProps } from './merkle-ladder.tsx'

afterEach(cleanup)

const root = 'ab'.repeat(32)

test.each<[string, MerkleLadderProps['block'], string]>([
  ['is unknown', null, ''],
  ['has no number', { number: null, at: '2026-11-21T14:32:07Z' }, ''],
  ['has no time', { number: 7, at: null }, ', in block 7'],
  ['is known', { number: 7, at: '2026-11-21T14:32:07Z' }, ', in block 7 at 14:32:07 UTC'],
])('MerkleLadder: the label for screen readers names only what is known when the block %s', (_name, block, end) => {
  render(<MerkleLadder leaf={{ hash: root, index: 4 }} rungs={[]} root={root} treeSize={5} tx={root} block={block} />)
  expect(screen.getByRole('img').getAttribute('aria-label')).toBe(
    `Merkle path of leaf 4, 0 rungs; ends in root abab…abab${end}`,
  )
})
