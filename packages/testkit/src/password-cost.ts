import type { PasswordCost } from '@tocsin/server/features/accounts/password.ts'

/**
 * The lowest that Argon2id allows. With the cost of production, which password.test.ts tests, a
 * hash takes 18 ms of processor time instead of 0.2 ms.
 */
export const testPasswordCost: PasswordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }
