import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inputs } from './build-stamp.mjs'

test('build stamp: each page of the web app is an input, so that a change of it causes a build', () => {
  const pages = readdirSync('apps/web').filter((name) => name.endsWith('.html'))
  expect(pages.length).toBeGreaterThan(2)
  expect(pages.filter((name) => !inputs.includes(`apps/web/${name}`))).toEqual([])
})
