import { z } from 'zod'
import { address, done, isoTime, isPlainText } from './primitives.ts'

const email = z.string().trim().min(1).max(254)
const password = z.string().min(1).max(1024)

export const loginRequest = z.strictObject({ email, password, rememberMe: z.boolean().optional() })
export const registerRequest = z.strictObject({
  email,
  password,
  name: z.string().trim().min(1).max(100).refine(isPlainText, 'Not plain text'),
})
export const emailRequest = z.strictObject({ email })
export const resetPasswordRequest = z.strictObject({ token: z.string().max(200), newPassword: password })
export const verifyEmailQuery = z.strictObject({ token: z.string().max(200) })

export const sessionUser = z.object({
  id: z.uuid(),
  email: z.string().nullable(),
  name: z.string(),
  isAdmin: z.boolean(),
  /** Wallets that this account has proved to hold. */
  wallets: z.array(z.string()),
  /** Of these, the ones proved in this session: the ones it may speak for now. */
  provedWallets: z.array(z.string()),
  createdAt: isoTime,
})
export type SessionUser = z.infer<typeof sessionUser>

export const loginResponse = z.object({
  success: z.boolean(),
  message: z.string(),
  requiresVerification: z.boolean(),
  user: sessionUser.optional(),
})
export const currentUserResponse = z.object({ success: z.boolean(), user: sessionUser.nullable() })
export const verifyEmailResponse = done.extend({ expired: z.boolean() })

/** Sign-In with Ethereum (EIP-4361): the server writes the whole message, the wallet signs these exact bytes. */
export const challengeRequest = z.strictObject({ walletAddress: address })
export const challengeResponse = z.object({ message: z.string(), expiresAt: isoTime })
export const proveRequest = z.strictObject({ message: z.string().max(4096), signature: z.string().max(4096) })
export const proveResponse = z.object({ success: z.boolean(), walletAddress: z.string() })

/** The wallet identity. Everything but walletAddress is accepted for old clients and ignored. */
export const walletUserRequest = z.strictObject({
  walletAddress: address,
  email: z.unknown().optional(),
  name: z.unknown().optional(),
  password: z.unknown().optional(),
})
export const walletUserResponse = z.object({ id: z.uuid(), walletAddress: z.string() })
