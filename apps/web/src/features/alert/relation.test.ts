import type { Alert } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { createRelations, formatRelation } from './relation.ts'

const plainAlert = { kind: 'alert', targetIndex: null, supersededBy: null } as const
const heldAlert = { id: 'b', summary: 'The venue had halted.' }
// The cast is safe, because `createRelations` reads only the two fields that `heldAlert` has.
const findAlert = (logIndex: number) => (logIndex === 1014 ? (heldAlert as Alert) : null)
const formatRelations = (alert: Parameters<typeof createRelations>[0]) =>
  createRelations(alert, findAlert).map((relation) =>
    [formatRelation(relation), relation.reason ?? []].flat().join(': '),
  )

it.each<[string, Parameters<typeof createRelations>[0], string[]]>([
  ['has no relation', plainAlert, []],
  ['corrects', { ...plainAlert, kind: 'correction', targetIndex: 12 }, ['Corrects #12']],
  ['retracts the first entry', { ...plainAlert, kind: 'retraction', targetIndex: 0 }, ['Retracts #0']],
  [
    'is corrected',
    { ...plainAlert, supersededBy: { logIndex: 1014, id: 'b', kind: 'correction' } },
    ['Corrected by #1,014'],
  ],
  [
    'is retracted, with the reason',
    { ...plainAlert, supersededBy: { logIndex: 1014, id: 'b', kind: 'retraction' } },
    ['Retracted by #1,014: The venue had halted.'],
  ],
  [
    'is retracted by an alert that is not in the cache',
    { ...plainAlert, supersededBy: { logIndex: 15, id: 'c', kind: 'retraction' } },
    ['Retracted by #15'],
  ],
  [
    'corrects one and is retracted',
    { kind: 'correction', targetIndex: 12, supersededBy: { logIndex: 1014, id: 'b', kind: 'retraction' } },
    ['Corrects #12', 'Retracted by #1,014: The venue had halted.'],
  ],
])('createRelations: describes an alert that %s', (_, alert, expected) => {
  expect(formatRelations(alert)).toEqual(expected)
})

it('createRelations: includes the id of the related alert only when that alert is in the cache', () => {
  const ids = (targetIndex: number) =>
    createRelations({ ...plainAlert, kind: 'correction', targetIndex }, findAlert)[0]?.id
  expect(ids(1014)).toBe('b')
  expect(ids(12)).toBeNull()
})
