import { z } from 'zod'
import { address, done, isoTime, isPlainText } from './primitives.ts'

const email = z.string().trim().min(1).max(254)
const password = z.string().min(1).max(1024)

export const loginRequest = z.strictObject({ email, password, rememberMe: z.boolean().optional() })
/** The form's repeated password: accepted from clients that send their whole form, and required to match. */
const confirmPassword = password.optional()
const passwordsMatch = {
  path: ['confirmPassword'],
  message: 'Passwords do not match',
}
const name = z.string().trim().min(1).max(100).refine(isPlainText, 'Not plain text')

export const registerRequest = z
  .strictObject({ email, password, confirmPassword, name })
  .refine((form) => form.confirmPassword === undefined || form.confirmPassword === form.password, passwordsMatch)
export const emailRequest = z.strictObject({ email })
/** Of a mailed link: text. Anything else is answered like an unknown token. */
const mailedToken = z.unknown().optional().meta({ type: 'string' })
export const verifyEmailQuery = z.strictObject({ token: mailedToken })

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
export const challengeRequest = z.strictObject({
  walletAddress: address,
  /** What the signature is for, `link` unless told otherwise: the message says it, and serves nothing else. */
  purpose: z.enum(['link', 'confirm']).optional(),
})
/** `chainId` is for contract wallets that were proved on another chain than the one that payments are made on now. */
export const walletSignInChallengeRequest = z.strictObject({
  walletAddress: address,
  chainId: z.int().positive().optional(),
})
export const challengeResponse = z.object({ message: z.string(), expiresAt: isoTime })
export const proveRequest = z.strictObject({ message: z.string().max(4096), signature: z.string().max(4096) })
export const walletSignInRequest = proveRequest.extend({ rememberMe: z.boolean().optional() })
export const proveResponse = z.object({ success: z.boolean(), walletAddress: z.string() })

/** The wallet identity. Everything but walletAddress is accepted for old clients and ignored. */
export const walletUserRequest = z.strictObject({
  walletAddress: address,
  email: z.unknown().optional(),
  name: z.unknown().optional(),
  password: z.unknown().optional(),
})
export const walletUserResponse = z.object({ id: z.uuid(), walletAddress: z.string() })

/** Whose word on who somebody is we take (OpenID Connect). */
export const identityProvider = z.enum(['google', 'linkedin'])
export type IdentityProvider = z.infer<typeof identityProvider>

/** Where the browser goes to be sent to a provider. `returnTo` is a page of ours; any other leads to the usual one. */
export const providerSignInQuery = z.strictObject({
  returnTo: z.string().max(500).optional(),
  purpose: z.enum(['sign-in', 'link', 'confirm']).optional(),
})
/** What a provider sends the browser back with is the provider's own; it is judged as a whole. */
export const providerCallbackQuery = z.looseObject({})

/** `provider_error` of the page that a browser comes back to when a provider could not sign it in. */
export const providerErrors = [
  'not_configured',
  'denied',
  'failed',
  'expired',
  'email_in_use',
  'email_not_verified',
  'identity_taken',
] as const
export type ProviderError = (typeof providerErrors)[number]

export const confirmRequest = z.strictObject({ password })

/** GET /api/account: what its owner sees of it. */
export const accountProfile = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  /** An address that waits for its mailed link to be opened; until then `email` counts. */
  pendingEmail: z.string().nullable(),
  hasPassword: z.boolean(),
  isAdmin: z.boolean(),
  createdAt: isoTime,
  /** When the person last proved in this session who they are. */
  authenticatedAt: isoTime,
  identities: z.array(z.object({ provider: identityProvider, email: z.string().nullable(), linkedAt: isoTime })),
  wallets: z.array(z.object({ address: z.string(), linkedAt: isoTime, isProvedHere: z.boolean() })),
})
export type AccountProfile = z.infer<typeof accountProfile>

/** Besides the password. */
export const linkedWaysIn = accountProfile.pick({ identities: true, wallets: true })
export type LinkedWaysIn = z.infer<typeof linkedWaysIn>

export const checkResetLinkRequest = z.strictObject({ token: mailedToken })
/** What the page of a reset link needs: whether the link is good, and the account's other ways in if it is. */
export const checkResetLinkResponse = done.extend({
  expired: z.boolean(),
  /** Of the new password. */
  minLength: z.number(),
  waysIn: linkedWaysIn,
})
/** The ways in that are named are removed with the old password. */
export const resetPasswordRequest = z
  .strictObject({
    token: mailedToken,
    newPassword: password,
    confirmPassword,
    removeWallets: z.array(address).max(100).optional(),
    removeProviders: z.array(identityProvider).max(2).optional(),
  })
  .refine((form) => form.confirmPassword === undefined || form.confirmPassword === form.newPassword, passwordsMatch)
/** `waysIn` are those that are left. */
export const resetPasswordResponse = done.extend({ waysIn: linkedWaysIn })

export const accountSession = z.object({
  id: z.string(),
  isCurrent: z.boolean(),
  /** In plain words: "Chromium on Linux". */
  device: z.string(),
  createdAt: isoTime,
  lastSeenAt: isoTime,
  remembered: z.boolean(),
})
export type AccountSession = z.infer<typeof accountSession>

export const changeNameRequest = z.strictObject({ name: name })
/** `currentPassword` is asked of accounts that have one. */
export const changePasswordRequest = z.strictObject({ currentPassword: password.optional(), newPassword: password })

/** What the owner types to delete the account. */
export const deletePhrase = 'delete my account'
export const deleteAccountRequest = z.strictObject({ confirmation: z.literal(deletePhrase) })

export const firstAdminRequest = z.strictObject({
  token: z.string().max(200),
  email,
  name: name,
  password,
})

/** GET /api/account/export: all that is held about the account. */
export const accountExport = z.object({
  exportedAt: isoTime,
  account: accountProfile,
  sessions: z.array(accountSession.extend({ userAgent: z.string() })),
  activity: z.array(z.record(z.string(), z.unknown())),
  /** The rest, by what it is: subscriptions, payments, … */
  held: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
})
export type AccountExport = z.infer<typeof accountExport>
