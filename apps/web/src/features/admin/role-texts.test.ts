import { expect, test } from 'vitest'
import { formatAccountType } from './role-texts.ts'

test('formatAccountType: names every account an administrator or a regular user', () => {
  const roles = ['user', 'admin', 'owner', 'support'] as const
  expect(roles.map(formatAccountType)).toEqual([
    'Regular User',
    'Administrator',
    'Administrator (owner)',
    'Administrator (support)',
  ])
})
