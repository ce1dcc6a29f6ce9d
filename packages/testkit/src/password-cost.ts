import type { PasswordCost } from '@tocsin/server/features/accounts/password.ts'

/**
 * The lowest cost that Argon2id allows. A hash takes 0.2 ms of CPU time, instead of 18 ms with the
 * cost of production. password.test.ts tests the cost of production.
 */
export const testPasswordCost: PasswordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }
