import { expect, test } from 'vitest'
import { formatAccountType } from './role-texts.ts'

test('formatAccountType: returns “Regular User” for user, and “Administrator” for staff, with the role unless it is admin', () => {
  const roles = ['user', 'admin', 'owner', 'support'] as const
  expect(roles.map(formatAccountType)).toEqual([
    'Regular User',
    'Administrator',
    'Administrator (owner)',
    'Administrator (support)',
  ])
})
