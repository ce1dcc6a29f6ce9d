import { z } from 'zod'
import { awaitedFactor, factorCodeRequest } from './factors.ts'
import { passkeyId } from './passkeys.ts'
import { isPlainText } from './plain-text.ts'
import { address, done, isoTime } from './primitives.ts'
import { permission, role } from './roles.ts'

const email = z.string().trim().min(1).max(254)
const password = z.string().min(1).max(1024)

export const loginRequest = z.strictObject({ email, password, rememberMe: z.boolean().optional() })
/** The repeated password. Optional, but it must match when a client sends it. */
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
/**
 * The token of an emailed link. Any type is accepted, so that a malformed token gets the same
 * response as an unknown one.
 */
const mailedToken = z.unknown().optional().meta({ type: 'string' })
export const verifyEmailQuery = z.strictObject({ token: mailedToken })

export const sessionUser = z.object({
  id: z.uuid(),
  email: z.string().nullable(),
  name: z.string(),
  /** True if the user has any staff role. */
  isAdmin: z.boolean(),
  role,
  /** The permissions of the role; empty while a second factor is missing. */
  permissions: z.array(permission),
  /** True for an admin who must enrol a second factor before using the admin area. */
  mustEnrol: z.boolean(),
  /** Wallets for which this account has proved ownership. */
  wallets: z.array(z.string()),
  /**
   * The subset of `wallets` that this session has proved. The session can act only for these
   * wallets.
   */
  provedWallets: z.array(z.string()),
  createdAt: isoTime,
})
export type SessionUser = z.infer<typeof sessionUser>

export const loginResponse = z.object({
  success: z.boolean(),
  message: z.string(),
  requiresVerification: z.boolean(),
  user: sessionUser.optional(),
  /** Set instead of `user` if the sign-in needs a second factor. */
  awaitedFactor: awaitedFactor.optional(),
})
export type LoginResponse = z.infer<typeof loginResponse>
export const currentUserResponse = z.object({
  success: z.boolean(),
  user: sessionUser.nullable(),
  awaitedFactor: awaitedFactor.optional(),
})
export const verifyEmailResponse = done.extend({
  expired: z.boolean(),
  /** True if the sign-up has expired with its link, so that no account exists to log in to. */
  signUpAgain: z.boolean().optional(),
  /**
   * Set if the link also signed the user in. Only the link of a sign-up does so, and only in a
   * browser without a session.
   */
  user: sessionUser.optional(),
})

/**
 * Sign-In with Ethereum (EIP-4361). The server builds the whole message and the wallet signs
 * exactly these bytes.
 */
export const challengeRequest = z.strictObject({
  walletAddress: address,
  /**
   * The intended use of the signature, by default `link`. The message states it, and the server
   * rejects any other use.
   */
  purpose: z.enum(['link', 'confirm']).optional(),
})
/**
 * `chainId` is set for contract wallets (ERC-1271) that exist on a chain other than the current
 * payment chain.
 */
export const walletSignInChallengeRequest = z.strictObject({
  walletAddress: address,
  chainId: z.int().positive().optional(),
})
export const challengeResponse = z.object({ message: z.string(), expiresAt: isoTime })
export const proveRequest = z.strictObject({ message: z.string().max(4096), signature: z.string().max(4096) })
export const walletSignInRequest = proveRequest.extend({ rememberMe: z.boolean().optional() })
export const proveResponse = z.object({ success: z.boolean(), walletAddress: z.string() })

/**
 * Request with the wallet of a user. All fields except walletAddress are accepted for old clients
 * and ignored.
 */
export const walletUserRequest = z.strictObject({
  walletAddress: address,
  email: z.unknown().optional(),
  name: z.unknown().optional(),
  password: z.unknown().optional(),
})
export const walletUserResponse = z.object({ id: z.uuid(), walletAddress: z.string() })

/** Supported OpenID Connect providers. */
export const identityProviders = ['google', 'linkedin'] as const
export const identityProvider = z.enum(identityProviders)
export type IdentityProvider = z.infer<typeof identityProvider>

/**
 * Starts a sign-in with a provider. `returnTo` must be a path of this site; any other value is
 * replaced by the default page.
 */
export const providerSignInQuery = z.strictObject({
  returnTo: z.string().max(500).optional(),
  purpose: z.enum(['sign-in', 'link', 'confirm']).optional(),
})
/** The provider defines these parameters, so the callback handler validates them. */
export const providerCallbackQuery = z.looseObject({})

/**
 * Values of the `provider_error` query parameter on the page that the browser returns to after a
 * failed sign-in.
 */
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

/** GET /api/account: the account as its owner sees it. */
export const accountProfile = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  /**
   * A new address that is not verified yet. `email` stays in effect until the emailed link is
   * opened.
   */
  pendingEmail: z.string().nullable(),
  hasPassword: z.boolean(),
  isAdmin: z.boolean(),
  createdAt: isoTime,
  /** Time at which the user last authenticated in this session. */
  authenticatedAt: isoTime,
  identities: z.array(z.object({ provider: identityProvider, email: z.string().nullable(), linkedAt: isoTime })),
  wallets: z.array(z.object({ address: z.string(), linkedAt: isoTime, isProvedHere: z.boolean() })),
})
export type AccountProfile = z.infer<typeof accountProfile>

/**
 * Access that a password reset keeps unless its request removes it: sign-in methods and factors of
 * an account, and destinations of its alerts. A reset ends sessions, API keys and the private feed.
 */
export const accessBesidesPassword = accountProfile.pick({ identities: true, wallets: true }).extend({
  /** The passkeys, and the authenticator app with the id `totp`. */
  factors: z.array(z.object({ id: z.string(), name: z.string(), addedAt: isoTime })),
  destinations: z.array(z.object({ id: z.uuid(), kind: z.string(), name: z.string(), createdAt: isoTime })),
})
export type AccessBesidesPassword = z.infer<typeof accessBesidesPassword>

export const checkResetLinkRequest = z.strictObject({ token: mailedToken })
/** States whether a reset link is valid and, if so, which access a reset would keep. */
export const checkResetLinkResponse = done.extend({
  expired: z.boolean(),
  /** Minimum length of the new password, in characters. */
  minLength: z.number(),
  waysIn: accessBesidesPassword,
})
/**
 * Sets a new password and removes the listed items. Factors are removed only with a code of one of
 * the factors, because access to the mailbox alone must not be enough.
 */
export const resetPasswordRequest = z
  .strictObject({
    token: mailedToken,
    newPassword: password,
    confirmPassword,
    removeWallets: z.array(address).max(100).optional(),
    removeProviders: z.array(identityProvider).max(2).optional(),
    removeDestinations: z.array(z.uuid()).max(100).optional(),
    removeFactors: z.array(passkeyId).max(100).optional(),
    /** A code of the authenticator app, or a recovery code. */
    factorCode: factorCodeRequest.shape.code.optional(),
  })
  .refine((form) => form.confirmPassword === undefined || form.confirmPassword === form.newPassword, passwordsMatch)
/** `waysIn` lists the access that remains after the removal. */
export const resetPasswordResponse = done.extend({ waysIn: accessBesidesPassword })

export const accountSession = z.object({
  id: z.string(),
  isCurrent: z.boolean(),
  /** Browser and operating system of the session, for example "Chromium on Linux". */
  device: z.string(),
  /** Sign-in method, for example "password and passkey". Empty for older sessions. */
  method: z.string(),
  /** City and country of the sign-in, if the operator has configured a location database. */
  place: z.string().nullable(),
  createdAt: isoTime,
  lastSeenAt: isoTime,
  remembered: z.boolean(),
})
export type AccountSession = z.infer<typeof accountSession>

export const changeNameRequest = z.strictObject({ name: name })
/** `currentPassword` is required if the account has a password. */
export const changePasswordRequest = z.strictObject({ currentPassword: password.optional(), newPassword: password })

/** The phrase that the owner must type to delete the account. */
export const deletePhrase = 'delete my account'
export const deleteAccountRequest = z.strictObject({ confirmation: z.literal(deletePhrase) })

export const firstAdminRequest = z.strictObject({
  token: z.string().max(200),
  email,
  name: name,
  password,
})

/** GET /api/account/export: all data stored about the account. */
export const accountExport = z.object({
  exportedAt: isoTime,
  account: accountProfile,
  sessions: z.array(accountSession.extend({ userAgent: z.string() })),
  activity: z.array(z.record(z.string(), z.unknown())),
  /** All other records by kind: subscriptions, payments and so on. */
  held: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
})
