import { DAY_MS } from '@tocsin/protocol/durations'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PASSWORD, type Site, startSite } from '../../../test/support/test-site.ts'
import type { Context } from '../../context.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { settings } from '../../db/schema/server.ts'
import { ConfigError } from '../../read-config.ts'
import {
  consumeFirstAdminLink,
  createAdmin,
  createFirstAdminLink,
  ensureFirstAdmin,
  exemptFirstOwner,
  type FirstAdminLink,
} from './first-admin.ts'

let site: Site
/** The configuration of a production server without ADMIN_PASSWORD. */
let ctx: Context

beforeAll(async () => {
  site = await startSite()
  ctx = { ...site.ctx, config: { ...site.ctx.config, firstAdmin: null } }
})
afterAll(() => site?.stop())

const account = { email: 'first@example.com', name: 'First', password: PASSWORD }
const useLink = (token: string, change: object = {}) => site.post('first-admin', { token, ...account, ...change })
const getToken = (createdLink: FirstAdminLink | null) => createdLink?.link?.split('#setup=')[1] ?? ''
/** Creates a link after deleting the current one. */
async function createLink() {
  await site.ctx.db.delete(settings).where(eq(settings.name, 'accounts.first-admin-link'))
  return createFirstAdminLink(ctx)
}
const countOwners = () => site.ctx.db.$count(accounts, eq(accounts.role, 'owner'))

describe('first-admin link', () => {
  test('is not created when an admin is configured', async () => {
    expect(await createFirstAdminLink(site.ctx)).toBeNull()
  })

  test('uses the configured origin, has its secret in the fragment, and is stored only as a hash', async () => {
    const made = await createLink()
    expect(made?.link).toMatch(/^http:\/\/localhost:3000\/admin-auth#setup=[\w-]{43}$/)
    expect(JSON.stringify(await site.ctx.db.select().from(settings))).not.toContain(getToken(made))
  })

  test('is not replaced while it is valid, so only one of several instances prints it', async () => {
    const currentLink = await createLink()
    expect(currentLink?.link).not.toBeNull()
    const others = await Promise.all([createFirstAdminLink(ctx), createFirstAdminLink(ctx)])
    for (const other of others) expect(other).toEqual({ link: null, expiresAt: currentLink?.expiresAt })
    site.clock.advance(DAY_MS)
    expect((await createFirstAdminLink(ctx))?.link).not.toBeNull()
  })

  test('is rejected when it is missing, wrong or a day old', async () => {
    const currentToken = getToken(await createLink())
    for (const token of ['', 'x']) {
      expect(await useLink(token)).toMatchObject({ status: 400, body: { code: 'token_invalid' } })
    }
    site.clock.advance(DAY_MS)
    expect(await useLink(currentToken)).toMatchObject({ status: 400, body: { code: 'token_expired' } })
    expect(await countOwners()).toBe(0)
  })

  test('stays valid when the password, name or address is rejected', async () => {
    const token = getToken(await createLink())
    const cases: [object, number][] = [
      [{ password: 'elevenchars' }, 400],
      [{ password: 'administrator' }, 422],
      [{ email: 'no address' }, 400],
      [{ name: 'a\nb' }, 400],
      [{ role: 'admin' }, 400],
    ]
    for (const [change, status] of cases) expect((await useLink(token, change)).status).toBe(status)
    expect(await countOwners()).toBe(0)
  })

  test('creates and signs in one admin when used concurrently, and no further admin afterwards', async () => {
    const token = getToken(await createLink())
    const attempts = Array.from({ length: 10 }, (_, index) => useLink(token, { email: `first${index}@example.com` }))
    const answers = await Promise.all(attempts)
    const [winner, ...others] = answers.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    expect(winner?.body).toMatchObject({ success: true, user: { isAdmin: true } })
    expect(await countOwners()).toBe(1)
    const cookies = { tocsin: winner?.cookies.find(({ name }) => name === 'tocsin')?.value ?? '' }
    expect((await site.get('account', cookies)).body).toMatchObject({ isAdmin: true, emailVerified: true })
    expect((await useLink(token)).status).toBe(400)
    expect(await createFirstAdminLink(ctx)).toBeNull()
    await ensureFirstAdmin(site.ctx)
    expect(await countOwners()).toBe(1)
  })

  test('is rejected when an admin was created after the link', async () => {
    await site.ctx.db.update(accounts).set({ role: 'user' })
    const token = getToken(await createLink())
    await ensureFirstAdmin(site.ctx)
    const browser = { userAgent: '', deviceCookie: undefined, sessionCookie: undefined, network: '192.0.2.1' }
    await expect(consumeFirstAdminLink(ctx, { token, ...account }, browser)).rejects.toMatchObject({
      code: 'token_invalid',
    })
    expect(await countOwners()).toBe(1)
  })
})

describe('exemptFirstOwner', () => {
  const findExemptEmail = async (exemptEmail: string | null) => {
    const config = { ...site.ctx.config, adminFactor: { isRequired: true, exemptEmail } }
    return (await exemptFirstOwner({ ...site.ctx, config })).config.adminFactor.exemptEmail
  }

  test('exempts an existing owner of a demo from the second factor when ADMIN_EMAIL names no owner', async () => {
    await site.ctx.db.update(accounts).set({ role: 'user' })
    expect(await findExemptEmail('later@example.com'), 'before the first owner').toBe('later@example.com')
    await ensureFirstAdmin(site.ctx)
    expect(await findExemptEmail('later@example.com')).toBe('root@example.com')
    const olderOwner = { email: 'older@example.com', name: 'Older', role: 'owner', createdAt: new Date(0) } as const
    await site.ctx.db.insert(accounts).values(olderOwner)
    expect(await findExemptEmail('root@example.com')).toBe('root@example.com')
  })

  test('exempts no account from the second factor in production', async () => {
    expect(await findExemptEmail(null)).toBeNull()
  })
})

test('createAdmin: gives an owner another role only if another active owner is left', async () => {
  await site.ctx.db.update(accounts).set({ role: 'user' })
  const [email, password] = ['sole@example.com', 'a bell at the harbour']
  const owner = { email, name: 'Sole', password, role: 'owner', takeOver: true } as const
  const demotion = { ...owner, password: 'another bell at the harbour', role: 'auditor' } as const
  await createAdmin(site.ctx, owner)
  await createAdmin(site.ctx, { ...owner, email: 'second@example.com' })
  const setSecondSuspended = (suspendedAt: Date | null) =>
    site.ctx.db.update(accounts).set({ suspendedAt }).where(eq(accounts.email, 'second@example.com'))
  await setSecondSuspended(site.clock.now())
  await expect(createAdmin(site.ctx, demotion)).rejects.toMatchObject({
    code: 'last_admin',
    message: `${email} is the only active owner. Make another account an owner first.`,
  })
  await site.signInAs(email, password)
  await setSecondSuspended(null)
  await createAdmin(site.ctx, demotion)
  expect(await countOwners()).toBe(1)
})

test('ensureFirstAdmin: the error names ADMIN_PASSWORD when the configured password is too common', async () => {
  await site.ctx.db.update(accounts).set({ role: 'user' })
  const firstAdmin = { email: 'root@example.com', password: 'administrator' }
  const started = ensureFirstAdmin({ ...site.ctx, config: { ...site.ctx.config, firstAdmin } })
  await expect(started).rejects.toMatchObject({ problems: [expect.stringMatching(/^ADMIN_PASSWORD is refused: /)] })
  await expect(started).rejects.toBeInstanceOf(ConfigError)
})
